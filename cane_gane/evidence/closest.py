"""Similarity as rank: the best of several nodes, and how far up a list a node is."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from cane_gane.evidence.walks import Rows

Floats = npt.NDArray[np.float32]
Integers = npt.NDArray[np.int64]

_CELLS = 4_000_000  # scores of sources with nodes that are held at once
_NARROW = 1e-6  # levels that are closer than this count as one


def best_of(values: Floats, groups: Any) -> Floats:
    """Returns the largest value of each group.

    Args:
        values: Values of nodes, `[lines, nodes]`.
        groups: The nodes of each group, `[groups, nodes]`, CSR.

    Returns:
        The maxima, `[lines, groups]`; 0 for a group without a node.
    """
    best = np.zeros((len(values), groups.shape[0]), np.float32)
    filled = np.diff(groups.indptr) > 0
    if filled.any():
        starts = groups.indptr[:-1][filled]
        best[:, filled] = np.maximum.reduceat(values[:, groups.indices], starts, axis=1)
    return best


def levels_of(values: Floats) -> Floats:
    """Returns the first, second, fourth … largest value of each list.

    Args:
        values: `[lists, nodes]`.
    """
    count = values.shape[1]
    places = 2 ** np.arange(max(1, count.bit_length() - 1)) - 1
    return np.sort(values, axis=1)[:, ::-1][:, places]


class Levels:
    """The similarity of a node to the first, second, fourth, eighth … of its list.

    Its list has all nodes except itself and its neighbours, the most similar first. Ten
    levels show where in the upper half of 2,000 nodes a value would be.

    Attributes:
        of: The levels, in descending order, `[nodes, levels]`.
    """

    def __init__(self, of: Floats) -> None:
        """Takes the levels, `[nodes, levels]`."""
        self.of = of

    @classmethod
    def of_lists(cls, rows: Rows, joined: Any) -> Levels:
        """Finds the levels of all nodes.

        Args:
            rows: The similarity of sources to all nodes, `[sources, nodes]`.
            joined: Adjacency of the training edges, `[nodes, nodes]`, CSR.
        """
        count = joined.shape[0]
        found = []
        step = max(1, _CELLS // max(1, count))
        for first in range(0, count, step):
            sources = np.arange(first, min(first + step, count))
            values = rows(sources).copy()
            values[joined[sources].nonzero()] = 0
            values[np.arange(len(sources)), sources] = 0
            found.append(levels_of(values))
        return cls(np.concatenate(found))

    def heights(self, values: Floats, levels: Floats) -> Floats:
        """Returns how often the rank halves from the last level up to each value.

        The height is 0 at the last level, 1 at the one before, and linear in between.
        From the first level upwards it is the number of levels minus 1.

        Args:
            values: Values in lists, `[lines, nodes]`.
            levels: The levels of the lists, `[lines, 1, levels]` or
                `[1, nodes, levels]`.

        Returns:
            The heights, `[lines, nodes]`.
        """
        total = np.zeros_like(values)
        for place in range(levels.shape[-1] - 1):
            low = levels[..., place + 1]
            width = np.maximum(levels[..., place] - low, _NARROW)
            total += np.clip((values - low) / width, 0, 1)
        return total
