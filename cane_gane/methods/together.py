"""Fits the neural models by several workers, each a separate process."""

from __future__ import annotations

import dataclasses
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from cane_gane.data.splits import Split
from cane_gane.errors import InputError
from cane_gane.methods.gane import batches, build, make_keeper, runtime_options
from cane_gane.methods.method import Method, Worker
from cane_gane.methods.served import when_needed
from cane_gane.methods.started import keep_start, start, write_start
from cane_gane.models.settings import ModelSettings
from cane_gane.version import VERSION

if TYPE_CHECKING:
    from cane_gane.models.pair_model import PairModel
    from cane_gane.training.inputs import Inputs
    from cane_gane.training.loop import Keeper


def with_workers(method: Method) -> Method:
    """Returns a neural model that several workers can also fit."""
    return dataclasses.replace(method, join=partial(join, method.key))


def join(
    variant: str, split: Split, settings: ModelSettings, seed: int, worker: Worker
) -> None:
    """Trains a model as one of several workers; the chief keeps epochs."""
    if settings.adam != "summed":
        raise InputError(
            f"found --adam={settings.adam} with several workers; expected --adam=summed"
            ": the other squares what each worker finds alone"
        )
    if settings.word_dropout and not settings.masked:
        raise InputError(
            f"found --nomasked with --word_dropout={settings.word_dropout:g} and "
            "several workers; expected no word dropout: padding would depend on the "
            "worker, and count"
        )
    from cane_gane.training.workers.cluster import join as join_cluster

    strategy = join_cluster(worker.cluster, **runtime_options(settings, worker.device))
    worker.tell("joined")
    from cane_gane.training.inputs import prepare
    from cane_gane.training.workers.exchange import Exchange
    from cane_gane.training.workers.loop import train_together

    exchange = Exchange(strategy, worker.cluster)
    inputs = prepare(split, settings, seed)
    exchange.compare(_fingerprint(inputs, settings, seed))
    with strategy.scope():
        model = build(variant, inputs, settings, seed)
    keeper = None
    if worker.cluster.chief:
        keeper = _chief(variant, model, inputs, settings, seed, worker.folder)
    train_together(
        model,
        strategy,
        exchange,
        partial(batches, inputs, model),
        inputs.sampler.steps,
        settings.epochs,
        keeper,
        lambda epoch: worker.tell(f"epoch {epoch}"),
    )


def _chief(
    variant: str,
    model: PairModel,
    inputs: Inputs,
    settings: ModelSettings,
    seed: int,
    folder: Path | None,
) -> Keeper:
    """Builds the keeper of epochs; gives a new model its initial values."""
    validated = len(inputs.held_out) > 0
    # Without validation nothing is served here, so evidence is not computed.
    shown = settings if validated else dataclasses.replace(settings, evidence="none")
    served = when_needed(inputs, model, shown, seed, folder)
    keeper = make_keeper(variant, inputs, settings, served, seed, folder)
    if not keeper.begun:
        start(model, settings, inputs, seed)
        write_start(model, settings, inputs, folder)
        keep_start(keeper, model, folder)
    return keeper


def _fingerprint(inputs: Inputs, settings: ModelSettings, seed: int) -> bytes:
    """Returns a fingerprint of what must be the same on all workers."""
    named = f"{VERSION} {np.__version__} {settings} {seed}"
    texts = inputs.texts
    rows = inputs.sampler.epoch(0)
    arrays = (inputs.edges, texts.words, texts.starts, rows, inputs.weights)
    return b"".join([named.encode(), *(one.tobytes() for one in arrays)])
