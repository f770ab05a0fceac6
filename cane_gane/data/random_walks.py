"""Random walks over the edges of a network, all of them a step at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]
Marks = npt.NDArray[np.bool_]


class Walker:
    """Draws walks of node2vec (Grover 2016) over an undirected graph.

    A walk that came from t to v goes on to a neighbour x of v with a weight of 1/p
    where x is t, of 1 where x is a neighbour of t, and of 1/q elsewhere. With p = q = 1
    these are the walks of DeepWalk (Perozzi 2014).

    A step is drawn among all neighbours alike and kept with a chance in proportion to
    its weight, else drawn again: no table of weights is made for each edge.
    """

    def __init__(self, joined: Any, p: float = 1.0, q: float = 1.0) -> None:
        """Takes the graph and the two parameters.

        Args:
            joined: 0/1 adjacency, `[nodes, nodes]`, as a symmetric CSR array.
            p: How much a walk is kept from going back.
            q: How much it is kept from going on.
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
            length: How many nodes a walk has.
            rng: Where the random numbers come from.

        Returns:
            The nodes that walks come by, `[walks, length]`.
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
        """Returns a neighbour of each node, all alike."""
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
