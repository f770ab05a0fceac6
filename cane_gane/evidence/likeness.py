"""Similarities of texts: inner products of sparse vectors, kept if memory allows."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from cane_gane.data.tfidf import letter_vectors, shared_words, tfidf_vectors

Floats = npt.NDArray[np.float32]
Integers = npt.NDArray[np.int64]

WHOLE = 6_000  # nodes up to which the products of all pairs are kept: 144 MB


class Likeness:
    """Inner products of sparse vectors, one for each node.

    Attributes:
        vectors: The vectors, `[nodes, size]`, sparse.
    """

    def __init__(self, vectors: Any, whole: bool = True) -> None:
        """Takes the vectors, `[nodes, size]`, in any sparse format.

        Args:
            vectors: The vectors.
            whole: Whether the products of all pairs may be kept.
        """
        self.vectors = sparse.csr_array(vectors, dtype=np.float32)
        self._may_keep = whole

    @cached_property
    def _columns(self) -> Any:
        return sparse.csr_array(self.vectors.T)

    @cached_property
    def _whole(self) -> Floats | None:
        """The products of all pairs, `[nodes, nodes]`, in a small network."""
        if not self._may_keep or self.vectors.shape[0] > WHOLE:
            return None
        return (self.vectors @ self._columns).toarray()

    def rows(self, sources: Integers) -> Floats:
        """Returns the products of sources with all nodes, `[sources, nodes]`."""
        if self._whole is not None:
            return self._whole[sources]
        return (self.vectors[sources] @ self._columns).toarray()

    def of(self, vectors: Any) -> Floats:
        """Returns the products of other vectors with all nodes, `[vectors, nodes]`."""
        return (vectors @ self._columns).toarray()

    def mixed(self, weights: Any) -> Floats:
        """Returns the products of weighted sums of vectors with all nodes.

        Args:
            weights: The weight of each node in each sum, `[sums, nodes]`, sparse.

        Returns:
            The products, `[sums, nodes]`.
        """
        if self._whole is not None:
            return weights.astype(np.float32) @ self._whole
        return ((weights @ self.vectors) @ self._columns).toarray()


class Texts:
    """The texts of a network as sparse vectors, which do not depend on edges."""

    def __init__(self, texts: Sequence[str]) -> None:
        """Takes the texts."""
        self._texts = texts

    def compute(self) -> None:
        """Computes cached vectors in advance, so that threads need not compute them."""
        for kind in (self.words, self.pairs, self.letters, self.shared):
            kind.rows(np.arange(0))

    @cached_property
    def words(self) -> Likeness:
        """TF-IDF of words."""
        return Likeness(tfidf_vectors(self._texts, fewest=1))

    @cached_property
    def pairs(self) -> Likeness:
        """TF-IDF of words and of pairs of adjacent words."""
        return Likeness(tfidf_vectors(self._texts, longest=2, fewest=1))

    @cached_property
    def letters(self) -> Likeness:
        """TF-IDF of runs of four and five characters."""
        return Likeness(letter_vectors(self._texts))

    @cached_property
    def shared(self) -> Likeness:
        """The sum of IDF² over the words that both texts have."""
        return Likeness(shared_words(self._texts))

    @cached_property
    def common_words(self) -> Any:
        """TF-IDF of the words that occur in at least two texts, sparse."""
        return tfidf_vectors(self._texts)


def texts_of(texts: Sequence[str]) -> Texts:
    """Returns texts as vectors; the last are cached for fit and evaluation."""
    return _kept(tuple(texts))


@lru_cache(maxsize=1)
def _kept(texts: tuple[str, ...]) -> Texts:
    return Texts(texts)
