"""TF-IDF vectors of small texts, by hand."""

import numpy as np
import pytest

from cane_gane.data.graph import neighbours
from cane_gane.data.tfidf import one_hop_vectors, tfidf_vectors

TEXTS = ["red fox", "Red sea", "blue sea", "", "red red fox"]
EDGES = np.array([[0, 1], [1, 0], [1, 2], [3, 3]])


def test_vectors_have_length_one_or_none():
    lengths = np.linalg.norm(tfidf_vectors(TEXTS).toarray(), axis=1)
    assert lengths == pytest.approx([1, 1, 1, 0, 1])


def test_case_does_not_count():
    assert (tfidf_vectors(["Red sea"] * 2) != tfidf_vectors(["red SEA"] * 2)).nnz == 0


def test_words_in_a_row_count_as_one_where_asked():
    texts = ["red sea", "red sea", "sea red"]
    assert tfidf_vectors(texts).shape == (3, 2)
    assert tfidf_vectors(texts, longest=2).shape == (3, 3)


@pytest.mark.parametrize("texts", [["", ""], ["red", "blue"], ["red"]])
def test_texts_that_share_no_word_have_zero_vectors(texts):
    assert tfidf_vectors(texts).count_nonzero() == 0


def test_one_hop_adds_the_normalised_mean_and_normalises():
    own = tfidf_vectors(TEXTS)
    hop = one_hop_vectors(own, neighbours(EDGES, len(TEXTS))).toarray()
    own = own.toarray()
    mean = (own[0] + own[2]) / 2
    expected = own[1] + mean / np.linalg.norm(mean)
    assert hop[1] == pytest.approx(expected / np.linalg.norm(expected))


def test_a_node_without_neighbours_keeps_its_vector():
    own = tfidf_vectors(TEXTS)
    hop = one_hop_vectors(own, neighbours(EDGES, len(TEXTS)))
    assert hop.toarray()[4] == pytest.approx(own.toarray()[4])
