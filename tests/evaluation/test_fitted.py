"""What a method leaves behind: scores of vectors, and nodes without a vector."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from cane_gane.errors import InputError
from cane_gane.evaluation.fitted import (
    Fitted,
    FunctionFitted,
    SparseFitted,
    VectorFitted,
)

ROOT = Path(__file__).resolve().parents[2]
NONE = [np.nan, np.nan]


def of_rows(vectors):
    """A function of the sources that has the scores of the vectors."""
    return FunctionFitted(lambda sources: vectors[sources] @ vectors.T, len(vectors))


KINDS = pytest.mark.parametrize("kind", [VectorFitted, SparseFitted])
ROWS = pytest.mark.parametrize("kind", [VectorFitted, SparseFitted, of_rows])


@ROWS
def test_a_score_is_the_inner_product(kind):
    fitted = kind(np.array([[1, 2], [3, 4]]))
    assert fitted.score_rows(np.array([1])).tolist() == [[11, 25]]


@KINDS
def test_vectors_are_given_back(kind):
    vectors = np.array([[1.0, 0.0], [3.0, 4.0]], np.float32)
    fitted = kind(vectors)
    assert fitted.vectors.tolist() == vectors.tolist()
    assert fitted.vectors.dtype == np.float32


def test_a_node_without_a_vector_scores_zero():
    fitted = VectorFitted([[1, 2], NONE, [3, 4], NONE])
    scores = fitted.score_rows(np.array([0, 1]))
    assert scores.tolist() == [[5, 0, 11, 0], [0, 0, 0, 0]]
    assert fitted.missing.tolist() == [False, True, False, True]
    assert np.isnan(fitted.vectors[1]).all()


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_vector_that_is_not_finite_is_refused(value):
    with pytest.raises(InputError, match="found a vector of node 1 that is not finite"):
        VectorFitted([[1, 2], [3, value]])


@ROWS
@pytest.mark.parametrize("cells", [1, 60, 1000])
def test_pairs_are_scored_one_by_one_whatever_the_blocks(kind, cells, monkeypatch):
    monkeypatch.setattr("cane_gane.evaluation.fitted.BLOCK_CELLS", cells)
    rng = np.random.default_rng(0)
    vectors, pairs = rng.normal(size=(20, 4)), rng.integers(20, size=(7, 5, 2))
    expected = [[vectors[u] @ vectors[v] for u, v in row] for row in pairs]
    np.testing.assert_allclose(kind(vectors).score(pairs), expected)


@ROWS
@pytest.mark.parametrize("shape", [(0,), (0, 5)])
def test_no_pair_has_no_score(kind, shape):
    assert kind(np.eye(2)).score(np.zeros((*shape, 2), np.int64)).shape == shape


@ROWS
def test_no_block_has_more_cells_than_are_allowed(kind, monkeypatch):
    monkeypatch.setattr("cane_gane.evaluation.fitted.BLOCK_CELLS", 65)
    fitted, sizes = kind(np.ones((20, 3))), []
    rows = fitted.score_rows

    def counted(sources):
        sizes.append(len(sources))
        return rows(sources)

    monkeypatch.setattr(fitted, "score_rows", counted)
    assert [source for source, _ in fitted.in_blocks(np.arange(8))] == list(range(8))
    assert sizes == [3, 3, 2]


def test_a_function_of_rows_has_no_vectors():
    fitted = of_rows(np.eye(4))
    assert fitted.node_count == 4
    assert np.isnan(fitted.vectors).all()
    assert len(fitted.vectors) == 4


class PairsOnly(Fitted):
    """The least that a method can leave behind."""

    vectors = np.eye(2)

    def score(self, pairs):
        return pairs.sum(axis=1)


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("score_texts", (["red fox"], ["blue sea"])),
        ("match", (["red fox"], ["blue sea"])),
        ("embed_texts", (["red fox"],)),
    ],
)
def test_a_method_that_reads_no_text_says_so(name, texts):
    fitted = PairsOnly()
    assert not fitted.reads_texts
    with pytest.raises(InputError, match="found a method that reads no text"):
        getattr(fitted, name)(*texts)


def test_a_method_that_cannot_be_saved_says_so(tmp_path):
    with pytest.raises(InputError, match="found PairsOnly; it cannot be saved"):
        PairsOnly().save(tmp_path / "model")
    assert not list(tmp_path.iterdir())


def test_no_module_of_the_package_loads_tensorflow():
    folder = ROOT / "cane_gane" / "evaluation"
    names = sorted(path.stem for path in folder.glob("[a-z]*.py"))
    assert "evaluate" in names
    lines = [f"import cane_gane.evaluation.{name}" for name in names]
    lines += ["import cane_gane.methods.baselines"]
    check = "import sys; sys.exit('tensorflow' in sys.modules)"
    code = "; ".join([*lines, check])
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False)
    assert done.returncode == 0
