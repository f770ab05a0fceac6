"""Texts as TF-IDF vectors, alone or together with the texts of their neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.preprocessing import normalize

from cane_gane.data.tokens import CleanTokenizer


def tfidf_vectors(texts: Sequence[str], longest: int = 1, fewest: int = 2) -> Any:
    """Returns L2-normalised TF-IDF vectors of the texts.

    Words are those of the clean tokenizer in lower case, counted as 1 + log tf.

    Args:
        texts: The texts.
        longest: How many words in a row may count as one, too.
        fewest: In how many texts a word must be. That of a single text matches
            nothing, but where it counts it makes the text less like all others.

    Returns:
        The vectors, `[nodes, words]`, sparse; zeros for a text without words.
    """
    return _fitted(_word_vectorizer(longest, fewest), texts)


def query_vectors(texts: Sequence[str], queries: Sequence[str]) -> tuple[Any, Any]:
    """Returns TF-IDF vectors of texts, and of queries by the words of the texts.

    Args:
        texts: The texts.
        queries: Other texts.

    Returns:
        What `tfidf_vectors` returns, and vectors of as many columns for the queries.
    """
    vectorizer = _word_vectorizer(longest=1, fewest=2)
    known = _fitted(vectorizer, texts)
    if not hasattr(vectorizer, "vocabulary_"):  # nothing is in two texts
        return known, sparse.csr_array((len(queries), known.shape[1]))
    return known, vectorizer.transform(queries)


def word_weights(texts: Sequence[str]) -> tuple[list[str], Any]:
    """Returns the words of `tfidf_vectors(texts, fewest=1)`, and the IDF of each.

    Args:
        texts: The texts.

    Returns:
        The words, in lower case, and their IDF, `[words]`; none without any word.
    """
    vectorizer = _word_vectorizer(longest=1, fewest=1)
    _fitted(vectorizer, texts)
    if not hasattr(vectorizer, "vocabulary_"):
        return [], np.zeros(0)
    return vectorizer.get_feature_names_out().tolist(), vectorizer.idf_


def shared_words(texts: Sequence[str]) -> Any:
    """Returns vectors whose inner product is the summed IDF² of shared words.

    Args:
        texts: The texts.

    Returns:
        The IDF of each word that a text has, `[nodes, words]`, sparse.
    """
    vectorizer = _word_vectorizer(longest=1, fewest=2)
    vectorizer.set_params(binary=True, norm=None, sublinear_tf=False)
    return _fitted(vectorizer, texts)


def letter_vectors(texts: Sequence[str]) -> Any:
    """Returns the same of runs of four and five letters inside words.

    Args:
        texts: The texts.

    Returns:
        The vectors, `[nodes, runs]`, sparse; zeros for a text without any.
    """
    vectorizer = TfidfVectorizer(
        analyzer="char_wb", ngram_range=(4, 5), sublinear_tf=True, min_df=2
    )
    return _fitted(vectorizer, texts)


def one_hop_vectors(vectors: Any, neighbours: Any) -> Any:
    """Adds the normalised mean of the neighbours' vectors, and normalises again.

    Args:
        vectors: L2-normalised vectors, `[nodes, size]`, sparse.
        neighbours: Adjacency, `[nodes, nodes]`, sparse.

    Returns:
        The vectors, `[nodes, size]`, sparse. A node without neighbours keeps its
        own.
    """
    # The sum will do for the mean: it is normalised.
    return normalize(vectors + normalize(neighbours @ vectors))


def _word_vectorizer(longest: int, fewest: int) -> TfidfVectorizer:
    return TfidfVectorizer(
        tokenizer=CleanTokenizer.split,
        token_pattern=None,
        ngram_range=(1, longest),
        sublinear_tf=True,
        min_df=fewest,
    )


def _fitted(vectorizer: TfidfVectorizer, texts: Sequence[str]) -> Any:
    try:
        return vectorizer.fit_transform(texts)
    except ValueError:  # no word is in as many texts
        return sparse.csr_array((len(texts), 1))
