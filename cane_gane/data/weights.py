"""The weights of edges: which values are valid, and the weight of each edge."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cane_gane.data.graph import Edges
from cane_gane.errors import InputError

Weights = npt.NDArray[np.float64]
RULE = "a finite number above 0"


class EdgeWeights:
    """Looks up the weight of an edge by its two nodes."""

    def __init__(self, edges: Edges, weights: Weights) -> None:
        """Takes all edges, `[edges, 2]`, and the weight of each, `[edges]`.

        Raises:
            InputError: An edge occurs twice, with two weights.
        """
        self._count = int(edges.max()) + 1
        keys = self._keys(edges)
        order = np.argsort(keys, kind="stable")
        self._known, self._weights = keys[order], weights[order]
        again = self._known[1:] == self._known[:-1]
        other = np.flatnonzero(again & (self._weights[1:] != self._weights[:-1]))
        if len(other):
            source, target = edges[order[other[0]]].tolist()
            both = " and ".join(f"{self._weights[other[0] + i]:g}" for i in (0, 1))
            raise InputError(
                f"found the edge from node {source} to node {target} with weights "
                f"{both}; expected one weight for an edge: add them up"
            )

    def of(self, edges: Edges) -> Weights:
        """Returns the weights of some of the edges, `[edges]`, in their order.

        Raises:
            InputError: An edge is not among those that have weights.
        """
        keys = self._keys(edges)
        places = np.minimum(np.searchsorted(self._known, keys), len(self._known) - 1)
        strange = np.flatnonzero(
            (self._known[places] != keys) | (edges.max(1) >= self._count)
        )
        if len(strange):
            source, target = edges[strange[0]].tolist()
            raise InputError(
                f"found the edge from node {source} to node {target}, which has no "
                "weight; expected an edge of the network"
            )
        return self._weights[places]

    def _keys(self, edges: Edges) -> Edges:
        return np.asarray(edges[:, 0] * self._count + edges[:, 1])


def as_weights(values: npt.ArrayLike, edge_count: int) -> Weights:
    """Returns weights as an array, `[edges]`.

    Raises:
        InputError: One is not a finite number above 0, or their number is wrong.
    """
    try:
        weights = np.array(values, np.float64)
    except (TypeError, ValueError):
        raise InputError(
            f"found weights that are not numbers; expected {RULE}"
        ) from None
    if weights.shape != (edge_count,):
        raise InputError(
            f"found weights of shape {list(weights.shape)}; expected [{edge_count}], "
            "one for each edge"
        )
    wrong = np.flatnonzero(~is_weight(weights))
    if len(wrong):
        raise InputError(
            f"found weight {weights[wrong[0]]:g} of edge {wrong[0]}; expected {RULE}"
        )
    return weights


def is_weight(values: Weights) -> npt.NDArray[np.bool_]:
    """Marks the values that are valid weights."""
    return np.isfinite(values) & (values > 0)


def refuse_weights(weights: Weights | None) -> None:
    """Refuses weights for upstream's code and for what reproduces it.

    Raises:
        InputError: There are weights.
    """
    if weights is not None:
        # upstream: load_edges reads whole numbers, and InitNegTable takes two of them.
        raise InputError(
            "found weights in graph.txt; expected two columns, which is all that "
            "upstream's code reads: remove the third column, or choose another preset"
        )
