"""The edges of a network as sparse adjacency matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

Edges = npt.NDArray[np.int64]
Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

PAGERANK_STEPS = 40  # by then 0.85 ** 40 = 0.15 % of the walks continue


def adjacency(edges: Edges, node_count: int) -> Any:
    """Returns the undirected 0/1 adjacency, `[nodes, nodes]`, as a CSR array."""
    return _marked(np.concatenate([edges, edges[:, ::-1]]), node_count)


def directed(edges: Edges, node_count: int) -> Any:
    """Marks the targets of each source except itself, `[nodes, nodes]`, as CSR."""
    return _marked(edges[edges[:, 0] != edges[:, 1]], node_count)


def neighbours(edges: Edges, node_count: int) -> Any:
    """Returns the adjacency without self-loops, `[nodes, nodes]`, as a CSR array."""
    return adjacency(edges[edges[:, 0] != edges[:, 1]], node_count)


def neighbours_and_itself(edges: Edges, node_count: int) -> Any:
    """Marks the neighbours of each node and itself, `[nodes, nodes]`, as CSR."""
    nodes = np.arange(node_count)
    itself = np.stack([nodes, nodes], axis=1)
    return adjacency(np.concatenate([edges, itself]), node_count)


def random_step(joined: Any) -> Any:
    """Returns the probabilities of a random walk's next step, `[nodes, nodes]`, CSR.

    Args:
        joined: Adjacency, `[nodes, nodes]`, sparse.

    Returns:
        The adjacency with rows that sum to 1, or to 0 for a node without neighbours.
    """
    return (sparse.diags_array(1 / np.maximum(_degrees(joined), 1)) @ joined).tocsr()


def reach(
    step: Any, sources: Integers, steps: int = PAGERANK_STEPS, goes_on: float = 0.85
) -> Floats:
    """Returns how often random walks from sources visit each node.

    With many steps this is personalised PageRank divided by 1 - `goes_on`, except that
    the start does not count as a visit.

    Args:
        step: What `random_step` returns.
        sources: Where the walks start, `[sources]`.
        steps: How many steps are followed.
        goes_on: The probability that a walk takes another step.

    Returns:
        The expected numbers of visits after the start, `[sources, nodes]`.
    """
    back = sparse.csr_array(step.T)
    now = np.zeros((step.shape[0], len(sources)))
    now[sources, np.arange(len(sources))] = 1
    total = np.zeros_like(now)
    for _ in range(steps):
        now = goes_on * (back @ now)
        total += now
    return total.T


def resource_allocation(joined: Any, sources: Integers) -> Floats:
    """Returns the sum over common neighbours of 1 / degree, `[sources, nodes]`.

    Args:
        joined: Adjacency, `[nodes, nodes]`, sparse.
        sources: The nodes to compare with all, `[sources]`.
    """
    weights = sparse.diags_array(1 / np.maximum(_degrees(joined), 1))
    return (joined[sources] @ weights @ joined).toarray()


def _marked(pairs: Edges, node_count: int) -> Any:
    ones = np.ones(len(pairs))
    matrix = sparse.csr_array((ones, pairs.T), shape=(node_count, node_count))
    matrix.data[:] = 1  # duplicates were summed
    return matrix


def _degrees(joined: Any) -> Floats:
    return np.asarray(joined.sum(axis=1)).ravel()
