"""The best of several nodes, and heights in lists, beside loops over all of them."""

import numpy as np
import pytest
from scipy import sparse

from cane_gane.evidence.closest import Levels, best_of
from cane_gane.evidence.features import FEATURES
from tests.evidence.networks import NODES, evidence_of, topics

COUNT = 40


@pytest.fixture(scope="module")
def split():
    return topics()


@pytest.fixture(scope="module")
def features(split):
    """The features of this module and those that they are made of, by name."""
    names = [name for name in FEATURES if "closest" in name or "height" in name]
    names += ["word_pairs", "pairs_one_hop"]
    rows = evidence_of(split).rows(np.arange(NODES), names)
    return dict(zip(names, np.moveaxis(rows, -1, 0), strict=True))


@pytest.fixture(scope="module")
def alike():
    found = np.random.default_rng(0).random((COUNT, COUNT), np.float32)
    return found + found.T


@pytest.fixture(scope="module")
def joined():
    marked = np.random.default_rng(1).random((COUNT, COUNT)) < 0.1
    return sparse.csr_array(np.triu(marked, 1) | np.triu(marked, 1).T)


def test_the_best_of_each_group():
    values = np.array([[3, 1, 2, 5], [0.5, 4, 9, 1]], np.float32)
    groups = sparse.csr_array(np.array([[1, 1, 0, 0], [0, 0, 0, 0], [0, 1, 1, 0]]))
    np.testing.assert_array_equal(best_of(values, groups), [[3, 0, 2], [4, 0, 9]])


def test_no_group_has_a_node():
    found = best_of(np.ones((2, 3), np.float32), sparse.csr_array((4, 3)))
    np.testing.assert_array_equal(found, np.zeros((2, 4)))


def test_closest_nodes_are_those_of_a_loop_over_edges(split, features):
    alike = features["word_pairs"]
    edges = sorted({(u, v) for u, v in split.train.tolist() if u != v})
    for u in (0, 5, 31, 89):
        for v in (3, 8, 40, 77):
            by_target = [alike[w, v] for x, w in edges if x == u and w != v]
            by_source = [alike[u, x] for x, w in edges if w == v and x != u]
            for name, found in (
                ("closest_target", by_target),
                ("closest_source", by_source),
            ):
                assert features[name][u, v] == pytest.approx(
                    max(found, default=0), abs=1e-6
                )


def test_levels_are_those_of_the_first_second_fourth(alike, joined):
    levels = Levels.of_lists(lambda sources: alike[sources], joined).of
    assert levels.shape == (COUNT, 5)
    for node in range(COUNT):
        others = set(range(COUNT)) - set(joined[[node]].indices.tolist()) - {node}
        best = sorted((alike[node, other] for other in others), reverse=True)
        np.testing.assert_array_equal(levels[node], [best[k] for k in (0, 1, 3, 7, 15)])


def test_heights_are_those_of_interpolation(alike, joined):
    levels = Levels.of_lists(lambda sources: alike[sources], joined)
    found = levels.heights(alike, levels.of[:, None])
    for node in range(COUNT):
        known = levels.of[node, ::-1]
        expected = np.interp(alike[node], known, np.arange(len(known)))
        np.testing.assert_allclose(found[node], expected, atol=1e-4)


def test_the_heights_of_source_and_target_change_places(features):
    alike = features["pairs_one_hop"]
    np.testing.assert_allclose(alike, alike.T, atol=1e-5)
    of_targets, of_sources = features["target_height"], features["source_height"]
    np.testing.assert_allclose(of_targets, of_sources.T, atol=2e-3)
    assert not np.allclose(of_targets, of_sources, atol=0.1)


def test_equal_levels_have_finite_heights(joined):
    same = Levels.of_lists(
        lambda sources: np.ones((len(sources), COUNT), np.float32), joined
    )
    values = np.array([[0.5, 1.0, 1.1]], np.float32)
    found = same.heights(values, same.of[:1, None])
    np.testing.assert_array_equal(found, [[0, 0, same.of.shape[1] - 1]])
