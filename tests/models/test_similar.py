"""The nearest texts of a large network, against all pairs and dense algebra."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer

from cane_gane.models.start import similar
from cane_gane.models.start.similar import nearest, text_space


@pytest.fixture(scope="module")
def counts():
    """Three hundred texts of ten topics; the last has no word."""
    rng = np.random.default_rng(1)
    found = rng.poisson(0.1, (300, 120)) * 1.0
    topics = np.arange(300) % 10
    for word in range(12):
        found[np.arange(300), 12 * topics + word] += rng.poisson(0.7, 300)
    found[299] = 0
    return sparse.csr_matrix(found.astype(np.float32))


def test_directions_are_those_of_the_dense_decomposition(counts, monkeypatch):
    monkeypatch.setattr(similar, "_ROWS", 70)
    space = text_space(counts, 10, seed=1)
    dense = TfidfTransformer(sublinear_tf=True).fit_transform(counts).toarray()
    _, values, rows = np.linalg.svd(dense, full_matrices=False)
    image = np.linalg.norm(dense @ space.directions, axis=0)
    np.testing.assert_allclose(image, values[:10], rtol=1e-2)
    # inside the ten leading directions but for what a gap of a few percent leaves
    assert np.linalg.norm(rows[:10] @ space.directions) ** 2 > 0.95 * 10
    lengths = np.linalg.norm(space.vectors(), axis=1)
    np.testing.assert_allclose(lengths[:299], 1, rtol=1e-5)
    assert lengths[299] == 0


def test_the_index_finds_what_all_pairs_give(counts):
    vectors = text_space(counts, 10, seed=1).vectors()
    found = nearest(vectors, 15, 1, "texts").toarray()
    cosine = vectors @ vectors.T
    np.fill_diagonal(cosine, -np.inf)
    kept = np.where(cosine >= np.sort(cosine)[:, [-15]], cosine, 0).clip(0)
    expected = np.maximum(kept, kept.T)
    np.testing.assert_allclose(found, found.T)
    assert ((found > 0) == (expected > 0)).mean() > 0.995
    both = (found > 0) & (expected > 0)
    np.testing.assert_allclose(found[both], expected[both], atol=1e-5)
    assert not found[299].any()


def test_the_same_seed_gives_the_same_index(counts):
    vectors = text_space(counts, 10, seed=1).vectors()
    one, other = (nearest(vectors, 5, 2, "texts") for _ in range(2))
    assert (one != other).nnz == 0


def test_texts_that_are_all_alike_are_joined_with_some():
    vectors = np.zeros((500, 4), np.float32)
    vectors[:450, 1] = 1
    found = nearest(vectors, 15, 1, "texts").toarray()
    assert (found[:450] > 0).sum(axis=1).min() > 0
    assert not found[450:].any()
    assert not found.diagonal().any()


@pytest.mark.parametrize("count", [0, 1])
def test_no_text_is_joined_with_itself_alone(count):
    vectors = np.zeros((3, 2), np.float32)
    vectors[:count, 0] = 1
    assert nearest(vectors, 15, 1, "texts").nnz == 0
