"""CANE, WANE, GANE-OT and GANE-AP: one frame of tables, encoder and training."""

from __future__ import annotations

import io
import shutil
import tempfile
import weakref
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from cane_gane.data.splits import Split
from cane_gane.errors import InputError
from cane_gane.files import write_atomically, write_json
from cane_gane.methods.method import Method
from cane_gane.models.settings import ModelSettings
from cane_gane.progress import say

if TYPE_CHECKING:
    from cane_gane.evaluation.fitted import Fitted
    from cane_gane.models.pair_model import PairModel
    from cane_gane.serving.evidence import ServedEvidence
    from cane_gane.serving.saved_model import Servable
    from cane_gane.training.inputs import Inputs


START = "start.npy"


def set_up(
    variant: str, split: Split, settings: ModelSettings, seed: int, folder: Path | None
) -> tuple[Inputs, PairModel, Servable]:
    """Encodes a split and builds the model, all that training needs.

    Args:
        variant: `cane`, `wane`, `ot` or `ap`.
        split: The split.
        settings: The settings.
        seed: What every random choice depends on.
        folder: Where the vocabulary goes; None for a temporary folder.

    Returns:
        What is trained on, the compiled model with random values, and what serves it.
    """
    from cane_gane.models.build import build_model
    from cane_gane.serving.saved_model import Servable
    from cane_gane.training.compile import compile_model
    from cane_gane.training.inputs import prepare

    inputs = prepare(split, settings, seed)
    words = len(inputs.tokenizer.words)
    model = build_model(settings, variant, words, split.network.node_count, seed)
    compile_model(model, settings)
    home = folder or Path(tempfile.mkdtemp())
    inputs.tokenizer.save(home / "vocabulary.txt")
    servable = Servable(
        model,
        inputs.texts,
        home / "vocabulary.txt",
        len(inputs.tokenizer.reserved) - 1,
        settings.max_length,
        _evidence(settings, inputs, seed, home),
    )
    if folder is None:  # the file is needed until the last export
        weakref.finalize(servable, shutil.rmtree, home, ignore_errors=True)
    return inputs, model, servable


def _evidence(
    settings: ModelSettings, inputs: Inputs, seed: int, home: Path
) -> ServedEvidence | None:
    """Fits evidence on the edges to train on; keeps its weights beside the model."""
    texts = inputs.split.network.texts
    if settings.evidence == "none" or not any(map(str.split, texts)):
        return None
    from cane_gane.evidence.fit import fit_evidence
    from cane_gane.evidence.likeness import WHOLE
    from cane_gane.serving.evidence import ServedEvidence

    if len(texts) > WHOLE:
        say(f"no evidence beside the model: more than {WHOLE:,} nodes")
        return None
    say("weighing evidence …")
    fitted = fit_evidence(texts, inputs.edges, seed)
    write_json(home / "evidence.json", fitted.weights())
    return ServedEvidence(fitted, home / "words.txt")


def start(model: PairModel, settings: ModelSettings, inputs: Inputs, seed: int) -> None:
    """Gives the tables of a new model the values that `settings` names."""
    from cane_gane.models.start.tables import start_tables

    texts, words = inputs.split.network.texts, len(inputs.tokenizer.words)
    start_tables(model, settings, texts, inputs.texts, words, inputs.edges, seed)


def _fit(
    variant: str, split: Split, settings: ModelSettings, seed: int, folder: Path | None
) -> Fitted:
    """Trains a model; goes on where an earlier start in `folder` was cut off."""
    from cane_gane.sampling.batches import edge_batches
    from cane_gane.serving.client import ServedModel
    from cane_gane.training.loop import Keeper, train

    inputs, model, servable = set_up(variant, split, settings, seed, folder)
    held_out = f"{len(inputs.held_out):,} training edges held out"
    say(f"{len(inputs.tokenizer.words):,} words, {held_out}")
    fitted = ServedModel(
        servable.signatures(), split, servable.export, lonely=_lonely(settings)
    )
    keeper = Keeper(
        folder,
        settings.epochs,
        _validation(inputs, fitted, servable, seed),
        every=settings.evaluate_every,
        patience=settings.patience,
    )
    if not keeper.begun:
        start(model, settings, inputs, seed)
        _write_start(model, settings, inputs, fitted, folder)
    elif folder:
        fitted.start = _read_start(folder)
    fitted.best_epoch = train(
        model,
        lambda epoch: edge_batches(
            inputs.texts, inputs.sampler, first_epoch=epoch, trim=model.trims
        ),
        inputs.sampler.steps,
        settings.epochs,
        keeper,
        folder and folder / "tensorboard",
    )
    fitted.history = keeper.rows
    if settings.preset != "upstream" and settings.places == "random":
        _forget_untrained(model, inputs)
    servable.weigh_evidence(seed)
    return fitted


def _open(path: Path, split: Split, settings: ModelSettings) -> Fitted:
    from cane_gane.serving.client import ServedModel

    fitted = ServedModel.load(path, split, lonely=_lonely(settings))
    fitted.start = _read_start(path.parent)
    return fitted


def _write_start(
    model: PairModel,
    settings: ModelSettings,
    inputs: Inputs,
    fitted: Fitted,
    folder: Path | None,
) -> None:
    """Keeps the score of the model before training as vectors, one for each node.

    Without a map the four terms are one inner product, (t_u + s_u)(t_v + s_v). Texts
    are embedded in their own context, which hardly counts before training.
    """
    if settings.start == settings.places == "random" or settings.map_mixed:
        return
    from cane_gane.evaluation.fitted import VectorFitted
    from cane_gane.models.pair_scorer import text_vectors

    structure = model.structure_of(np.arange(inputs.split.network.node_count))
    vectors = structure.numpy() + text_vectors(model, inputs.texts.ids)
    if folder:
        content = io.BytesIO()
        np.save(content, vectors.astype(np.float32))
        write_atomically(folder / START, content.getvalue())
    fitted.start = VectorFitted(vectors)


def _read_start(folder: Path) -> Fitted | None:
    from cane_gane.evaluation.fitted import VectorFitted

    path = folder / START
    return VectorFitted(np.load(path)) if path.is_file() else None


def _lonely(settings: ModelSettings) -> bool:
    """Whether nodes without a training edge have vectors: only walks place them."""
    return settings.places == "walks"


def _validation(
    inputs: Inputs, fitted: Fitted, servable: Servable, seed: int
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

    load_tensorflow(
        deterministic=settings.deterministic, device=device, by_pairs=settings.masked
    )


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
    )


CANE = _method("cane", "CANE", "mutual attention over convolved words (Tu 2017)")
WANE = _method("wane", "WANE", "words aligned by a softmax (Shen 2018)")
OT = _method("ot", "GANE-OT", "words aligned by an optimal-transport plan (Chen 2019)")
AP = _method("ap", "GANE-AP", "the same, with the plan parsed by a convolution")
