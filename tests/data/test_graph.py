"""Adjacency matrices against sets of pairs."""

import numpy as np
import pytest

from cane_gane.data.graph import adjacency, neighbours, neighbours_and_itself

EDGES = np.array([[0, 1], [1, 0], [0, 1], [2, 2], [1, 3]])
BETWEEN = {(0, 1), (1, 0), (1, 3), (3, 1)}
LOOP = {(2, 2)}
ITSELF = {(node, node) for node in range(5)}


@pytest.mark.parametrize(
    ("matrix_of", "expected"),
    [
        (adjacency, BETWEEN | LOOP),
        (neighbours, BETWEEN),
        (neighbours_and_itself, BETWEEN | ITSELF),
    ],
)
def test_ones_are_where_edges_are_in_either_direction(matrix_of, expected):
    matrix = matrix_of(EDGES, 5).toarray()
    assert set(zip(*np.nonzero(matrix), strict=True)) == expected
    assert matrix.max() == 1
