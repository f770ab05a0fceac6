"""A model from a config and the sizes of a network."""

from __future__ import annotations

from typing import Any

import keras

from cane_gane.config import Config
from cane_gane.layers import MutualAttention
from cane_gane.models.cane import CANE
from cane_gane.models.encoders import OwnWords, SoftmaxEncoder, TransportEncoder
from cane_gane.models.frame import PairModel
from cane_gane.objectives import OBJECTIVES
from cane_gane.optimizers import OPTIMIZERS


def build_model(config: Config, word_count: int, node_count: int) -> PairModel:
    """Builds and compiles the model of a config.

    Args:
        config: The settings.
        word_count: Rows of the word table.
        node_count: Rows of the node table.

    Returns:
        The model, all its variables made.
    """
    keras.utils.set_random_seed(config.seed)
    kind = CANE if config.variant == "cane" else PairModel
    model = kind(
        _encoder(config),
        word_count=word_count,
        node_count=node_count,
        dimension=config.dimension,
        clip=config.clip,
        map_mixed=config.map_mixed,
        word_dropout=config.word_dropout,
        # Beside word vectors that know something, random structure is but noise.
        structure_spread=0.01 if config.start == "lsa" else 0.3,
        seed=config.seed,
    )
    objective = OBJECTIVES[config.objective](config.term_weights(), config.epsilon)
    model.compile(OPTIMIZERS[config.adam](config.learning_rate), loss=objective)
    model.make_variables()
    return model


def _encoder(config: Config) -> keras.layers.Layer:
    if config.variant == "cane":
        return MutualAttention(config.dimension, masked=config.masked)
    aggregation: dict[str, Any] = {"pooling": config.pooling}
    if config.start == "lsa":
        aggregation["kernel_initializer"] = OwnWords()
    if config.variant == "wane":
        return SoftmaxEncoder(config.dimension, **aggregation)
    return TransportEncoder(
        config.dimension,
        parsed=config.variant == "ap",
        window=config.window,
        channels=config.channels,
        reading=config.reading,
        scale=config.scale,
        transport={
            "beta": config.beta,
            "iterations": config.iterations,
            "gradient": config.gradient,
        },
        **aggregation,
    )
