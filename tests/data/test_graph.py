"""Adjacency matrices against sets of pairs, walks against networkx."""

import networkx as nx
import numpy as np
import pytest

from cane_gane.data.graph import (
    adjacency,
    neighbours,
    neighbours_and_itself,
    random_step,
    reach,
    resource_allocation,
)

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


@pytest.fixture(scope="module")
def graph():
    """A connected random graph of 60 nodes: no walk ends at a dead end."""
    return nx.connected_watts_strogatz_graph(60, 5, 0.4, seed=2)


def joined(graph):
    return neighbours(np.array(graph.edges), len(graph))


@pytest.mark.parametrize("source", [0, 17, 59])
@pytest.mark.parametrize(("steps", "error"), [(40, 2e-3), (300, 1e-9)])
def test_many_steps_are_personalised_pagerank(graph, source, steps, error):
    ranks = nx.pagerank(graph, 0.85, {source: 1}, max_iter=1000, tol=1e-14)
    visits = reach(random_step(joined(graph)), np.array([source]), steps)[0]
    start = np.arange(60) == source
    expected = [ranks[node] / 0.15 for node in range(60)] - start
    np.testing.assert_allclose(visits, expected, atol=error, rtol=error)


def test_some_sources_are_the_rows_of_all(graph):
    step = random_step(joined(graph))
    whole = reach(step, np.arange(60), steps=8)
    np.testing.assert_array_equal(reach(step, np.array([5, 3]), steps=8), whole[[5, 3]])


def test_a_node_without_neighbours_reaches_nothing():
    step = random_step(neighbours(EDGES, 5))
    assert step.sum(axis=1).tolist() == [1, 1, 0, 1, 0]
    assert reach(step, np.array([2, 4])).tolist() == [[0] * 5] * 2


def test_resource_allocation_is_networkxs(graph):
    found = resource_allocation(joined(graph), np.arange(60))
    pairs = [(u, v) for u in range(60) for v in range(60) if u != v]
    expected = nx.resource_allocation_index(graph, pairs)
    for u, v, value in expected:
        assert found[u, v] == pytest.approx(value)
