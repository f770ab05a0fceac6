"""Sparse rows inside a graph beside scipy, and served evidence beside numpy's."""

import numpy as np
import pytest
import tensorflow as tf
from scipy import sparse

from cane_gane.evidence.additive import Additive
from cane_gane.evidence.large import LargeEvidence, LargeTexts
from cane_gane.evidence.quantities import LARGE_FEATURES
from cane_gane.serving.matrices import MatrixEvidence
from cane_gane.serving.sparse import SparseRows, dot, dot_all
from tests.evidence.networks import NODES, topics

NAMES = tuple(LARGE_FEATURES)
ROWS, SIZE = 12, 40


def drawn(seed, density=0.3):
    found = sparse.random_array(
        (ROWS, SIZE), density=density, rng=np.random.default_rng(seed), format="csr"
    )
    return sparse.csr_array(found, dtype=np.float32)


def pairs(seed=3, count=50):
    drawn = np.random.default_rng(seed).integers(ROWS, size=(2, count))
    return tf.constant(drawn[0]), tf.constant(drawn[1])


def test_entries_are_those_of_the_matrix():
    matrix = drawn(1)
    rows = np.array([3, 0, 3, 11])
    found = SparseRows(matrix).entries(tf.constant(rows))
    dense = np.zeros((len(rows), SIZE), np.float32)
    dense[found.owners, found.columns] = found.values
    np.testing.assert_allclose(dense, matrix[rows].toarray())


def test_single_entries_are_found_and_what_is_not_there_is_0():
    matrix = drawn(2)
    rows, columns = np.divmod(np.arange(ROWS * SIZE), SIZE)
    found = SparseRows(matrix).at(tf.constant(rows), tf.constant(columns))
    np.testing.assert_allclose(found, matrix.toarray().ravel())


@pytest.mark.parametrize("densities", [(0.3, 0.3), (0.05, 0.9), (0.9, 0.05), (0, 0.5)])
def test_products_of_pairs_are_those_of_scipy(densities):
    left, right = (drawn(k, own) for k, own in enumerate(densities))
    sources, targets = pairs()
    found = dot(SparseRows(left), SparseRows(right), sources, targets)
    expected = (left @ right.T).toarray()[sources, targets]
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_a_row_times_all_rows_is_that_of_scipy():
    left, right = drawn(5), drawn(6)
    for source in range(ROWS):
        found = dot_all(
            SparseRows(left), SparseRows(right.T), tf.constant(source), ROWS
        )
        expected = (left @ right.T).toarray()[source]
        np.testing.assert_allclose(found, expected, atol=1e-6)


def test_a_matrix_without_entries_is_one_of_zeros():
    empty = SparseRows(sparse.csr_array((ROWS, SIZE)))
    sources, targets = pairs()
    assert not dot(empty, SparseRows(drawn(1)), sources, targets).numpy().any()
    assert not empty.at(sources, targets).numpy().any()


@pytest.fixture(scope="module")
def evidence():
    split = topics()
    texts = LargeTexts.fit(split.network.texts, seed=1)
    return LargeEvidence.fit(texts, split.train, seed=1)


@pytest.fixture(scope="module")
def functions():
    rng, count = np.random.default_rng(7), len(NAMES)
    products = rng.standard_normal((count, count))
    products = products + products.T
    np.fill_diagonal(products, 0)
    return Additive(
        NAMES,
        rng.standard_normal((count, 4)),
        rng.standard_normal((count, 3)),
        rng.standard_normal(count),
        products,
        np.array([rng.uniform(-3, -1, count), rng.uniform(1, 3, count)]),
    )


def test_parts_of_pairs_are_those_of_numpy(evidence, functions):
    nodes = np.array([2, 40, 41])
    found = functions.parts(evidence.features(nodes, NAMES))
    served = MatrixEvidence(evidence.matrices, functions)
    source, target = np.repeat(nodes, NODES), np.tile(np.arange(NODES), len(nodes))
    mine = served.of_pairs(tf.constant(source), tf.constant(target)).numpy()
    for place, name in enumerate(NAMES):
        np.testing.assert_allclose(
            mine[:, place], found[name].ravel(), atol=2e-3, err_msg=name
        )


def test_rows_are_sums_of_the_parts_of_pairs(evidence, functions):
    served = MatrixEvidence(evidence.matrices, functions)
    nodes = np.array([7, 0, 88])
    rows = served.rows(tf.constant(nodes)).numpy()
    source, target = np.repeat(nodes, NODES), np.tile(np.arange(NODES), len(nodes))
    parts = served.of_pairs(tf.constant(source), tf.constant(target)).numpy()
    np.testing.assert_allclose(rows.ravel(), parts.sum(axis=1), atol=5e-3)
