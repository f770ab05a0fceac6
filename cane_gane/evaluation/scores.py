"""Scores of a source with all nodes, from vectors: what a ranking needs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from cane_gane.errors import InputError
from cane_gane.evaluation.protocols import Integers, Marks, Protocol

Floats = npt.NDArray[np.float64]

# Sources, `[block]`, to their scores with every node, `[block, nodes]`.
Scorer = Callable[[Integers], Floats]

_BLOCK = 512  # sources that are scored at once


def vector_scorer(vectors: npt.ArrayLike, protocol: Protocol | None = None) -> Scorer:
    """Scores a pair by the inner product of its nodes' vectors.

    A node without a vector (a row of NaN, or no row at the end) gets a zero
    vector. In the upstream protocol no such node is scored or is a negative.

    Args:
        vectors: The vector of each node, `[nodes, size]`.
        protocol: What the scores are for. Given, the vectors are checked
            against it.

    Returns:
        The scorer.

    Raises:
        InputError: There are vectors for more nodes than the network has, a
            node that the upstream protocol needs has none, or one is infinite
            or NaN in part.
    """
    filled = np.array(vectors, np.float64)
    if protocol is not None:
        filled = _fit_to(filled, protocol)
    filled = fill_missing(filled)

    def score(sources: Integers) -> Floats:
        return filled[sources] @ filled.T

    return score


def sparse_scorer(left: Any, right: Any) -> Scorer:
    """Scores the pair (u, w) by the inner product of left[u] and right[w].

    Args:
        left: Sparse, `[nodes, size]`.
        right: Sparse, `[nodes, size]`.

    Returns:
        The scorer.
    """
    rows = sparse.csr_array(left)
    columns = sparse.csr_array(sparse.csr_array(right).T)

    def score(sources: Integers) -> Floats:
        return (rows[sources] @ columns).toarray()

    return score


def score_pairs(scorer: Scorer, pairs: Integers) -> Floats:
    """Scores pairs by a scorer of whole rows.

    Args:
        scorer: Gives the scores of sources with all nodes.
        pairs: Source and target, `[..., 2]`.

    Returns:
        The scores, `[...]`.
    """
    sources, row_of = np.unique(pairs[..., 0], return_inverse=True)
    row_of = row_of.reshape(pairs.shape[:-1])
    scores = np.zeros(pairs.shape[:-1])
    for first in range(0, len(sources), _BLOCK):
        inside = (row_of >= first) & (row_of < first + _BLOCK)
        rows = scorer(sources[first : first + _BLOCK])
        scores[inside] = rows[row_of[inside] - first, pairs[inside][:, 1]]
    return scores


def missing_rows(vectors: npt.NDArray[np.floating]) -> Marks:
    """Marks the rows that hold no vector: all NaN, `[nodes]`."""
    return np.asarray(np.isnan(vectors).all(axis=1))


def fill_missing(vectors: Floats) -> Floats:
    """Returns the vectors with zeros in the rows that hold none.

    Raises:
        InputError: A vector is infinite or NaN in part.
    """
    filled = np.where(missing_rows(vectors)[:, None], 0.0, vectors)
    faulty = ~np.isfinite(filled).all(axis=1)
    if faulty.any():
        node = int(np.argmax(faulty))
        raise InputError(
            f"found {int(faulty.sum())} vectors that are not finite, the first of "
            f"node {node}; expected numbers, or a row of NaN where there is no vector"
        )
    return filled


def _fit_to(vectors: Floats, protocol: Protocol) -> Floats:
    """Pads to the number of nodes, and refuses what belongs to another split."""
    short = protocol.node_count - len(vectors)
    if short < 0:
        raise InputError(
            f"found {len(vectors)} vectors; expected {protocol.node_count}, "
            "one for each node"
        )
    vectors = np.pad(vectors, ((0, short), (0, 0)), constant_values=np.nan)
    needed = protocol.pool if protocol.name == "upstream" else protocol.pool[:0]
    lacking = needed[missing_rows(vectors)[needed]]
    if len(lacking):
        raise InputError(
            f"found no vector for {len(lacking)} nodes with a training edge, the "
            f"first of them {lacking[0]}; expected vectors that were trained on "
            "this split"
        )
    return vectors
