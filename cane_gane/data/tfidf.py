"""Texts as TF-IDF vectors, alone or together with the texts of their neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scipy import sparse
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.preprocessing import normalize

from cane_gane.data.tokens import CleanTokenizer


def tfidf_vectors(texts: Sequence[str], longest: int = 1) -> Any:
    """Returns L2-normalised TF-IDF vectors of the texts.

    Words are those of the clean tokenizer in lower case, counted as 1 + log tf.
    A word of a single text is left out, for it matches nothing.

    Args:
        texts: The texts.
        longest: How many words in a row may count as one, too.

    Returns:
        The vectors, `[nodes, words]`, sparse; zeros for a text without words.
    """
    vectorizer = TfidfVectorizer(
        tokenizer=CleanTokenizer.split,
        token_pattern=None,
        ngram_range=(1, longest),
        sublinear_tf=True,
        min_df=2,
    )
    try:
        return vectorizer.fit_transform(texts)
    except ValueError:  # no word is in two texts
        return sparse.csr_array((len(texts), 1))


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
