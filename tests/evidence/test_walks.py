"""Walks, beside the inverse of a dense matrix; the nearest, beside a sort."""

import numpy as np
import pytest
from scipy import sparse

from cane_gane.evidence import walks
from cane_gane.evidence.walks import Walks, nearest

NODES = 60


def symmetric(seed, share=1.0):
    rng = np.random.default_rng(seed)
    drawn = rng.random((NODES, NODES)) * (rng.random((NODES, NODES)) < share)
    return np.maximum(drawn, drawn.T).astype(np.float32)


@pytest.mark.parametrize("count", [1, 7, NODES - 1, NODES + 5])
@pytest.mark.parametrize("cells", [NODES * NODES, 7 * NODES])
def test_each_node_is_joined_with_those_it_is_most_like(count, cells, monkeypatch):
    monkeypatch.setattr(walks, "_CELLS", cells)
    alike = symmetric(1)
    others = alike - 2 * np.eye(NODES, dtype=np.float32)
    cut = np.sort(others, axis=1)[:, -min(count, NODES - 1)][:, None]
    kept = np.where(others >= cut, np.maximum(others, 0), 0)
    found = nearest(lambda sources: alike[sources], NODES, count).toarray()
    np.testing.assert_array_equal(found, np.maximum(kept, kept.T))


def test_nodes_that_are_not_alike_at_all_are_not_joined():
    alike = np.zeros((NODES, NODES), np.float32)
    alike[3, 4] = alike[4, 3] = 0.5
    graph = nearest(lambda sources: alike[sources], NODES, 5)
    assert graph.nnz == 2


def test_a_single_node_is_joined_with_none():
    assert nearest(lambda sources: np.ones((1, 1)), 1, 5).nnz == 0


@pytest.mark.parametrize("goes_on", [0.5, 0.85])
@pytest.mark.parametrize("whole", [NODES, 0])
def test_walks_are_counted_as_the_inverse_counts_them(goes_on, whole, monkeypatch):
    monkeypatch.setattr(walks, "WHOLE", whole)
    joined, ties = (symmetric(1, 0.05) > 0).astype(np.float64), symmetric(2, 0.1)
    weights = joined + ties
    scale = 1 / np.sqrt(np.maximum(weights.sum(axis=1), 1e-12))
    step = goes_on * scale[:, None] * weights * scale
    expected = np.log(np.linalg.inv(np.eye(NODES) - step) + 1e-4)
    found = Walks(sparse.csr_array(joined), sparse.csr_array(ties), goes_on)
    sources = np.array([50, 3, 7])
    np.testing.assert_allclose(found.rows(sources), expected[sources], atol=1e-2)
