"""TADW (Yang et al. 2015): text-associated DeepWalk, M = W' H T by least squares."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits

from cane_gane.config import Settings, setting
from cane_gane.data.graph import adjacency, random_step
from cane_gane.data.splits import Split
from cane_gane.evaluation.fitted import Fitted
from cane_gane.methods.method import Method
from cane_gane.progress import counted
from cane_gane.serving.table import VectorTable
from cane_gane.training.room import check_room

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class TadwSettings(Settings):
    """The size of the factors, and how they are fitted."""

    dimension: int = setting(
        200, "length of a node vector, half of it for text", low=2, high=10_000
    )
    text_dimension: int = setting(
        200, "dimensions of the TF-IDF vectors' SVD", low=1, high=10_000
    )
    shrinkage: float = setting(
        0.2, "weight of the factors' squares", low=1e-6, high=1e6
    )
    sweeps: int = setting(10, "rounds of alternating least squares", low=1, high=10**4)


def sweeps(
    step_matrix: Any, text: Floats, size: int, shrinkage: float, seed: int
) -> Iterator[tuple[Floats, Floats]]:
    """Minimises |M - W H' T'|² + shrinkage (|W|² + |H|²), one factor at a time.

    Each turn solves for W with H fixed, then for H with W fixed, both exactly: the
    equation W'W H T'T + shrinkage H = W' M T is solved in the bases of eigenvectors of
    W'W and T'T. (The authors take some steps of conjugate gradients instead.)

    Args:
        step_matrix: M, `[nodes, nodes]`, sparse.
        text: T, `[nodes, text size]`.
        size: The number of columns of W.
        shrinkage: The weight of the factors' squares.
        seed: The seed of the initial H.

    Yields:
        W, `[nodes, size]`, and H, `[size, text size]`, after each turn, without end.
    """
    rng = np.random.default_rng(seed)
    factor = rng.standard_normal((size, text.shape[1]))
    text_values, text_axes = np.linalg.eigh(text.T @ text)
    known = step_matrix @ text
    while True:
        seen = text @ factor.T
        square = seen.T @ seen + shrinkage * np.eye(size)
        own = np.linalg.solve(square, (step_matrix @ seen).T).T
        values, axes = np.linalg.eigh(own.T @ own)
        turned = axes.T @ (own.T @ known) @ text_axes
        solved = turned / (np.outer(values, text_values) + shrinkage)
        factor = axes @ solved @ text_axes.T
        yield own, factor


def step_matrix(split: Split) -> Any:
    """Returns M = (A + A²) / 2, with A the probabilities of a walk's step; sparse."""
    step = random_step(adjacency(split.train, split.network.node_count))
    return (step + step @ step) / 2


def text_matrix(split: Split, size: int, seed: int) -> Floats:
    """Returns the first singular directions of the TF-IDF vectors, `[nodes, size]`."""
    from sklearn.decomposition import TruncatedSVD

    from cane_gane.data.tfidf import tfidf_vectors

    vectors = tfidf_vectors(split.network.texts)
    size = min(size, min(vectors.shape) - 1)
    if size < 1 or not vectors.nnz:
        return np.zeros((vectors.shape[0], 1))
    with np.errstate(invalid="ignore"):  # texts that are all equal have no variance
        return TruncatedSVD(size, random_state=seed).fit_transform(vectors)


def _memory(split: Split, settings: TadwSettings) -> float:
    """Returns the least number of bytes needed, without those of words."""
    nodes, size = split.network.node_count, settings.dimension // 2
    text = min(settings.text_dimension, nodes)
    return 8.0 * (nodes * (2 * text + 3 * size) + 2 * text * text + 3 * size * size)


@threadpool_limits.wrap(limits=1)  # sums of several threads depend on their number
def _fit(split: Split, settings: TadwSettings, seed: int, _: Path | None) -> Fitted:
    from sklearn.preprocessing import normalize

    check_room(partial(_memory, split), settings)
    text = text_matrix(split, settings.text_dimension, seed)
    size = settings.dimension // 2
    turns = sweeps(step_matrix(split), text, size, settings.shrinkage, seed)
    for _turn in counted("TADW", settings.sweeps):
        own, factor = next(turns)
    # A node without a training edge has a row of zeros in W, so only its text counts.
    vectors = np.hstack([normalize(own), normalize(text @ factor.T)])
    return VectorTable(vectors.astype(np.float32))


TADW = Method(
    "tadw",
    "TADW",
    "walks of two steps factored with the texts (Yang 2015)",
    fit=_fit,
    open=VectorTable.open,
    settings=TadwSettings,
    paper="tadw",
)
