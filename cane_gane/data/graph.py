"""The edges of a network as sparse adjacency matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

Edges = npt.NDArray[np.int64]


def adjacency(edges: Edges, node_count: int) -> Any:
    """Returns the undirected 0/1 adjacency, `[nodes, nodes]`, as a CSR array."""
    sides = np.concatenate([edges, edges[:, ::-1]])
    ones = np.ones(len(sides))
    matrix = sparse.csr_array((ones, sides.T), shape=(node_count, node_count))
    matrix.data[:] = 1  # duplicates were summed
    return matrix


def neighbours(edges: Edges, node_count: int) -> Any:
    """Returns the adjacency without self-loops, `[nodes, nodes]`, as a CSR array."""
    return adjacency(edges[edges[:, 0] != edges[:, 1]], node_count)


def neighbours_and_itself(edges: Edges, node_count: int) -> Any:
    """Marks for each node its neighbours and itself, `[nodes, nodes]`, as CSR."""
    nodes = np.arange(node_count)
    itself = np.stack([nodes, nodes], axis=1)
    return adjacency(np.concatenate([edges, itself]), node_count)
