"""CANE (Tu 2017), WANE (Shen 2018), GANE (Chen 2019): four models of one frame."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cane_gane.data.splits import Split
from cane_gane.errors import InputError
from cane_gane.files import sha256
from cane_gane.methods.method import Method
from cane_gane.methods.served import has_evidence, is_lonely, when_needed
from cane_gane.methods.started import (
    check_start,
    keep_start,
    read_start,
    start,
    write_start,
)
from cane_gane.models.settings import ModelSettings
from cane_gane.progress import say

if TYPE_CHECKING:
    from cane_gane.evaluation.fitted import Fitted
    from cane_gane.models.pair_model import PairModel
    from cane_gane.serving.client import ServedModel
    from cane_gane.serving.saved_model import Servable
    from cane_gane.training.checkpoints import Place
    from cane_gane.training.inputs import Inputs
    from cane_gane.training.loop import Keeper


def set_up(
    variant: str, split: Split, settings: ModelSettings, seed: int
) -> tuple[Inputs, PairModel]:
    """Encodes a split and builds the model, all that training needs.

    Args:
        variant: `cane`, `wane`, `ot` or `ap`.
        split: The split.
        settings: The settings.
        seed: What every random choice depends on.

    Returns:
        What is trained on, and the compiled model with random values.
    """
    from cane_gane.training.inputs import prepare

    inputs = prepare(split, settings, seed)
    return inputs, build(variant, inputs, settings, seed)


def build(
    variant: str, inputs: Inputs, settings: ModelSettings, seed: int
) -> PairModel:
    """Builds the compiled model, with random values."""
    from cane_gane.models.build import build_model
    from cane_gane.training.compile import compile_model

    words, nodes = len(inputs.tokenizer.words), inputs.split.network.node_count
    model = build_model(settings, variant, words, nodes, seed)
    compile_model(model, settings)
    return model


def _fit(
    variant: str, split: Split, settings: ModelSettings, seed: int, folder: Path | None
) -> Fitted:
    """Trains a model; goes on where an earlier start in `folder` was cut off."""
    from cane_gane.training.forecast import check
    from cane_gane.training.inputs import prepare
    from cane_gane.training.loop import train

    inputs = prepare(split, settings, seed)
    words = len(inputs.tokenizer.words)
    check(inputs.texts, words, len(inputs.edges), settings)
    model = build(variant, inputs, settings, seed)
    served = when_needed(inputs, model, settings, seed, folder)
    held_out = f"{len(inputs.held_out):,} training edges held out"
    say(f"{words:,} words, {held_out}")
    keeper = make_keeper(variant, inputs, settings, served, seed, folder)
    first, goes_on = None, keeper.begun
    if not goes_on:
        start(model, settings, inputs, seed)
        first = write_start(model, settings, inputs, folder)
        keep_start(keeper, model, folder)
    best = train(
        model,
        partial(batches, inputs, model),
        inputs.sampler.steps,
        settings.epochs,
        keeper,
        folder and folder / "tensorboard",
    )
    check_start(keeper, folder)
    if goes_on and folder:
        first = read_start(folder)
    if settings.preset != "upstream" and settings.places == "random":
        _forget_untrained(model, inputs)
    servable, fitted = served()
    servable.weigh_evidence(seed)
    fitted.start, fitted.history, fitted.best_epoch = first, keeper.rows, best
    return fitted


def make_keeper(
    variant: str,
    inputs: Inputs,
    settings: ModelSettings,
    served: Callable[[], tuple[Servable, ServedModel]],
    seed: int,
    folder: Path | None,
) -> Keeper:
    """Makes what keeps epochs, and validates them where edges are held out."""
    from cane_gane.training.loop import Keeper

    return Keeper(
        folder,
        settings.epochs,
        _validation(inputs, served, seed),
        every=settings.evaluate_every,
        patience=settings.patience,
        key=_key(variant, inputs, settings, seed),
    )


def _key(variant: str, inputs: Inputs, settings: ModelSettings, seed: int) -> str:
    """Returns what an epoch depends on, so that none of another run is gone on from."""
    usual = vars(ModelSettings()) | {"epochs": settings.epochs}
    chosen = {name: own for name, own in vars(settings).items() if own != usual[name]}
    chosen.pop("patience", None)
    text = json.dumps([variant, seed, sorted(chosen.items())])
    texts = inputs.texts
    weights = inputs.weights
    arrays = (inputs.edges, inputs.held_out, texts.words, texts.starts, weights)
    return sha256(b"".join([text.encode(), *(one.tobytes() for one in arrays)]))


def batches(inputs: Inputs, model: PairModel, place: Place) -> Any:
    """Returns batches from a place on."""
    from cane_gane.sampling.batches import edge_batches

    return edge_batches(
        inputs.texts,
        inputs.sampler,
        weigh=inputs.weigh,
        first_epoch=place.epochs,
        first_step=place.steps,
        trim=model.trims,
    )


def _open(path: Path, split: Split, settings: ModelSettings) -> Fitted:
    from cane_gane.serving.client import ServedModel

    fitted = ServedModel.load(path, split, lonely=is_lonely(settings))
    fitted.start = read_start(path.parent)
    return fitted


def _validation(
    inputs: Inputs, served: Callable[[], tuple[Servable, Fitted]], seed: int
) -> Callable[[], float] | None:
    """Returns what scores the held-out training edges; no test edge is looked at."""
    if not len(inputs.held_out):
        return None
    from cane_gane.evaluation.protocols import strict_contest
    from cane_gane.evaluation.sampled import Sample

    split = inputs.split
    contest = strict_contest(
        split.train, inputs.edges, inputs.held_out, split.network.node_count
    )
    sample = Sample.draw(contest, seed, budget=20 * len(contest.scored))

    def auc() -> float:
        servable, fitted = served()
        servable.weigh_evidence(seed)
        return float(np.nanmean(sample.outcomes(fitted.score, seed)[0].shares))

    return auc


def _forget_untrained(model: PairModel, inputs: Inputs) -> None:
    """Zeroes the structure of nodes that no edge has trained: it is noise."""
    structure = model.structure.numpy()
    structure[inputs.unseen] = 0
    model.structure.assign(structure)


def _start(settings: ModelSettings, device: str) -> None:
    from cane_gane.training.runtime import load_tensorflow

    load_tensorflow(**runtime_options(settings, device))


def runtime_options(settings: ModelSettings, device: str) -> dict[str, Any]:
    """Returns what `load_tensorflow` takes."""
    return {
        "deterministic": settings.deterministic,
        "device": device,
        "by_pairs": settings.masked,
    }


def _check(variant: str, settings: ModelSettings) -> None:
    if variant == "cane":
        return
    if settings.preset == "upstream":
        raise InputError(
            f"found preset upstream with method {variant}; expected method cane, the "
            "only model that upstream has"
        )
    if not settings.masked:
        raise InputError(
            f"found --nomasked with method {variant}; expected it with cane alone, as "
            "only upstream attends to padding"
        )


def _method(key: str, title: str, about: str) -> Method:
    return Method(
        key,
        title,
        about,
        fit=partial(_fit, key),
        open=_open,
        settings=ModelSettings,
        paper=key,
        check=partial(_check, key),
        start=_start,
        calls_second=has_evidence,
    )


CANE = _method("cane", "CANE", "mutual attention over convolved words (Tu 2017)")
WANE = _method("wane", "WANE", "words aligned by a softmax (Shen 2018)")
OT = _method("ot", "GANE-OT", "words aligned by an optimal-transport plan (Chen 2019)")
AP = _method("ap", "GANE-AP", "the same, with the plan parsed by a convolution")
