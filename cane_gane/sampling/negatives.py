"""Negatives: nodes drawn by degree^0.75, from upstream's table or without one."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from cane_gane.errors import InputError

POWER = 0.75
TABLE_SIZE = 1_000_000

Integers = npt.NDArray[np.int64]


def noise_table(edges: Integers, size: int = TABLE_SIZE) -> Integers:
    """Builds upstream's table: the share of a node is degree^0.75 over their sum.

    Args:
        edges: Training edges, `[edges, 2]`.
        size: The number of entries.

    Returns:
        Node ids, `[size]`, in upstream's order: by first appearance among all
        sources, then all targets.
    """
    nodes, first_seen, degrees = np.unique(
        edges.T.reshape(-1), return_index=True, return_counts=True
    )
    order = np.argsort(first_seen)
    # math.pow and a running sum, as upstream: np.power differs in the last bit.
    weights = [math.pow(degree, POWER) for degree in degrees[order].tolist()]
    shares = np.cumsum(weights) / np.cumsum(weights)[-1]
    # The entries of a node end at the first i with (i + 1) / size > share.
    ends = np.floor(shares * size).astype(np.int64)
    ends -= ends / size > shares
    ends += (ends + 1) / size <= shares
    # upstream: it advances by one node at a time, so each has at least one entry.
    rank = np.arange(len(nodes))
    starts = np.concatenate([[0], ends[:-1]])
    starts = np.minimum(np.maximum.accumulate(starts - rank) + rank, size)
    return np.repeat(nodes[order], np.diff(starts, append=size))


class NoiseSampler:
    """Draws negatives in proportion to degree^0.75, without a table of a million."""

    def __init__(self, edges: Integers, *, reject_neighbours: bool = False) -> None:
        """Takes the training edges.

        Args:
            edges: Training edges, `[edges, 2]`.
            reject_neighbours: Whether a known neighbour of the source, in either
                direction, is never a negative. The two endpoints never are.

        Raises:
            InputError: Some edge would have no admissible negative.
        """
        self.nodes, degrees = np.unique(edges, return_counts=True)
        weights = degrees**POWER
        self.probabilities = weights / weights.sum()
        self._cumulative = np.cumsum(self.probabilities)
        self._cumulative[-1] = 1.0
        self._span = int(self.nodes.max()) + 1
        both = np.concatenate([edges, edges[:, ::-1]])
        both = both if reject_neighbours else both[:0]
        self._neighbours = np.unique(both[:, 0] * self._span + both[:, 1])
        self._check_that_negatives_exist(edges)

    def sample(
        self, edges: Integers, count: int, generator: np.random.Generator
    ) -> Integers:
        """Draws negatives for each edge.

        Args:
            edges: Edges, `[batch, 2]`.
            count: Negatives for each edge.
            generator: The source of random numbers.

        Returns:
            Node ids, `[batch, count]`.
        """
        sources = np.repeat(edges[:, 0], count)
        targets = np.repeat(edges[:, 1], count)
        negatives = np.empty_like(sources)
        pending = np.arange(len(negatives))
        while len(pending):
            chances = generator.random(len(pending))
            drawn = self.nodes[np.searchsorted(self._cumulative, chances, side="right")]
            negatives[pending] = drawn
            pending = pending[self._rejected(sources[pending], targets[pending], drawn)]
        return negatives.reshape(len(edges), count)

    def _rejected(
        self, sources: Integers, targets: Integers, drawn: Integers
    ) -> npt.NDArray[np.bool_]:
        rejected = (drawn == sources) | (drawn == targets)
        if len(self._neighbours):
            keys = sources * self._span + drawn
            at = np.searchsorted(self._neighbours, keys)
            at = np.minimum(at, len(self._neighbours) - 1)
            rejected |= self._neighbours[at] == keys
        return rejected

    def _check_that_negatives_exist(self, edges: Integers) -> None:
        excluded = np.where(edges[:, 0] == edges[:, 1], 1, 2)
        if len(self._neighbours):
            counts = np.bincount(self._neighbours // self._span, minlength=self._span)
            has_loop = np.isin(edges[:, 0] * (self._span + 1), self._neighbours)
            excluded = counts[edges[:, 0]] + np.where(has_loop, 0, 1)
        if excluded.max() >= len(self.nodes):
            source, target = edges[excluded.argmax()]
            raise InputError(
                f"found no admissible negative for edge {source} {target}: it excludes "
                f"all {len(self.nodes)} nodes of the training edges; expected a larger "
                "network or one with fewer neighbours to reject"
            )
