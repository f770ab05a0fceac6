"""The start of a neural model: its tables, and its score as vectors in a file."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from cane_gane.errors import fault
from cane_gane.files import digest, write_atomically
from cane_gane.models.settings import ModelSettings

if TYPE_CHECKING:
    from cane_gane.evaluation.fitted import Fitted
    from cane_gane.models.pair_model import PairModel
    from cane_gane.training.inputs import Inputs
    from cane_gane.training.loop import Keeper

START = "start.npy"


def start(model: PairModel, settings: ModelSettings, inputs: Inputs, seed: int) -> None:
    """Gives the tables of a new model the values that `settings` names."""
    from cane_gane.models.start.tables import start_tables

    texts, words = inputs.split.network.texts, len(inputs.tokenizer.words)
    start_tables(model, settings, texts, inputs.texts, words, inputs.edges, seed)


def keep_start(keeper: Keeper, model: PairModel, folder: Path | None) -> None:
    """Keeps the start of a large network, which takes long, as epoch 0.

    Checkpoints know the digest of the file of the start, which a later start reads.
    """
    from cane_gane.models.start.tables import LARGE

    if folder:
        keeper.beside = {START: digest(folder / START)}
    if model.node_count >= LARGE:
        keeper.keep(model)


def write_start(
    model: PairModel,
    settings: ModelSettings,
    inputs: Inputs,
    folder: Path | None,
) -> Fitted | None:
    """Keeps the score of the model before training as vectors, one for each node.

    Without a map the four terms are one inner product, (t_u + s_u)(t_v + s_v). Texts
    are embedded in their own context, which hardly counts before training.
    """
    if settings.start == settings.places == "random" or settings.map_mixed:
        return None
    if settings.kernel != "inner":
        return None
    from cane_gane.evaluation.fitted import VectorFitted
    from cane_gane.models.pair_scorer import text_vectors

    structure = model.structure_of(np.arange(inputs.split.network.node_count))
    vectors = structure.numpy() + text_vectors(model, inputs.texts)
    if folder:
        content = io.BytesIO()
        np.save(content, vectors.astype(np.float32))
        write_atomically(folder / START, content.getvalue())
    return VectorFitted(vectors)


def read_start(folder: Path) -> Fitted | None:
    """Returns the score before training, if it was kept."""
    from cane_gane.evaluation.fitted import VectorFitted

    path = folder / START
    return VectorFitted(np.load(path)) if path.is_file() else None


def check_start(keeper: Keeper, folder: Path | None) -> None:
    """Refuses a file of the start that has changed since the first epoch.

    Raises:
        InputError: It has.
    """
    for name, known in keeper.beside.items():
        if folder and digest(folder / name) != known:
            expected = "what the first epoch began with: --overwrite trains it again"
            raise fault(folder / name, None, "other content", expected)
