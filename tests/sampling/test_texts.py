"""Texts end to end give the rows of the padded matrix."""

import numpy as np
import pytest

from cane_gane.data.tokens import EncodedTexts
from cane_gane.sampling.texts import NodeTexts

LENGTHS = np.array([3, 0, 5, 1])
IDS = np.arange(1, 29, dtype=np.int32).reshape(4, 7)
PADDED = np.where(np.arange(7) < LENGTHS[:, None], IDS, 0)
TEXTS = EncodedTexts.of(PADDED, LENGTHS)


def test_padding_takes_no_room():
    assert len(TEXTS.words) == LENGTHS.sum()
    np.testing.assert_array_equal(TEXTS.ids, PADDED)
    np.testing.assert_array_equal(TEXTS.padded(1, 3), PADDED[1:3])


@pytest.mark.parametrize("width", [None, 7])
@pytest.mark.parametrize("nodes", [[2, 0], [1, 1], [[0, 3], [1, 2]]])
def test_rows_are_those_of_the_padded_matrix(nodes, width):
    expected = PADDED[np.array(nodes)]
    if width is None:
        expected = expected[..., : max(1, LENGTHS[np.array(nodes)].max())]
    found = NodeTexts.of(TEXTS).rows(np.array(nodes), width)
    np.testing.assert_array_equal(found, expected)


def test_texts_without_a_word_are_one_wide():
    empty = EncodedTexts.of(np.zeros((2, 3), np.int32), [0, 0])
    np.testing.assert_array_equal(NodeTexts.of(empty).rows(np.array([1])), [[0]])
    found = NodeTexts.of(TEXTS).rows(np.zeros(0, np.int64))
    assert found.shape == (0, 1)
