"""Walks over edges and similar texts, counted from some nodes to all."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve

from cane_gane.evidence.likeness import WHOLE
from cane_gane.models.start.walks import (
    GOES_ON,
    count_walks,
    log_walks,
    walk_chances,
)

Floats = npt.NDArray[np.float32]
Integers = npt.NDArray[np.int64]
Rows = Callable[[Integers], Floats]

SIMILAR = 15  # similar texts that each node is joined with
_CELLS = 8_000_000  # scores of sources with nodes that are held at once
_FLOOR = np.float32(1e-4)  # with fewer walks, two nodes are as far apart as any
_SWEEPS = 48  # of an iterative solver that agrees with the exact one


def nearest(rows: Rows, node_count: int, count: int) -> Any:
    """Joins each node with the nodes most similar to it.

    Args:
        rows: The similarity of sources to all nodes, `[sources, nodes]`.
        node_count: The number of nodes.
        count: The number of nodes that each is joined with.

    Returns:
        Their similarities, `[nodes, nodes]`, sparse; the larger of both directions.
    """
    count = min(count, node_count - 1)
    if count < 1:
        return sparse.csr_array((node_count, node_count), dtype=np.float32)
    step = max(1, _CELLS // node_count)
    columns, values = [], []
    for first in range(0, node_count, step):
        sources = np.arange(first, min(first + step, node_count))
        block = rows(sources).copy()
        block[np.arange(len(sources)), sources] = -np.inf
        best = np.argpartition(-block, count - 1, axis=1)[:, :count]
        columns.append(best)
        values.append(np.take_along_axis(block, best, axis=1))
    data = np.maximum(np.concatenate(values).ravel(), 0)
    starts = np.arange(0, node_count * count + 1, count)
    graph = sparse.csr_array(
        (data, np.concatenate(columns).ravel(), starts), (node_count, node_count)
    )
    graph.sort_indices()
    graph.eliminate_zeros()
    return graph.maximum(graph.T)


class Walks:
    """Walks over edges and weaker ties, such as those between similar texts.

    Attributes:
        step: What `walk_chances` returned, `[nodes, nodes]`, sparse.
    """

    def __init__(
        self, joined: Any, ties: Any, goes_on: float = GOES_ON, whole: bool = True
    ) -> None:
        """Takes the ties that walks may follow.

        Args:
            joined: Adjacency of the training edges, `[nodes, nodes]`, sparse.
            ties: Weights of other ties, `[nodes, nodes]`, sparse and symmetric.
            goes_on: The probability that a walk takes another step.
            whole: Whether the matrix of all pairs may be kept, for many sources.
        """
        weights = joined + ties
        self.step = walk_chances(weights, goes_on)
        self._sums = np.asarray(weights.sum(axis=1)).ravel()
        self._goes_on = goes_on
        self._whole = whole

    @cached_property
    def _factor(self) -> Any:
        """The Cholesky factor of 1 - step."""
        inner = np.eye(self.step.shape[0], dtype=np.float32)
        inner -= self.step.toarray()
        return cho_factor(inner, lower=True, overwrite_a=True, check_finite=False)

    def rows(self, sources: Integers) -> Floats:
        """Returns log R between sources and all nodes; R = (1 - step)^-1.

        Args:
            sources: Nodes, `[sources]`.

        Returns:
            The logarithms, `[sources, nodes]`, of R with a floor of 1e-4.
        """
        count = self.step.shape[0]
        if count > WHOLE:
            return log_walks(self.step, sources, self._goes_on).T
        starts = np.zeros((count, len(sources)), np.float32)
        starts[sources, np.arange(len(sources))] = 1
        if not self._whole:
            counted = count_walks(self.step, starts, self._goes_on, _SWEEPS)
            return np.log(counted.T + _FLOOR)
        counted = cho_solve(self._factor, starts, overwrite_b=True, check_finite=False)
        return np.log(np.maximum(counted.T, 0) + _FLOOR)

    def from_new(self, weights: Floats) -> Floats:
        """Returns log R between a new node and all nodes.

        Its ties do not change the probabilities between other nodes. With b = c B of
        the new node, R_x = R b / (1 - b R b).

        Args:
            weights: The weights of its edges and other ties, `[nodes]`.

        Returns:
            The logarithms, `[nodes]`, of R with a floor of 1e-4.
        """
        total = max(float(weights.sum()), 1e-12)
        scale = np.sqrt(total * np.maximum(self._sums + weights, 1e-12))
        step = (self._goes_on * weights / scale).astype(np.float32)
        counted = count_walks(self.step, step[:, None], self._goes_on, _SWEEPS)[:, 0]
        back = min(float(step @ counted), 0.99)
        return np.log(counted / (1 - back) + _FLOOR)
