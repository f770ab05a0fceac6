"""Texts as TF-IDF vectors, alone or together with the texts of their neighbours."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.preprocessing import normalize

from cane_gane.data.tokens import CleanTokenizer


def tfidf_vectors(texts: Sequence[str], longest: int = 1, fewest: int = 2) -> Any:
    """Returns L2-normalised TF-IDF vectors of the texts.

    Words are those of the clean tokenizer in lower case, weighted by 1 + log tf.

    Args:
        texts: The texts.
        longest: The longest run of words that counts as a term; single words always do.
        fewest: In how many texts a word must occur. A word of a single text matches
            nothing, but if it counts, it makes the text less similar to all others.

    Returns:
        The vectors, `[nodes, words]`, sparse; zeros for a text without words.
    """
    return _fitted(_word_vectorizer(longest, fewest), texts)


def word_weights(texts: Sequence[str]) -> tuple[list[str], Any]:
    """Returns the words of `tfidf_vectors(texts, fewest=1)`, and the IDF of each.

    Args:
        texts: The texts.

    Returns:
        The words, in lower case, and their IDF, `[words]`; empty without any words.
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
    return _fitted(_shared_vectorizer(), texts)


def letter_vectors(texts: Sequence[str]) -> Any:
    """Returns TF-IDF vectors of runs of four and five characters inside words.

    Args:
        texts: The texts.

    Returns:
        The vectors, `[nodes, runs]`, sparse; zeros for a text without runs.
    """
    return _fitted(_letter_vectorizer(), texts)


def one_hop_vectors(vectors: Any, neighbours: Any) -> Any:
    """Adds the normalised mean of the neighbours' vectors, and normalises again.

    Args:
        vectors: L2-normalised vectors, `[nodes, size]`, sparse.
        neighbours: Adjacency, `[nodes, nodes]`, sparse.

    Returns:
        The vectors, `[nodes, size]`, sparse. A node without neighbours keeps its own
        vector.
    """
    # The sum serves as the mean, since it is normalised.
    return normalize(vectors + normalize(neighbours @ vectors))


class TextSpace:
    """Vectors of texts, and of further texts in terms of the same words.

    Attributes:
        vectors: The vectors of the texts, `[texts, words]`, sparse.
    """

    def __init__(self, kind: str, vectors: Any, words: Sequence[str], idf: Any) -> None:
        """Takes what `fit` found.

        Args:
            kind: A key of `SPACES`.
            vectors: The vectors, `[texts, words]`, sparse.
            words: The words, or runs of words or characters; may be empty.
            idf: The IDF of each, `[words]`.
        """
        self.kind, self.vectors = kind, sparse.csr_array(vectors, dtype=np.float32)
        self.words, self.idf = words, np.asarray(idf)
        self._vectorizer = SPACES[kind]()
        if len(words):
            self._vectorizer.set_params(vocabulary=list(words), min_df=1)
            self._vectorizer.idf_ = self.idf

    @classmethod
    def fit(cls, kind: str, texts: Sequence[str]) -> TextSpace:
        """Fits one of `SPACES` on texts."""
        vectorizer = SPACES[kind]()
        vectors = _fitted(vectorizer, texts)
        if not hasattr(vectorizer, "vocabulary_"):
            return cls(kind, vectors, (), np.zeros(0))
        words = vectorizer.get_feature_names_out().tolist()
        return cls(kind, vectors, words, vectorizer.idf_)

    def of(self, texts: Sequence[str]) -> Any:
        """Returns the vectors of other texts, `[texts, words]`, sparse."""
        if not len(self.words):
            return sparse.csr_array((len(texts), self.vectors.shape[1]), dtype="f4")
        return sparse.csr_array(self._vectorizer.transform(texts), dtype=np.float32)


def _shared_vectorizer() -> TfidfVectorizer:
    vectorizer = _word_vectorizer(longest=1, fewest=2)
    return vectorizer.set_params(binary=True, norm=None, sublinear_tf=False)


def _letter_vectorizer() -> TfidfVectorizer:
    return TfidfVectorizer(
        analyzer="char_wb", ngram_range=(4, 5), sublinear_tf=True, min_df=2
    )


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
    except ValueError:  # no word occurs in that many texts
        return sparse.csr_array((len(texts), 1))


# The ways to compare texts, by name.
SPACES: Mapping[str, Callable[[], TfidfVectorizer]] = {
    "words": lambda: _word_vectorizer(longest=1, fewest=1),
    "pairs": lambda: _word_vectorizer(longest=2, fewest=1),
    "letters": _letter_vectorizer,
    "shared": _shared_vectorizer,
    "common": lambda: _word_vectorizer(longest=1, fewest=2),
}
