"""The logistic loss of pairs against sampled negatives, and Adam for whole tables."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.special import expit

from cane_gane.sampling.negatives import POWER

Floats = npt.NDArray[np.float32]
Integers = npt.NDArray[np.int64]


class Noise:
    """Draws negatives by degree^0.75, over all nodes that have an edge."""

    def __init__(self, degrees: npt.ArrayLike) -> None:
        """Takes the degree of each node, `[nodes]`, some of them not 0."""
        weights = np.asarray(degrees, np.float64) ** POWER
        self._cumulative = np.cumsum(weights) / weights.sum()
        self._last = int(np.flatnonzero(weights)[-1])

    def draw(self, count: int, rng: np.random.Generator) -> Integers:
        """Draws nodes, `[count]`."""
        found = np.searchsorted(self._cumulative, rng.random(count), side="right")
        return np.minimum(found, self._last)  # the probabilities may sum to less than 1


def small_table(
    rows: int, columns: int, most: float, rng: np.random.Generator
) -> Floats:
    """Returns an initial table: values drawn uniformly from -`most` to `most`."""
    values = rng.uniform(-most, most, (rows, columns))
    return np.asarray(values, np.float32)


def with_negatives(
    pairs: Integers, count: int, noise: Noise, rng: np.random.Generator
) -> tuple[Integers, Integers, Floats]:
    """Adds negatives to pairs: the same sources, with targets drawn at random.

    Args:
        pairs: Sources and targets, `[pairs, 2]`.
        count: Negatives for each pair.
        noise: Draws them.
        rng: The source of random numbers.

    Returns:
        Sources, targets and marks of all pairs, `[pairs * (1 + count)]` each; the mark
        of a true pair is 1, of a negative 0.
    """
    drawn = noise.draw(len(pairs) * count, rng)
    sources = np.concatenate([pairs[:, 0], np.repeat(pairs[:, 0], count)])
    targets = np.concatenate([pairs[:, 1], drawn])
    marks = np.zeros(len(sources), np.float32)
    marks[: len(pairs)] = 1
    return sources, targets, marks


def logistic_gradients(
    left: Floats, right: Floats, sources: Integers, targets: Integers, marks: Floats
) -> tuple[Floats, Floats]:
    """Derivatives of sum -log p, with p = sigmoid(± left[u] · right[v]).

    With G[u, v] the sum of p - mark over the pairs (u, v), they are G right and
    G' left: two products of a sparse matrix.

    Args:
        left: Vectors of sources, `[n, d]`.
        right: Vectors of targets, `[m, d]`.
        sources: Rows of `left`, `[pairs]`.
        targets: Rows of `right`, `[pairs]`.
        marks: 1 for a true pair and 0 for a negative, `[pairs]`.

    Returns:
        The derivatives by both tables, with the same shapes.
    """
    scores = np.einsum("pd,pd->p", left[sources], right[targets])
    slopes = expit(scores) - marks
    shape = (len(left), len(right))
    both = sparse.csr_array((slopes, (sources, targets)), shape=shape)
    return both @ right, both.T @ left


class Adam:
    """Adam (Kingma 2015) on one table; every step changes all rows."""

    def __init__(self, table: Floats, rate: float) -> None:
        """Takes the table, which `step` changes in place, and the step size."""
        self._table, self._rate, self._steps = table, rate, 0
        self._mean, self._square = np.zeros_like(table), np.zeros_like(table)

    def step(self, gradient: Floats, share: float = 1.0) -> None:
        """Takes a step, or a share of one, against a derivative by the table."""
        self._steps += 1
        self._mean += np.float32(0.1) * (gradient - self._mean)
        self._square += np.float32(0.001) * (gradient**2 - self._square)
        mean = self._mean / np.float32(1 - 0.9**self._steps)
        square = self._square / np.float32(1 - 0.999**self._steps)
        rate = np.float32(share * self._rate)
        self._table -= rate * mean / (np.sqrt(square) + np.float32(1e-8))
