"""Evidence of a large network, beside that of a small one and beside dense algebra."""

import numpy as np
import pytest

from cane_gane.evidence import large
from cane_gane.evidence.features import FLOOR, Evidence
from cane_gane.evidence.large import LargeEvidence, LargeTexts
from cane_gane.evidence.likeness import Texts
from cane_gane.evidence.quantities import FEW, LARGE_FEATURES, SPARSE
from cane_gane.evidence.walks import Walks
from tests.evidence.networks import NODES, topics

NAMES = tuple(LARGE_FEATURES)
SAME = (
    "words", "word_pairs", "shared_words", "pairs_one_hop", "across", "neighbours",
    "adamic_adar", "popularity", "degree", "out_degree", "seen",
)  # fmt: skip
NODES_ASKED = np.array([2, 40, 4])


@pytest.fixture(scope="module")
def split():
    return topics()


@pytest.fixture(scope="module")
def texts(split):
    return LargeTexts.fit(split.network.texts, seed=1)


@pytest.fixture(scope="module")
def evidence(split, texts):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(large, "KEPT", NODES)
        return LargeEvidence.fit(texts, split.train, seed=1)


@pytest.fixture(scope="module")
def small(split):
    return Evidence(Texts(split.network.texts), split.train, NODES)


@pytest.mark.parametrize("name", SAME)
def test_a_feature_is_that_of_a_small_network(evidence, small, name):
    (mine,) = evidence.features(NODES_ASKED, [name])
    (theirs,) = small.features(NODES_ASKED, [name])
    np.testing.assert_allclose(mine, theirs, atol=2e-5)


def test_pagerank_is_that_of_a_small_network_but_for_its_floor(evidence, small):
    (mine,) = evidence.features(NODES_ASKED, ["pagerank"])
    (theirs,) = small.features(NODES_ASKED, ["pagerank"])
    chances = [np.exp(mine) - FEW, np.exp(theirs) - FLOOR]
    np.testing.assert_allclose(*chances, atol=1e-5)


def test_visits_are_pagerank_times_degrees(evidence, small):
    (mine,) = evidence.features(NODES_ASKED, ["visits"])
    (chances,) = small.features(NODES_ASKED, ["pagerank"])
    expected = (np.exp(chances) - FLOOR) * np.maximum(small.degrees, 1)
    np.testing.assert_allclose(np.exp(mine) - 10 * FEW, expected, atol=1e-4)


def test_walk_vectors_give_the_logarithms_of_walks_but_for_their_mean(evidence):
    walks = Walks(evidence.matrices["joined"], evidence.ties)
    (mine,) = evidence.features(NODES_ASKED, ["walks"])
    theirs = walks.rows(NODES_ASKED)
    assert np.corrcoef(mine.ravel(), theirs.ravel())[0, 1] > 0.99


def test_shares_of_similar_nodes_are_counted(evidence, split):
    (mine,) = evidence.features(NODES_ASKED, ["similar_sources"])
    alike = evidence.matrices["alike"].toarray()
    edges = np.zeros((NODES, NODES))
    edges[tuple(split.train[split.train[:, 0] != split.train[:, 1]].T)] = 1
    expected = np.log(alike[NODES_ASKED] @ edges + 1e-3)
    np.testing.assert_allclose(mine, expected, atol=1e-4)
    np.testing.assert_allclose(alike.sum(axis=1), 1, atol=1e-5)


def test_what_is_left_out_is_small(split, texts):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(large, "KEPT", 12)
        patch.setattr(large, "WORDS", 8)
        few = LargeEvidence.fit(texts, split.train, seed=1)
    assert np.diff(few.matrices["visits"].indptr).max() == 12
    assert np.diff(few.matrices["near"].indptr).max() == 8
    for name in SPARSE:
        assert np.isfinite(few.matrices[name].data).all()
    for own in few.features(NODES_ASKED, NAMES):
        assert np.isfinite(own).all()


@pytest.mark.parametrize("train", [[], [[0, 1]], [[3, 3]]])
def test_few_edges_are_finite(texts, train):
    edges = np.array(train, np.int64).reshape(-1, 2)
    found = LargeEvidence.fit(texts, edges, seed=1)
    for own in found.features(NODES_ASKED, NAMES):
        assert np.isfinite(own).all()
