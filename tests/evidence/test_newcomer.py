"""A node that is not there yet, beside the same node in a network that has it."""

import numpy as np
import pytest

from cane_gane.evidence.features import FEATURES, Evidence
from cane_gane.evidence.likeness import Texts
from cane_gane.evidence.newcomer import Newcomer
from cane_gane.evidence.spaces import Spaces
from tests.evidence.networks import NODES, topics

NAMES = tuple(FEATURES)
TEXT, LINKS = "graph path node common w7", [3, 12, 30]
# What the node changes between the others makes no difference to these.
EXACT = {"out_degree", "seen", "adamic_adar", "closest_target"}


@pytest.fixture(scope="module")
def split():
    return topics()


@pytest.fixture(scope="module")
def evidence(split):
    return Evidence(Spaces.fit(split.network.texts), split.train, NODES, whole=False)


@pytest.fixture(scope="module")
def features(evidence):
    found = Newcomer(evidence, TEXT, LINKS).features(NAMES)
    return dict(zip(NAMES, found, strict=True))


@pytest.fixture(scope="module")
def expected(split):
    edges = np.concatenate([split.train, [[NODES, link] for link in LINKS]])
    whole = Evidence(Texts([*split.network.texts, TEXT]), edges, NODES + 1)
    rows = whole.features(np.array([NODES]), NAMES)
    return {name: own[0, :NODES] for name, own in zip(NAMES, rows, strict=True)}


@pytest.mark.parametrize("name", NAMES)
def test_a_feature_is_near_that_of_a_network_with_the_node(features, expected, name):
    mine, theirs = features[name], expected[name]
    assert mine.shape == (NODES,)
    if name in EXACT:
        np.testing.assert_allclose(mine, theirs, atol=0.03)
    else:
        assert np.corrcoef(mine, theirs)[0, 1] > 0.9


def test_links_bring_their_neighbours_nearer(evidence):
    alone = Newcomer(evidence, TEXT, []).walks()
    joined = Newcomer(evidence, TEXT, LINKS).walks()
    assert (joined[LINKS] > alone[LINKS]).all()


def test_no_words_and_no_links_are_finite(evidence):
    for own in Newcomer(evidence, "", []).features(NAMES):
        assert np.isfinite(own).all()


def test_features_without_whole_matrices_are_those_with_them(split, evidence):
    nodes = np.array([2, 40])
    exact = Evidence(Texts(split.network.texts), split.train, NODES)
    pairs = zip(
        evidence.features(nodes, NAMES), exact.features(nodes, NAMES), strict=True
    )
    for mine, theirs in pairs:
        np.testing.assert_allclose(mine, theirs, atol=2e-3)


def test_spaces_and_graphs_survive_as_arrays(split, evidence):
    again = Evidence(
        Spaces.from_arrays(evidence.texts.arrays()), split.train, NODES, whole=False
    )
    again.take(evidence.graphs())
    mine = Newcomer(again, TEXT, LINKS).features(NAMES)
    theirs = Newcomer(evidence, TEXT, LINKS).features(NAMES)
    for left, right in zip(mine, theirs, strict=True):
        np.testing.assert_array_equal(left, right)
