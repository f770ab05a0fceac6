"""LINE (Tang et al. 2015): first-order and second-order proximity, side by side."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits

from cane_gane.config import Settings, setting
from cane_gane.data.graph import Edges
from cane_gane.data.splits import Split
from cane_gane.evaluation.fitted import Fitted
from cane_gane.methods.method import Method
from cane_gane.methods.pair_loss import (
    Adam,
    Noise,
    logistic_gradients,
    small_table,
    with_negatives,
)
from cane_gane.progress import counted
from cane_gane.serving.table import VectorTable
from cane_gane.training.room import check_room

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class LineSettings(Settings):
    """How both halves are trained."""

    dimension: int = setting(
        200, "length of a node vector, half of it for each order", low=2, high=10_000
    )
    negatives: int = setting(5, "negatives for each edge", low=1, high=10**4)
    epochs: int = setting(100, "passes over all edges", low=1, high=10**6)
    learning_rate: float = setting(5e-3, "first step size of Adam", low=0, high=1e3)


@threadpool_limits.wrap(limits=1)  # sums of several threads depend on their number
def proximity_vectors(
    edges: Edges,
    node_count: int,
    order: int,
    dimension: int,
    settings: LineSettings,
    seed: int,
) -> Floats:
    """Trains the vectors of one order of proximity.

    The first order makes u·v of an edge large; the second makes u·c(v) large, where c
    is a separate context vector of each node, so that nodes with the same neighbours
    become similar.

    Args:
        edges: Training edges, `[train, 2]`; their directions are ignored.
        node_count: The number of nodes.
        order: 1 or 2.
        dimension: The number of columns of the result.
        settings: How it is trained.
        seed: The seed of the start and the negatives.

    Returns:
        Vectors of length 1, `[nodes, dimension]`; NaN for a node without an edge.
    """
    rng = np.random.default_rng([seed, order])
    both = np.concatenate([edges, edges[:, ::-1]])
    degrees = np.bincount(both[:, 0], minlength=node_count)
    noise = Noise(degrees)
    own = small_table(node_count, dimension, 0.05, rng)
    context = own if order == 1 else np.zeros_like(own)
    steps = [Adam(own, settings.learning_rate), Adam(context, settings.learning_rate)]
    for epoch in counted(f"LINE, order {order}", settings.epochs):
        pairs = with_negatives(both, settings.negatives, noise, rng)
        by_own, by_context = logistic_gradients(own, context, *pairs)
        left = 1 - epoch / settings.epochs
        if order == 1:
            steps[0].step(by_own + by_context, left)
        else:
            steps[0].step(by_own, left)
            steps[1].step(by_context, left)
    own[degrees == 0] = np.nan
    return own / np.maximum(np.linalg.norm(own, axis=1, keepdims=True), 1e-12)


def _memory(split: Split, settings: LineSettings) -> float:
    """Returns the least number of bytes needed."""
    pairs = 2 * len(split.train) * (1 + settings.negatives)
    tables = 4 * 4 * split.network.node_count * settings.dimension
    return tables + pairs * (4.0 * settings.dimension + 20)


def _fit(split: Split, settings: LineSettings, seed: int, _: Path | None) -> Fitted:
    check_room(partial(_memory, split), settings)
    first = settings.dimension // 2
    sizes = (first, settings.dimension - first)
    halves = [
        proximity_vectors(
            split.train, split.network.node_count, order, size, settings, seed
        )
        for order, size in enumerate(sizes, 1)
    ]
    return VectorTable(np.concatenate(halves, axis=1))


LINE = Method(
    "line",
    "LINE",
    "first-order and second-order proximity (Tang 2015)",
    fit=_fit,
    open=VectorTable.open,
    settings=LineSettings,
    paper="line",
)
