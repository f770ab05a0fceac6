"""LSA of a large network, against dense algebra."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer

from cane_gane.models.start import similar
from cane_gane.models.start.similar import text_space


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
