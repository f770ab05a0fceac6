"""Initial word vectors: latent semantic analysis of the texts."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfTransformer
from threadpoolctl import threadpool_limits

from cane_gane.data.tokens import EncodedTexts
from cane_gane.models.start.blocks import blocks

# The initial length of the mean of a text's words, on average.
_TEXT_NORM = 2.0
_ROWS = 20_000  # texts at once


@threadpool_limits.wrap(limits=1)  # sums of several threads depend on their number
def lsa_vectors(
    texts: EncodedTexts, word_count: int, dimension: int, seed: int
) -> npt.NDArray[np.float32]:
    """Latent semantic analysis of the texts themselves: no edge is used.

    Args:
        texts: All texts.
        word_count: The number of rows of the word table.
        dimension: The number of columns of the word table.
        seed: The seed of the randomised decomposition.

    Returns:
        Word vectors, `[word_count, dimension]`; the means of the texts have mean 0.
    """
    counts = word_counts(texts, word_count)
    vectors = np.zeros((word_count, dimension), np.float32)
    rank = min(dimension, min(counts.shape) - 1)
    if rank < 1 or not counts.nnz:
        return vectors
    transformer = TfidfTransformer(sublinear_tf=True).fit(counts)
    weighted = transformer.transform(counts)
    with np.errstate(invalid="ignore"):  # texts that are all equal have no variance
        svd = TruncatedSVD(rank, random_state=seed).fit(weighted)
    # The mean of a text's words is then its LSA vector, up to a factor.
    vectors[:, :rank] = svd.components_.T * transformer.idf_[:, None]
    return centred(vectors, counts)


def centred(vectors: npt.NDArray[np.float32], counts: Any) -> npt.NDArray[np.float32]:
    """Scales word vectors, and removes what all texts have in common.

    Args:
        vectors: The vectors, `[words, dimension]`, which are changed in place.
        counts: How often each text has each word, `[texts, words]`, sparse.

    Returns:
        The vectors; the means of the texts have mean 0 and a fixed mean length.
    """
    total, norms = 0.0, 0.0
    for rows in blocks(counts.shape[0], _ROWS):
        words = np.asarray(counts[rows].sum(axis=1))
        means = np.asarray(counts[rows] @ vectors) / np.maximum(words, 1)
        total = total + means.sum(axis=0)
        norms += float(np.linalg.norm(means, axis=1).sum())
    scale = _TEXT_NORM / max(norms / counts.shape[0], 1e-12)
    # What all texts have in common does not distinguish pairs.
    used = np.asarray(counts.sum(axis=0)).ravel() > 0
    vectors[used] -= total / counts.shape[0]
    return vectors * np.float32(scale)


def word_counts(texts: EncodedTexts, word_count: int, kind: Any = np.float64) -> Any:
    """Returns how often each text has each word, `[texts, words]`, as CSR."""
    given = np.ones(len(texts.words), kind), texts.words.copy(), texts.starts
    counts = sparse.csr_matrix(given, (len(texts), word_count))
    counts.sum_duplicates()
    return counts
