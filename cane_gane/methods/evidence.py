"""What speaks for an edge: features of two nodes, from texts and training edges."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.preprocessing import normalize

from cane_gane.data.graph import Edges, neighbours, random_step, reach
from cane_gane.data.tfidf import letter_vectors, one_hop_vectors, tfidf_vectors
from cane_gane.models.start.walks import log_walks, walk_step

Floats = npt.NDArray[np.float32]
Integers = npt.NDArray[np.int64]

NAMES = (
    "words", "word_pairs", "letters", "words_one_hop", "pairs_one_hop", "across",
    "neighbours", "walks", "adamic_adar", "pagerank", "popularity", "degree", "seen",
)  # fmt: skip
_FLOOR = 1e-4
_STEPS = 8  # of the walks that PageRank follows


class Cosines:
    """Sparse vectors of length 1, kept by rows and by columns: products are quick."""

    def __init__(self, vectors: Any) -> None:
        """Takes the vectors, `[nodes, size]`, in any sparse format."""
        self.rows = sparse.csr_array(vectors, dtype=np.float32)
        self.columns = sparse.csr_array(self.rows.T)

    def of(self, sources: Integers, other: Cosines | None = None) -> Floats:
        """Returns those of sources with all nodes, or with other vectors of them."""
        return (self.rows[sources] @ (other or self).columns).toarray()


class TextVectors:
    """The texts of a network as sparse vectors of length 1, which no edge changes."""

    def __init__(self, texts: Sequence[str]) -> None:
        """Takes the texts."""
        self._texts = texts

    @cached_property
    def words(self) -> Cosines:
        """Words."""
        return Cosines(tfidf_vectors(self._texts, fewest=1))

    @cached_property
    def pairs(self) -> Cosines:
        """Words, and pairs of words in a row."""
        return Cosines(tfidf_vectors(self._texts, longest=2, fewest=1))

    @cached_property
    def letters(self) -> Cosines:
        """Runs of four and five letters."""
        return Cosines(letter_vectors(self._texts))

    @cached_property
    def shared(self) -> Any:
        """The words that two texts have at the least, sparse."""
        return tfidf_vectors(self._texts)

    @cached_property
    def shared_pairs(self) -> Any:
        """The same with pairs of words: what the models' own walks read."""
        return tfidf_vectors(self._texts, longest=2)


class Evidence:
    """Features of any two nodes, given training edges; see `NAMES`.

    - `words`, `word_pairs`, `letters`: cosine of the texts.
    - `words_one_hop`, `pairs_one_hop`: cosine of the texts with those of the training
      neighbours added.
    - `across`: how alike each text is to those of the other's neighbours.
    - `neighbours`: how alike the texts of the neighbours of both are.
    - `walks`: log of how often walks over edges and similar texts lead from one to
      the other.
    - `adamic_adar`: log(1 + common neighbours, each over the log of its degree).
    - `pagerank`: log of personalised PageRank over the target's degree.
    - `popularity`, `degree`, `seen`: of the target: log(1 + edges that end there),
      log(1 + neighbours), and whether it has any.

    Attributes:
        texts: The texts.
        node_count: The number of nodes.
        joined: The adjacency of the training edges, `[nodes, nodes]`, sparse.
        step: The same as the chances of a step, rows summing to 1 or 0.
    """

    def __init__(self, texts: TextVectors, train: Edges, node_count: int) -> None:
        """Takes the texts and the only edges that may be looked at."""
        self.texts = texts
        self.node_count = node_count
        self.joined = neighbours(train, node_count)
        self.step = random_step(self.joined)
        self._degrees = np.asarray(self.joined.sum(axis=1)).ravel()
        ends = train[train[:, 0] != train[:, 1], 1]
        self._popularity = np.bincount(ends, minlength=node_count)

    @cached_property
    def text_step(self) -> Any:
        """Where walks over edges and similar texts go next, as the models' own do."""
        return walk_step(self.texts.shared_pairs, self.joined)

    @cached_property
    def _hops(self) -> tuple[Cosines, Cosines]:
        """Words, and pairs of words, with those of the neighbours added."""
        own = self.texts.words.rows, self.texts.pairs.rows
        words, pairs = (Cosines(one_hop_vectors(rows, self.joined)) for rows in own)
        return words, pairs

    @cached_property
    def _near(self) -> Cosines:
        """The pairs of words of the neighbours alone."""
        return Cosines(normalize(self.step @ self.texts.pairs.rows))

    def features(self, sources: Integers) -> Iterator[Floats]:
        """Yields each feature of sources with all nodes, `[sources, nodes]`."""
        texts, near = self.texts, self._near
        for own in (texts.words, texts.pairs, texts.letters, *self._hops):
            yield own.of(sources)
        yield texts.pairs.of(sources, near) + near.of(sources, texts.pairs)
        yield near.of(sources)
        yield log_walks(self.text_step, sources).T
        weights = sparse.diags_array(1 / np.log(np.maximum(self._degrees, 2)))
        shared = self.joined[sources] @ weights @ self.joined
        yield np.log1p(shared.toarray()).astype(np.float32)
        visits = reach(self.step, sources, _STEPS) / np.maximum(self._degrees, 1)
        yield np.log(visits + _FLOOR).astype(np.float32)
        for column in (
            np.log1p(self._popularity), np.log1p(self._degrees), self._degrees > 0
        ):  # fmt: skip
            row = np.asarray(column, np.float32)
            yield np.broadcast_to(row, (len(sources), self.node_count))

    def rows(self, sources: Integers) -> Floats:
        """Returns the features of sources with all nodes, `[sources, nodes, NAMES]`."""
        return np.stack(list(self.features(sources)), axis=-1)
