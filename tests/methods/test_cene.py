"""CENE: nodes near their neighbours, and near those that write alike."""

import numpy as np
import pytest

from cane_gane.data.network import TextualNetwork
from cane_gane.data.splits import Split
from cane_gane.methods.cene import CeneSettings, joint_vectors, word_shares

TEXTS = ["red fox den", "fox den red", "blue sea", "sea sand blue", "den red", "", ""]


def fit(train, texts=TEXTS, **settings):
    edges = np.array(train)
    split = Split(TextualNetwork(texts, edges), edges, edges[:0])
    return joint_vectors(split, CeneSettings(dimension=8, **settings), seed=1)


def test_a_text_is_the_mean_of_its_words():
    shares = word_shares(["a b b", "b a", "c"]).toarray()
    np.testing.assert_allclose(shares, [[1 / 3, 2 / 3], [0.5, 0.5], [0, 0]], rtol=1e-6)


@pytest.mark.parametrize("weight", [0.0, 0.1])
def test_a_node_without_an_edge_is_near_those_that_write_alike(weight):
    vectors = fit([[0, 1], [2, 3]], edge_weight=weight)
    near = vectors @ vectors.T
    assert near[4, 0] > near[4, 2] + 0.5
    assert np.isnan(vectors[[5, 6]]).all()  # neither an edge nor a word


def test_with_the_weight_of_edges_alone_neighbours_are_near():
    ring = [[i, (i + 1) % 5] for i in range(5)] + [[i, 5 + i] for i in range(5)]
    vectors = fit(ring, [""] * 10, edge_weight=1.0, negatives=1)
    near = vectors @ vectors.T
    assert near[0, 5] > near[0, 7]
    assert np.isfinite(vectors).all()
