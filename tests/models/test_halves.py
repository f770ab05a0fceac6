"""The nearest vectors of a large network, against all pairs."""

import numpy as np
import pytest

from cane_gane.models.start import halves
from cane_gane.models.start.halves import in_order, nearest


@pytest.fixture(scope="module")
def vectors():
    """Six hundred vectors of twenty topics, of length 1; the last is 0."""
    rng = np.random.default_rng(1)
    centres = rng.standard_normal((20, 12))
    found = centres[np.arange(600) % 20] + 0.4 * rng.standard_normal((600, 12))
    found /= np.linalg.norm(found, axis=1, keepdims=True)
    found[599] = 0
    return found.astype(np.float32)


def test_trees_find_what_all_pairs_give(vectors, monkeypatch):
    monkeypatch.setattr(halves, "_TOGETHER", 80)
    monkeypatch.setattr(halves, "_ROWS", 70)
    found = nearest(vectors, 10, 1, "texts").toarray()
    cosine = vectors @ vectors.T
    np.fill_diagonal(cosine, -np.inf)
    kept = np.where(cosine >= np.sort(cosine)[:, [-10]], cosine, 0).clip(0)
    expected = np.maximum(kept, kept.T)
    np.testing.assert_array_equal(found, found.T)
    both = (found > 0) & (expected > 0)
    assert both.sum() > 0.97 * (expected > 0).sum()
    np.testing.assert_allclose(found[both], expected[both], atol=1e-5)
    assert (found > 0).sum() < 1.02 * (expected > 0).sum()
    assert not found[599].any()


def test_one_leaf_is_exact(vectors):
    found = nearest(vectors[:200], 10, 1, "texts").toarray()
    cosine = vectors[:200] @ vectors[:200].T
    np.fill_diagonal(cosine, -np.inf)
    kept = np.where(cosine >= np.sort(cosine)[:, [-10]], cosine, 0).clip(0)
    np.testing.assert_allclose(found, np.maximum(kept, kept.T), atol=1e-5)


def test_the_same_seed_gives_the_same_neighbours(vectors, monkeypatch):
    monkeypatch.setattr(halves, "_TOGETHER", 80)
    one, other = (nearest(vectors, 5, 2, "texts") for _ in range(2))
    assert (one != other).nnz == 0


def test_texts_that_are_all_alike_are_joined_with_some(monkeypatch):
    monkeypatch.setattr(halves, "_TOGETHER", 80)
    vectors = np.zeros((500, 4), np.float32)
    vectors[:450, 1] = 1
    found = nearest(vectors, 15, 1, "texts").toarray()
    assert (found[:450] > 0).sum(axis=1).min() >= 15
    assert not found[450:].any()
    assert not found.diagonal().any()


@pytest.mark.parametrize("count", [0, 1])
def test_no_text_is_joined_with_itself_alone(count):
    vectors = np.zeros((3, 2), np.float32)
    vectors[:count, 0] = 1
    assert nearest(vectors, 15, 1, "texts").nnz == 0


def test_in_order_every_vector_comes_once_and_near_ones_together(vectors, monkeypatch):
    monkeypatch.setattr(halves, "_CLOSE", 20)
    order = in_order(vectors, 1)
    np.testing.assert_array_equal(np.sort(order), np.arange(600))
    near = (vectors[order[1:]] * vectors[order[:-1]]).sum(axis=1).mean()
    by_chance = (vectors[1:] * vectors[:-1]).sum(axis=1).mean()
    assert near > by_chance + 0.4
    assert not len(in_order(vectors[:0], 1))
