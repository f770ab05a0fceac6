"""Random walks over the edges of a network; all walks take each step together."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]
Marks = npt.NDArray[np.bool_]


class Walker:
    """Draws walks of node2vec (Grover 2016) over an undirected graph.

    A walk that came from t to v continues to a neighbour x of v with weight 1/p if x is
    t, with weight 1 if x is a neighbour of t, and otherwise with weight 1/q. With
    p = q = 1 these are the walks of DeepWalk (Perozzi 2014).

    A step is drawn uniformly among all neighbours and kept with a probability in
    proportion to its weight, otherwise drawn again. No table of weights is made for
    each edge.
    """

    def __init__(self, joined: Any, p: float = 1.0, q: float = 1.0) -> None:
        """Takes the graph and the two parameters.

        Args:
            joined: 0/1 adjacency, `[nodes, nodes]`, as a symmetric CSR array.
            p: The larger, the less often a walk goes straight back.
            q: The larger, the more a walk stays near the node it came from.
        """
        self._begins = joined.indptr[:-1].astype(np.int64)
        self._degrees = np.diff(joined.indptr).astype(np.int64)
        self._ends = joined.indices.astype(np.int64)
        self._count = joined.shape[0]
        sources = np.repeat(np.arange(self._count), self._degrees)
        self._edges = np.sort(sources * self._count + self._ends)
        self._chances = np.array([1 / p, 1.0, 1 / q]) / max(1 / p, 1.0, 1 / q)
        self._plain = p == q == 1

    @property
    def nodes(self) -> Integers:
        """The nodes with an edge, where walks can start."""
        return np.flatnonzero(self._degrees)

    def walk(self, starts: Integers, length: int, rng: np.random.Generator) -> Integers:
        """Draws a walk from each start.

        Args:
            starts: Nodes with an edge, `[walks]`.
            length: The number of nodes of a walk.
            rng: The source of random numbers.

        Returns:
            The nodes that walks visit, `[walks, length]`.
        """
        found = np.empty((len(starts), length), np.int64)
        found[:, 0] = starts
        for place in range(1, length):
            if place == 1 or self._plain:
                found[:, place] = self._neighbour(found[:, place - 1], rng)
            else:
                before, now = found[:, place - 2], found[:, place - 1]
                found[:, place] = self._biased(before, now, rng)
        return found

    def _neighbour(self, nodes: Integers, rng: np.random.Generator) -> Integers:
        """Returns a neighbour of each node, drawn uniformly."""
        drawn = rng.random(len(nodes)) * self._degrees[nodes]
        return self._ends[self._begins[nodes] + drawn.astype(np.int64)]

    def _biased(
        self, before: Integers, now: Integers, rng: np.random.Generator
    ) -> Integers:
        after = np.empty_like(now)
        pending = np.arange(len(now))
        while len(pending):
            drawn = self._neighbour(now[pending], rng)
            came = before[pending]
            kind = np.where(drawn == came, 0, np.where(self._joins(came, drawn), 1, 2))
            kept = rng.random(len(pending)) < self._chances[kind]
            after[pending[kept]] = drawn[kept]
            pending = pending[~kept]
        return after

    def _joins(self, sources: Integers, targets: Integers) -> Marks:
        """Marks the pairs that are edges."""
        keys = sources * self._count + targets
        at = np.minimum(np.searchsorted(self._edges, keys), len(self._edges) - 1)
        return np.asarray(self._edges[at] == keys)
