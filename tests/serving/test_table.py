"""A table of vectors as a SavedModel, with and without a form."""

import numpy as np
import pytest
import tensorflow as tf

from cane_gane.serving.table import VectorTable

VECTORS = np.random.default_rng(1).standard_normal((5, 3))
FORM = np.array([[0.0, 1, 0], [0, 0, 2], [3, 0, 0]])
PAIRS = np.array([[0, 1], [1, 0], [2, 4], [3, 3]])


@pytest.mark.parametrize("form", [None, FORM], ids=["plain", "form"])
def test_what_is_opened_scores_as_what_was_saved(form, tmp_path):
    vectors = VECTORS.copy()
    vectors[4] = np.nan
    table = VectorTable(vectors, form)
    between = np.eye(3) if form is None else form
    known = np.nan_to_num(vectors)
    expected = [known[a] @ between @ known[b] for a, b in PAIRS]
    np.testing.assert_allclose(table.score(PAIRS), expected)
    table.save(tmp_path / "saved_model")
    again = VectorTable.open(tmp_path / "saved_model", None, None)
    np.testing.assert_array_equal(again.vectors, vectors)
    np.testing.assert_array_equal(again.score(PAIRS), table.score(PAIRS))
    served = tf.saved_model.load(str(tmp_path / "saved_model")).signatures
    ids = [tf.constant(side, tf.int64) for side in PAIRS.T]
    found = served["score_nodes"](source=ids[0], target=ids[1])["score"]
    np.testing.assert_allclose(found, expected)


def test_a_form_may_tell_source_from_target():
    table = VectorTable(VECTORS, FORM)
    assert table.score(PAIRS[:1]) != table.score(PAIRS[1:2])
    assert table.first_stage is table
