"""The largest entries of rows, and walks followed where they most likely are."""

import numpy as np
import pytest
from scipy import sparse

from cane_gane.evidence import pruning
from cane_gane.evidence.pruning import largest_of_rows, visits


def drawn(count=30, density=0.3):
    rng = np.random.default_rng(2)
    found = sparse.random_array((count, count), density=density, rng=rng, format="csr")
    return sparse.csr_array(found, dtype=np.float32)


@pytest.mark.parametrize("count", [1, 3, 30])
def test_the_largest_entries_of_each_row_stay(count):
    matrix = drawn()
    found = largest_of_rows(matrix, count).toarray()
    for mine, row in zip(found, matrix.toarray(), strict=True):
        order = np.argsort(-row, kind="stable")[:count]
        expected = np.zeros_like(row)
        expected[order] = row[order]
        np.testing.assert_array_equal(mine, expected)


def test_of_equal_entries_the_first_stay():
    found = largest_of_rows(sparse.csr_array(np.ones((2, 5))), 2).toarray()
    np.testing.assert_array_equal(found, [[1, 1, 0, 0, 0]] * 2)


def test_nothing_has_no_largest_entries():
    assert largest_of_rows(sparse.csr_array((3, 3)), 2).nnz == 0
    assert largest_of_rows(sparse.csr_array((0, 3)), 2).shape == (0, 3)


def test_visits_are_sums_of_powers_where_all_nodes_are_kept():
    step = drawn() / 20
    expected = sum(np.linalg.matrix_power(step.toarray(), k) for k in range(1, 5))
    found = visits(step, steps=4, kept=30, stage="walks").toarray()
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-7)


def test_what_is_left_out_makes_visits_fewer_and_never_more():
    step = drawn() / 20
    whole = visits(step, steps=4, kept=30, stage="walks").toarray()
    found = visits(step, steps=4, kept=10, stage="walks")
    assert np.diff(found.indptr).max() == 10
    dense = found.toarray()
    assert (dense <= whole + 1e-6).all()
    assert dense.sum() > 0.8 * largest_of_rows(sparse.csr_array(whole), 10).sum()


def test_no_walk_goes_on_from_a_node_that_joins_many(monkeypatch):
    monkeypatch.setattr(pruning, "ANYWHERE", 4)
    path = np.zeros((8, 8), np.float32)
    path[0, 1] = path[2, 3] = path[3, 4] = 0.5
    path[1, 3:8] = 0.1
    found = visits(sparse.csr_array(path), steps=3, kept=8, stage="walks").toarray()
    np.testing.assert_allclose(found[0], [0, 0.5, 0, 0, 0, 0, 0, 0])
    np.testing.assert_allclose(found[1, 3:], path[1, 3:] + [0, 0.05, 0, 0, 0])
    np.testing.assert_allclose(found[2], [0, 0, 0, 0.5, 0.25, 0, 0, 0])
