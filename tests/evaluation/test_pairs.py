"""Pairs of texts that show what a model matches: scored high, few equal words."""

import numpy as np
import pytest

from cane_gane.data.network import TextualNetwork
from cane_gane.data.splits import Split
from cane_gane.evaluation.matching import word_rarity
from cane_gane.evaluation.pairs import telling_pairs
from cane_gane.evaluation.results import ScoredEdge
from tests.evaluation.stub import Stub


def test_a_word_of_every_text_is_not_rare():
    rarity = word_rarity(["the red fox", "The sea", "the red sea"])
    assert rarity == {
        "the": 0.0,
        "red": pytest.approx(np.log(1.5)),
        "sea": pytest.approx(np.log(1.5)),
        "fox": pytest.approx(np.log(3)),
    }


def path(lengths):
    """A path through nodes whose texts have these lengths; the last edges are test."""
    texts = [" ".join(["word"] * length) for length in lengths]
    nodes = np.arange(len(lengths))
    edges = np.stack([nodes[:-1], nodes[1:]], axis=1)
    return Split(TextualNetwork(texts, edges), edges[:1], edges[1:])


def shown(lengths):
    return [(own.source, own.target) for own in telling_pairs(Stub(), path(lengths))]


def test_pairs_have_texts_of_some_length_where_there_are_any():
    assert shown([9, 9, 9, 2, 9, 1]) == [(1, 2)]
    (pair,) = telling_pairs(Stub(), path([9, 9, 9, 2, 9, 1]))
    assert len(pair.plan) == len(pair.source_words) == 9
    assert pair.plan_share == pytest.approx(17 / 81)
    assert pair.score == 3.0


def test_short_texts_are_shown_where_there_are_no_others():
    assert shown([9, 3, 2, 0, 9, 1]) == [(4, 5), (1, 2)]


def test_without_words_no_pair_is_shown():
    assert shown([9, 0, 9, 0]) == []


def test_no_node_is_in_two_pairs():
    assert shown([9] * 6) == [(4, 5), (2, 3)]


def network_of(count):
    """Pairs of nodes; those of pair i have i of their nine words in common."""
    texts = []
    for i in range(count):
        equal = [f"equal{i}{k}" for k in range(i)]
        for side in "ab":
            texts.append(" ".join([*equal, *(f"{side}{i}{k}" for k in range(9 - i))]))
    edges = np.arange(2 * count).reshape(-1, 2)
    return TextualNetwork(texts, edges)


def test_those_with_the_fewest_equal_words_come_first():
    network = network_of(8)
    split = Split(network, network.edges[:0], network.edges)
    found = telling_pairs(Stub(), split)
    assert [own.equal_words for own in found] == list(range(8))
    assert found[3].source_words[:3] == ["equal30", "equal31", "equal32"]


def test_only_those_that_score_high_are_looked_at(monkeypatch):
    """Later nodes score higher: of eight pairs the last two, whatever their words."""
    monkeypatch.setattr("cane_gane.evaluation.pairs.PAIRS", 2)
    network = network_of(8)
    split = Split(network, network.edges[:0], network.edges)
    found = telling_pairs(Stub(), split)
    assert [(own.source, own.target) for own in found] == [(12, 13), (14, 15)]


def test_without_test_edges_missing_ones_are_matched():
    network = network_of(4)
    split = Split(network, network.edges, network.edges[:0])
    missing = [ScoredEdge(source=0, target=3, score=1.0)]
    (pair,) = telling_pairs(Stub(), split, missing)
    assert (pair.source, pair.target, pair.equal_words) == (0, 3, 0)
    assert telling_pairs(Stub(), split) == []


def test_weights_of_long_texts_are_kept_for_the_words_that_are_shown():
    _, pair = telling_pairs(Stub(), path([9, 300, 300, 9, 9]))
    assert len(pair.source_words) == 300
    assert np.shape(pair.plan) == (40, 40)
    assert pair.entries == 599
