"""TF-IDF vectors of small texts, by hand and beside scikit-learn's."""

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from cane_gane.data.graph import neighbours
from cane_gane.data.tfidf import (
    SPACES,
    TextSpace,
    letter_vectors,
    one_hop_vectors,
    tfidf_vectors,
)

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


def cosines(vectors):
    return (vectors @ vectors.T).toarray()


@pytest.mark.parametrize(("longest", "fewest"), [(1, 1), (1, 2), (2, 1), (2, 2)])
def test_cosines_are_those_of_scikit_learn(longest, fewest):
    theirs = TfidfVectorizer(
        sublinear_tf=True, ngram_range=(1, longest), min_df=fewest
    ).fit_transform(TEXTS)
    found = tfidf_vectors(TEXTS, longest, fewest)
    assert cosines(found) == pytest.approx(cosines(theirs))


def test_a_word_of_a_single_text_counts_where_asked():
    alone, shared = tfidf_vectors(TEXTS, fewest=1), tfidf_vectors(TEXTS)
    assert (alone.shape[1], shared.shape[1]) == (4, 3)
    assert 0 < cosines(alone)[1, 2] < cosines(shared)[1, 2]


def test_letters_inside_words_match():
    texts = ["networks", "network", "a net work", ""]
    found = cosines(letter_vectors(texts))
    assert 0.5 < found[0, 1] < 1
    assert found[3].tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize("texts", [["", ""], ["abc", "xyz"], ["ab"]])
def test_texts_that_share_no_letters_have_zero_vectors(texts):
    assert letter_vectors(texts).count_nonzero() == 0


def test_queries_are_weighed_by_the_words_of_the_texts():
    queries = ["red fox", "a blue sea", "nothing known", ""]
    space = TextSpace.fit("common", TEXTS)
    known, asked = space.vectors, space.of(queries)
    weigh = TfidfVectorizer(sublinear_tf=True, min_df=2).fit(TEXTS)
    expected = weigh.transform(queries) @ weigh.transform(TEXTS).T
    assert (asked @ known.T).toarray() == pytest.approx(expected.toarray())
    assert abs(known - tfidf_vectors(TEXTS)).max() < 1e-6


@pytest.mark.parametrize("texts", [["", ""], ["red", "blue"], ["red"]])
def test_queries_of_texts_that_share_no_word_find_nothing(texts):
    space = TextSpace.fit("common", texts)
    asked = space.of(["red", "blue", "sea"])
    assert (asked @ space.vectors.T).toarray().tolist() == np.zeros(
        (3, len(texts))
    ).tolist()


@pytest.mark.parametrize("kind", list(SPACES))
def test_a_text_has_the_vector_that_it_has_among_the_others(kind):
    texts = ["red fox runs", "blue sea fox", "red sea red runs", ""]
    space = TextSpace.fit(kind, texts)
    assert abs(space.of(texts) - space.vectors).max() < 1e-6
