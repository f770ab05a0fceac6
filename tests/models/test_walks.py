"""Where node vectors start: against dense algebra, and for what they look at."""

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from cane_gane.models.start import walks
from cane_gane.models.start.walks import (
    WALK_NORM,
    popularity,
    turned_to_texts,
    walk_vectors,
)

TOPICS = ["graph edge node path", "matrix vector rank norm", "cell gene protein dna"]


@pytest.fixture(scope="module")
def network():
    """Ninety nodes of three topics, edges inside a topic; the last has none."""
    rng = np.random.default_rng(5)
    texts = [
        " ".join(rng.choice(TOPICS[node % 3].split(), 3)) + f" common w{node // 2}"
        for node in range(90)
    ]
    edges = [(u, v) for u in range(89) for v in rng.integers(0, 29, 3) * 3 + u % 3]
    return texts, np.array([(u, v) for u, v in edges if u != v])


def test_inner_products_are_the_logarithm_of_the_walks(network):
    texts, train = network
    count = len(texts)
    edges = np.zeros((count, count))
    edges[train[:, 0], train[:, 1]] = edges[train[:, 1], train[:, 0]] = 1
    weigh = TfidfVectorizer(sublinear_tf=True, min_df=2, ngram_range=(1, 2))
    own = weigh.fit_transform(texts).toarray()

    def rows(matrix):
        return matrix / np.maximum(np.linalg.norm(matrix, axis=1, keepdims=True), 1e-12)

    def nearest(vectors):
        cosine = vectors @ vectors.T
        np.fill_diagonal(cosine, -np.inf)
        # of two equal last ones either may be taken, so compare by value
        kept = np.where(cosine >= np.sort(cosine)[:, [-15]], cosine, 0)
        return np.maximum(kept, kept.T)

    weights = edges + (nearest(own) + nearest(rows(own + rows(edges @ own)))) / 2
    root = np.sqrt(weights.sum(1))
    walked = np.linalg.inv(np.eye(count) - 0.85 * weights / root / root[:, None])
    logs = np.log(walked + 1e-4)
    values, vectors = np.linalg.eigh(logs - logs.mean())
    expected = rows(vectors[:, values > 0] * np.sqrt(values[values > 0]))
    found = walk_vectors(texts, train, dimension=count, seed=1) / WALK_NORM
    assert (
        np.corrcoef((found @ found.T).ravel(), (expected @ expected.T).ravel())[0, 1]
        > 0.995
    )
    assert np.allclose(np.linalg.norm(found, axis=1), 1, atol=1e-5)


def test_a_node_without_an_edge_is_near_its_topic(network):
    texts, train = network
    vectors = walk_vectors(texts, train, dimension=10, seed=1)
    topics = np.arange(len(texts)) % 3
    similar = vectors @ vectors[89]
    assert min(similar[:89][topics[:89] == 2]) > max(similar[:89][topics[:89] != 2])


def test_the_solver_inverts():
    rng = np.random.default_rng(2)
    weights = rng.random((40, 40)) * (rng.random((40, 40)) < 0.2)
    step = walks.walk_chances(
        walks.sparse.csr_array(np.maximum(weights, weights.T) + np.eye(40))
    )
    sample = np.arange(0, 40, 3)
    expected = np.linalg.inv(np.eye(40) - step.toarray())[:, sample]
    np.testing.assert_allclose(walks._solve(step, sample, 0.85), expected, atol=1e-5)


def test_a_sample_of_nodes_serves_for_all(network, monkeypatch):
    texts, train = network
    whole = walk_vectors(texts, train, dimension=8, seed=1)
    monkeypatch.setattr(walks, "_COLUMNS", 45)
    monkeypatch.setattr(walks, "_CELLS", 45 * len(texts))
    part = walk_vectors(texts, train, dimension=8, seed=1)
    assert not np.array_equal(whole, part)
    both = np.corrcoef((whole @ whole.T).ravel(), (part @ part.T).ravel())
    assert both[0, 1] > 0.97


def test_blocks_of_columns_give_the_same_vectors(network, monkeypatch):
    texts, train = network
    monkeypatch.setattr(walks, "_COLUMNS", 45)
    monkeypatch.setattr(walks, "_CELLS", 45 * len(texts))
    whole = walk_vectors(texts, train, dimension=8, seed=1)
    monkeypatch.setattr(walks, "_CELLS", 0)
    monkeypatch.setattr(walks, "_BLOCK", 7 * len(texts))
    monkeypatch.setattr(walks, "_ROWS", 31)
    parts = walk_vectors(texts, train, dimension=8, seed=1)
    np.testing.assert_allclose(parts @ parts.T, whole @ whole.T, atol=0.05)


def test_the_order_of_nodes_changes_no_vector(network):
    texts, train = network
    own = walks.tfidf_vectors(texts, longest=2)
    step = walks.walk_step(own, walks.neighbours(train, len(texts)))
    whole, space = walks.walk_space(step, 8, seed=1)
    order = np.random.default_rng(5).permutation(len(texts))
    other, same = walks.walk_space(step, 8, seed=1, order=order)
    np.testing.assert_array_equal(space.sample, same.sample)
    np.testing.assert_allclose(other @ other.T, whole @ whole.T, atol=0.05)


def test_a_few_large_eigenvalues_are_those_of_the_dense_solver():
    matrix = np.random.default_rng(3).standard_normal((60, 60))
    matrix = matrix + matrix.T
    values, vectors = walks._largest(matrix, 5, seed=1)
    order = np.argsort(values)
    np.testing.assert_allclose(values[order], np.linalg.eigvalsh(matrix)[-5:])
    np.testing.assert_allclose(matrix @ vectors, vectors * values, atol=1e-8)


def test_popular_nodes_are_those_that_edges_end_at():
    train = np.array([[0, 1], [2, 1], [1, 0], [3, 3], [0, 1]])
    np.testing.assert_allclose(
        popularity(train, 5), [1 + np.log(2), 1 + np.log(4), 1, 1, 1], rtol=1e-6
    )


def test_turning_keeps_inner_products_and_nears_the_texts():
    rng = np.random.default_rng(4)
    texts = rng.standard_normal((50, 6))
    turn, _ = np.linalg.qr(rng.standard_normal((6, 6)))
    texts[:] = texts @ turn @ np.diag([1, 1, 1, 1, 1, 0]) @ turn.T  # one direction free
    walks = ((texts / np.linalg.norm(texts, axis=1, keepdims=True)) @ turn)[:, :5]
    popular = rng.random(50)
    found = turned_to_texts(
        walks.astype(np.float32),
        popular.astype(np.float32),
        texts[:30].astype(np.float32),
    )
    products = walks @ walks.T + np.outer(popular, popular)
    np.testing.assert_allclose(found @ found.T, products, atol=1e-5)
    np.testing.assert_allclose(found @ texts.T, walks @ turn.T[:5] @ texts.T, atol=1e-5)


def test_in_one_dimension_there_is_room_for_popularity_alone(network):
    texts, train = network
    walks = walk_vectors(texts, train, dimension=0, seed=1)
    popular = popularity(train, len(texts))
    found = turned_to_texts(walks, popular, np.ones((30, 1), np.float32))
    np.testing.assert_allclose(np.abs(found[:, 0]), popular, rtol=1e-6)


@pytest.mark.parametrize("texts", [["a b", "a b"], ["a", "b", "c"], ["", ""]])
def test_tiny_and_wordless_networks_have_vectors(texts):
    vectors = walk_vectors(texts, np.array([[0, 1]]), dimension=4, seed=1)
    assert vectors.shape == (len(texts), 4)
    assert np.isfinite(vectors).all()
