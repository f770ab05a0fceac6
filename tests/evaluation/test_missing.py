"""Missing edges by brute force, few of each node, with names, texts and words."""

import itertools

import numpy as np
import pytest

from cane_gane.data.network import TextualNetwork
from cane_gane.evaluation.fitted import VectorFitted
from cane_gane.evaluation.missing import (
    best_pairs,
    few_of_each,
    missing_edges,
    near_pairs,
    shortlist,
    with_words,
)
from cane_gane.evaluation.results import ScoredEdge
from tests.evaluation.stub import NETWORK, Stub, unasked


@pytest.mark.parametrize("block", [75, 1000])
def test_the_shortlist_is_that_of_a_loop_over_all_pairs(monkeypatch, block):
    monkeypatch.setattr("cane_gane.evaluation.missing.BLOCK_CELLS", block)
    rng = np.random.default_rng(0)
    vectors, edges = rng.normal(size=(25, 4)), rng.integers(25, size=(60, 2))
    linked = {frozenset(edge) for edge in edges.tolist()}
    free = [
        p for p in itertools.permutations(range(25), 2) if frozenset(p) not in linked
    ]
    free.sort(key=lambda pair: -vectors[pair[0]] @ vectors[pair[1]])
    found = shortlist(VectorFitted(vectors), edges, 25, 40)
    assert found.tolist() == [list(pair) for pair in free[:40]]


def test_fewer_free_pairs_than_asked_for_are_all_there_are():
    edges = np.array([[0, 1], [2, 1]])
    found = shortlist(VectorFitted(np.ones((3, 2))), edges, 3, 10)
    assert found.tolist() == [[0, 2], [2, 0]]


def test_the_models_own_score_decides_in_the_end():
    pairs = np.array([[0, 1], [0, 2], [1, 2]])
    best, scores = best_pairs(Stub(), pairs, 2)
    assert best.tolist() == [[1, 2], [0, 2]]
    assert scores.tolist() == [3, 2]


def test_of_two_directions_the_better_one_is_shown():
    class Towards(Stub):
        def score(self, pairs):
            return pairs @ np.array([10.0, 1.0])

    pairs = np.array([[0, 1], [1, 0], [0, 2], [2, 1]])
    best, scores = best_pairs(Towards(), pairs, 5)
    assert best.tolist() == [[2, 1], [2, 0], [1, 0]]
    assert scores.tolist() == [21, 20, 10]


def test_an_index_names_the_pairs_of_a_large_network(monkeypatch):
    monkeypatch.setattr("cane_gane.evaluation.missing._BLOCK", 7)
    monkeypatch.setattr("cane_gane.evaluation.missing.NEAREST", 26)
    rng = np.random.default_rng(0)
    vectors, edges = rng.normal(size=(25, 4)), rng.integers(25, size=(60, 2))
    vectors[3] = np.nan
    fitted = VectorFitted(vectors)

    def near(asked, count):
        found = np.argsort(-np.nan_to_num(asked @ np.nan_to_num(vectors).T), axis=1)
        found = np.pad(found, ((0, 0), (0, count - 25)), constant_values=-1)
        found[np.isnan(asked).any(axis=1)] = -1
        return np.where(found == 3, -1, found)

    exact = shortlist(fitted, edges, 25, 1000)
    exact = exact[(exact != 3).all(axis=1)][:40]
    found = near_pairs(fitted, vectors, edges, near, 40)
    scores, expected = (fitted.score(pairs) for pairs in (found, exact))
    np.testing.assert_allclose(scores, expected)
    assert set(map(frozenset, found.tolist())) == set(map(frozenset, exact.tolist()))


def test_missing_edges_are_all_free_pairs_best_first():
    found = missing_edges(Stub(np.eye(4)), NETWORK, unasked)
    shown = [(own.source, own.target, own.score) for own in found]
    assert shown == [(2, 3, 5.0), (1, 3, 4.0), (0, 3, 3.0), (0, 2, 2.0)]
    assert [own.probability for own in found] == [None] * 4


def test_a_missing_edge_has_its_probability_where_there_is_one():
    def chances(pairs):
        return [(0.0, pair[0] / 3) for pair in pairs]

    found = missing_edges(Stub(np.eye(4)), NETWORK, unasked, chances)
    assert [own.probability for own in found] == [0.6667, 0.3333, 0.0, 0.0]


def test_a_missing_edge_has_the_names_texts_and_words_of_its_nodes():
    edge = ScoredEdge(source=2, target=3, score=5.0, probability=0.25)
    (first,) = with_words(Stub(), NETWORK, [edge])
    assert (first.source, first.target, first.score) == (2, 3, 5.0)
    assert first.probability == 0.25
    assert (first.names, first.texts) == (["c", "d"], ["blue sea", "Red fox"])
    pairs = itertools.product(["blue", "sea"], ["red", "fox"])
    assert set(first.words) == {(*pair, 0.25) for pair in pairs}


def test_no_node_is_in_more_than_two_of_those_that_are_shown():
    """Node 0 has the five best pairs: only the first two are shown."""
    pairs = [(0, n) for n in range(1, 6)] + [(1, 2), (1, 3), (4, 5), (4, 6), (7, 4)]
    edges = [ScoredEdge(source=a, target=b, score=-a) for a, b in pairs]
    found = [(own.source, own.target) for own in few_of_each(edges)]
    assert found == [(0, 1), (0, 2), (1, 2), (4, 5), (4, 6)]
    assert few_of_each(edges, 3) == [edges[0], edges[1], edges[5]]


def test_the_missing_edges_of_a_large_network_come_from_the_index(monkeypatch):
    monkeypatch.setattr("cane_gane.evaluation.missing.MOST_CELLS", 15)

    def near(vectors, count):
        return np.array([[3, 1], [0, -1], [1, -1], [0, 2]])

    found = missing_edges(Stub(np.eye(4)), NETWORK, near)
    assert [(edge.source, edge.target) for edge in found] == [(3, 2), (0, 3)]


def test_a_complete_network_has_no_missing_edge():
    network = TextualNetwork(["red", "blue"], np.array([[0, 1]]))
    assert missing_edges(Stub(np.eye(2)), network, unasked) == []
