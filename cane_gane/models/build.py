"""Builds a model from its settings and the sizes of a network."""

from __future__ import annotations

from typing import Any

import keras

from cane_gane.layers import MutualAttention
from cane_gane.models.cane import CANE
from cane_gane.models.encoders import OwnWords, SoftmaxEncoder, TransportEncoder
from cane_gane.models.pair_model import PairModel
from cane_gane.models.settings import ModelSettings


def build_model(
    settings: ModelSettings, variant: str, word_count: int, node_count: int, seed: int
) -> PairModel:
    """Builds a model with all its variables; it is not compiled.

    Args:
        settings: The settings.
        variant: `cane`, `wane`, `ot` or `ap`.
        word_count: The number of rows of the word table.
        node_count: The number of rows of the node table.
        seed: The seed of initial values and word dropout.

    Returns:
        The model.
    """
    keras.utils.set_random_seed(seed)
    kind = CANE if variant == "cane" else PairModel
    names = ("dimension", "clip", "map_mixed", "word_dropout", "kernel", "bandwidth")
    options = _chosen(settings, *names)
    return kind(
        _encoder(settings, variant),
        word_count=word_count,
        node_count=node_count,
        # Next to informative word vectors, random structure is only noise.
        structure_spread=0.01 if settings.start == "lsa" else 0.3,
        seed=seed,
        name=variant,
        **options,
    )


def _encoder(settings: ModelSettings, variant: str) -> keras.layers.Layer:
    units = settings.dimension
    if variant == "cane":
        return MutualAttention(units, masked=settings.masked, name="encoder")
    options = {"name": "encoder", **_chosen(settings, "pooling")}
    if settings.start == "lsa":
        options["kernel_initializer"] = OwnWords()
    if variant == "wane":
        return SoftmaxEncoder(units, **options)
    if variant == "ap":
        names = ("window", "channels", "reading", "depth")
        options["parsing"] = _chosen(settings, *names)
    options["transport"] = _chosen(settings, "beta", "iterations", "gradient")
    options |= _chosen(settings, "scale", "groups")
    return TransportEncoder(units, **options)


def _chosen(settings: ModelSettings, *names: str) -> dict[str, Any]:
    return {name: getattr(settings, name) for name in names}
