"""The order of the training edges and their negatives, epoch by epoch."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Protocol

import numpy as np
import numpy.typing as npt

from cane_gane.errors import InputError
from cane_gane.sampling.negatives import NoiseSampler, noise_table

Integers = npt.NDArray[np.int64]
Weigh = Callable[[Integers], npt.NDArray[np.float64]]


class Sampler(Protocol):
    """The interface of samplers for `edge_batches`.

    Attributes:
        batch_size: The number of edges in a batch.
        negatives: The number of negatives for each edge.
        steps: The number of batches in an epoch.
    """

    batch_size: int
    negatives: int
    steps: int

    def epoch(self, number: int) -> Integers:
        """Returns the edges of an epoch, `[edges, 2 + negatives]`.

        A row is source, target, negatives. The result depends only on the seed and
        `number`, so that a resumed run sees the same batches.
        """


class EdgeSampler:
    """Each epoch has all training edges once, or a sample of them, in its own order."""

    def __init__(
        self,
        edges: Integers,
        *,
        batch_size: int = 64,
        negatives: int = 1,
        reject_neighbours: bool = False,
        edges_per_epoch: int = 0,
        seed: int = 1,
    ) -> None:
        """Takes the training edges.

        Args:
            edges: Training edges, `[edges, 2]`.
            batch_size: Edges in a batch; the last batch may be smaller.
            negatives: Negatives for each edge.
            reject_neighbours: Whether known neighbours of the source are never
                negatives.
            edges_per_epoch: How many edges are drawn for each epoch; 0 takes all.
            seed: The seed of order and negatives.

        Raises:
            InputError: A size is below 1, or some edge has no negative.
        """
        _check_sizes(batch_size=batch_size, negatives=negatives)
        self.batch_size = batch_size
        self.negatives = negatives
        self._drawn = min(edges_per_epoch or len(edges), len(edges))
        self.steps = -(-self._drawn // batch_size)
        self._edges = edges
        self._seed = seed
        self._noise = NoiseSampler(edges, reject_neighbours=reject_neighbours)

    def epoch(self, number: int) -> Integers:
        """Returns the edges of an epoch; see `Sampler`."""
        generator = np.random.default_rng([self._seed, number])
        edges = generator.permutation(self._edges)[: self._drawn]
        drawn = self._noise.sample(edges, self.negatives, generator)
        return np.concatenate([edges, drawn], axis=1)


class UpstreamSampler:
    """CANE's batches, number by number, after `random.seed(seed)`.

    Each edge has one negative from the table, and all batches are whole. An epoch
    shuffles the order of the one before, so asking for a late epoch replays the earlier
    ones first.
    """

    def __init__(self, edges: Integers, *, batch_size: int = 64, seed: int = 1) -> None:
        """Takes the training edges.

        Args:
            edges: Training edges, `[edges, 2]`, in the order of graph.txt.
            batch_size: Edges in a batch.
            seed: The seed of Python's `random`.

        Raises:
            InputError: There is no whole batch, or some edge has no negative.
        """
        _check_sizes(batch_size=batch_size)
        self.batch_size = batch_size
        self.negatives = 1
        self.steps = len(edges) // batch_size
        if not self.steps:
            raise InputError(
                f"found {len(edges)} training edges; expected at least one batch of "
                f"{batch_size}, as upstream drops a partial batch"
            )
        NoiseSampler(edges)  # upstream: it would search for a negative for ever.
        self._edges = edges.tolist()
        self._table = noise_table(edges).tolist()
        self._seed = seed
        self._restart()

    def epoch(self, number: int) -> Integers:
        """Returns the edges of an epoch; see `Sampler`."""
        if number < self._next:
            self._restart()
        while True:
            rows = self._draw()
            self._next += 1
            if self._next > number:
                return rows

    def _restart(self) -> None:
        self._random = random.Random(self._seed)
        self._order = list(self._edges)
        self._next = 0

    def _draw(self) -> Integers:
        self._random.shuffle(self._order)
        rows = []
        for source, target in self._order[: self.steps * self.batch_size]:
            negative = source
            while negative in (source, target):
                negative = self._table[self._random.randint(0, len(self._table) - 1)]
            rows.append((source, target, negative))
        return np.array(rows, np.int64)


def _check_sizes(**sizes: int) -> None:
    for name, size in sizes.items():
        if size < 1:
            raise InputError(f"found {name} {size}; expected at least 1")
