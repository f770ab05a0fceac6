"""Examples of a report: missing edges by brute force, and the map."""

import itertools

import numpy as np
import pytest

from cane_gane.data.network import TextualNetwork
from cane_gane.data.splits import Split
from cane_gane.evaluation.examples import (
    begin_map,
    best_pairs,
    find_examples,
    matched_pair,
    missing_edges,
    near_pairs,
    node_map,
    shortlist,
    word_rarity,
)
from cane_gane.evaluation.fitted import Fitted, VectorFitted
from cane_gane.evaluation.matching import Match
from cane_gane.progress import Stopwatch


@pytest.mark.parametrize("block", [75, 1000])
def test_the_shortlist_is_that_of_a_loop_over_all_pairs(monkeypatch, block):
    monkeypatch.setattr("cane_gane.evaluation.examples.BLOCK_CELLS", block)
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
    monkeypatch.setattr("cane_gane.evaluation.examples._BLOCK", 7)
    monkeypatch.setattr("cane_gane.evaluation.examples.NEAREST", 26)
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


def test_a_word_of_every_text_is_not_rare():
    rarity = word_rarity(["the red fox", "The sea", "the red sea"])
    assert rarity == {
        "the": 0.0,
        "red": pytest.approx(np.log(1.5)),
        "sea": pytest.approx(np.log(1.5)),
        "fox": pytest.approx(np.log(3)),
    }


def test_the_map_keeps_clusters_together_and_skips_nodes_without_a_vector():
    rng = np.random.default_rng(0)
    centres = 10 * np.eye(3)
    vectors = np.repeat(centres, 20, axis=0) + rng.normal(0, 0.1, (60, 3))
    vectors[7] = np.nan
    labels = [(str(node // 20),) for node in range(60)]
    chart = node_map(vectors, labels, seed=1)
    assert chart.nodes == [node for node in range(60) if node != 7]
    places = np.stack([chart.x, chart.y], 1)
    own = np.array(chart.labels)
    distances = np.linalg.norm(places[:, None] - places, axis=2)
    np.fill_diagonal(distances, np.inf)
    assert (own[distances.argmin(1)] == own).all()


def test_the_map_comes_out_the_same_again():
    vectors = np.random.default_rng(0).normal(size=(30, 5))
    first, again = (node_map(vectors, None, 1) for _ in range(2))
    assert first == again
    assert first.labels is None


def test_a_few_nodes_have_no_map():
    assert node_map(np.ones((4, 2)), None, 1) is None


class Stub(Fitted):
    """Stands in for a model: later nodes score higher, all words match alike."""

    reads_texts = True

    def __init__(self, vectors=None):
        self._vectors = vectors

    @property
    def vectors(self):
        return self._vectors

    def score(self, pairs):
        return pairs.sum(axis=1).astype(np.float32)

    def match(self, sources, targets):
        texts = zip(sources, targets, strict=True)
        pairs = [(source.split(), target.split()) for source, target in texts]
        return [Match.cut(a, b, np.ones((len(a), len(b))), None) for a, b in pairs]


def path(lengths):
    """A path through nodes whose texts have these lengths; the last edges are test."""
    texts = [" ".join(["word"] * length) for length in lengths]
    nodes = np.arange(len(lengths))
    edges = np.stack([nodes[:-1], nodes[1:]], axis=1)
    return Split(TextualNetwork(texts, edges), edges[:1], edges[1:])


def test_the_pair_shown_has_texts_of_some_length_where_there_are_any():
    pair = matched_pair(Stub(), path([9, 9, 9, 2, 9, 1]))
    assert (pair.source, pair.target) == (1, 2)
    assert len(pair.plan) == len(pair.source_words) == 9
    assert pair.plan_share == pytest.approx(17 / 81)


def test_short_texts_are_shown_where_there_are_no_others():
    pair = matched_pair(Stub(), path([9, 3, 2, 0, 9, 1]))
    assert (pair.source, pair.target) == (4, 5)


def test_without_words_no_pair_is_shown():
    assert matched_pair(Stub(), path([9, 0, 9, 0])) is None


def unasked(vectors, count):
    raise AssertionError("an index is for large networks")


NETWORK = TextualNetwork(
    ["red fox", "red sea", "blue sea", "Red fox"],
    np.array([[0, 1], [2, 1]]),
    names=["a", "b", "c", "d"],
)


def test_a_missing_edge_has_the_names_texts_and_words_of_its_nodes():
    first, *others = missing_edges(Stub(np.eye(4)), NETWORK, unasked)
    assert (first.source, first.target, first.score) == (2, 3, 5.0)
    assert (first.names, first.texts) == (["c", "d"], ["blue sea", "Red fox"])
    pairs = itertools.product(["blue", "sea"], ["red", "fox"])
    assert set(first.words) == {(*pair, 0.25) for pair in pairs}
    found = [(other.source, other.target) for other in others]
    assert found == [(1, 3), (0, 3), (0, 2)]


def test_a_method_that_reads_no_text_has_missing_edges_without_words():
    split = Split(NETWORK, NETWORK.edges[:1], NETWORK.edges[1:])
    vectors = np.array([[1.0, 0.0], [0.5, 0.0], [0.0, 3.0], [2.0, 1.0]])
    clock = Stopwatch()
    chart = begin_map(vectors, split.network, 1)
    found = find_examples(VectorFitted(vectors), split, chart, clock, unasked)
    assert found.pair is None
    assert found.map is None  # four nodes are too few
    edges = [(edge.source, edge.target, edge.score) for edge in found.missing_edges]
    assert edges == [(2, 3, 3.0), (0, 3, 2.0), (1, 3, 1.0), (0, 2, 0.0)]
    assert [edge.words for edge in found.missing_edges] == [[]] * 4
    assert set(clock.seconds) == {"find missing edges", "draw the map (t-SNE)"}


def test_the_missing_edges_of_a_large_network_come_from_the_index(monkeypatch):
    monkeypatch.setattr("cane_gane.evaluation.examples.MOST_CELLS", 15)

    def near(vectors, count):
        return np.array([[3, 1], [0, -1], [1, -1], [0, 2]])

    found = missing_edges(Stub(np.eye(4)), NETWORK, near)
    assert [(edge.source, edge.target) for edge in found] == [(3, 2), (0, 3)]


def test_a_complete_network_has_no_missing_edge():
    network = TextualNetwork(["red", "blue"], np.array([[0, 1]]))
    assert missing_edges(Stub(np.eye(2)), network, unasked) == []


def test_vectors_that_are_all_alike_have_no_map():
    """Such as those of a network without texts; t-SNE itself would crash on them."""
    assert node_map(np.ones((80, 3)), None, 1) is None
    assert node_map(np.zeros((80, 3)), None, 1) is None
