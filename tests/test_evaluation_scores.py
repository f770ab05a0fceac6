"""Scores: what becomes of nodes without a vector."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from cane_gane.errors import InputError
from cane_gane.evaluation.protocols import make_protocols
from cane_gane.evaluation.scores import score_pairs, vector_scorer

ROOT = Path(__file__).resolve().parent.parent
NONE = [np.nan, np.nan]


@pytest.fixture
def protocols():
    """Node 3 has no training edge; 0, 1 and 2 have one."""
    train, test = np.array([[0, 1], [2, 2]]), np.array([[0, 2], [1, 3]])
    return make_protocols(np.concatenate([train, test]), train, test, 4)


def test_a_score_is_the_inner_product():
    scorer = vector_scorer([[1, 2], [3, 4]])
    assert scorer(np.array([1])).tolist() == [[11, 25]]


def test_strict_gives_a_node_without_a_vector_zeros(protocols):
    scorer = vector_scorer([[1, 2], NONE, [3, 4], NONE], protocols["strict"])
    assert scorer(np.array([0, 1])).tolist() == [[5, 0, 11, 0], [0, 0, 0, 0]]


def test_rows_that_are_absent_are_nodes_without_a_vector(protocols):
    scorer = vector_scorer([[1, 2], [0, 1], [3, 4]], protocols["upstream"])
    assert scorer(np.array([0])).tolist() == [[5, 2, 11, 0]]


def test_upstream_refuses_vectors_of_another_split(protocols):
    with pytest.raises(InputError, match=r"no vector for 1 nodes .* first of them 2"):
        vector_scorer([[1, 2], [0, 1], NONE, [3, 4]], protocols["upstream"])


def test_vectors_of_more_nodes_than_there_are_are_refused(protocols):
    with pytest.raises(InputError, match="found 5 vectors; expected 4"):
        vector_scorer(np.ones((5, 2)), protocols["strict"])


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_vector_that_is_not_finite_is_refused(value):
    with pytest.raises(InputError, match=r"found 1 vectors .* the first of node 1"):
        vector_scorer([[1, 2], [3, value]])


def test_pairs_are_scored_one_by_one_whatever_the_blocks(monkeypatch):
    monkeypatch.setattr("cane_gane.evaluation.scores._BLOCK", 3)
    rng = np.random.default_rng(0)
    vectors, pairs = rng.normal(size=(20, 4)), rng.integers(20, size=(7, 5, 2))
    expected = [[vectors[u] @ vectors[v] for u, v in row] for row in pairs]
    scores = score_pairs(vector_scorer(vectors), pairs)
    np.testing.assert_allclose(scores, expected)


def test_no_module_of_the_package_loads_tensorflow():
    modules = "baselines classification matching protocols ranking roc sampled scores"
    lines = [f"import cane_gane.evaluation.{name}" for name in modules.split()]
    check = "import sys; sys.exit('tensorflow' in sys.modules)"
    code = "; ".join([*lines, check])
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False)
    assert done.returncode == 0
