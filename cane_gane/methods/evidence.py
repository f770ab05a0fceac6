"""What speaks for an edge: plain features of two nodes, by texts and edges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.preprocessing import normalize

from cane_gane.data.graph import Edges, neighbours
from cane_gane.data.tfidf import letter_vectors, one_hop_vectors, tfidf_vectors
from cane_gane.models.start.walks import log_walks, walk_step

Floats = npt.NDArray[np.float32]
Integers = npt.NDArray[np.int64]

NAMES = (
    "words", "word_pairs", "letters", "words_one_hop", "pairs_one_hop", "across",
    "neighbours", "walks", "adamic_adar", "pagerank", "popularity", "degree", "seen",
)  # fmt: skip
_GOES_ON, _STEPS = 0.85, 8  # of personalised PageRank
_FLOOR = 1e-4


class TextVectors:
    """The texts of a network as sparse vectors of length 1, which no edge changes.

    Attributes:
        words: Words.
        pairs: Words, and pairs of words in a row.
        letters: Runs of four and five letters.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        """Takes the texts."""
        self.words = tfidf_vectors(texts)
        self.pairs = tfidf_vectors(texts, longest=2)
        self.letters = letter_vectors(texts)


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
    """

    def __init__(self, texts: TextVectors, train: Edges, node_count: int) -> None:
        """Takes the texts and the only edges that may be looked at."""
        self._texts = texts
        self._joined = joined = neighbours(train, node_count)
        degrees = np.asarray(joined.sum(axis=1)).ravel()
        self._degrees = np.maximum(degrees, 1)
        self._mean = sparse.diags_array(1 / self._degrees) @ joined
        self._near = normalize(self._mean @ texts.pairs)
        self._hops = [
            one_hop_vectors(own, joined) for own in (texts.words, texts.pairs)
        ]
        self._step = walk_step(texts.pairs, joined)
        self._weighted = joined @ sparse.diags_array(1 / np.log(np.maximum(degrees, 2)))
        ends = train[train[:, 0] != train[:, 1], 1]
        self._columns = (
            np.log1p(np.bincount(ends, minlength=node_count)),
            np.log1p(degrees),
            (degrees > 0).astype(np.float64),
        )

    def rows(self, sources: Integers) -> Floats:
        """Returns the features of sources with all nodes, `[sources, nodes, NAMES]`."""
        texts, near = self._texts, self._near
        count = len(self._degrees)
        found = np.empty((len(NAMES), len(sources), count), np.float32)
        sides = (texts.words, texts.pairs, texts.letters, *self._hops)
        for place, own in enumerate(sides):
            found[place] = _products(own, own, sources)
        found[5] = _products(texts.pairs, near, sources)
        found[5] += _products(near, texts.pairs, sources)
        found[6] = _products(near, near, sources)
        found[7] = log_walks(self._step, sources).T
        found[8] = np.log1p((self._weighted[sources] @ self._joined).toarray())
        found[9] = np.log(self._reach(sources) / self._degrees + _FLOOR)
        for place, column in enumerate(self._columns, 10):
            found[place] = column
        return np.moveaxis(found, 0, -1)

    def _reach(self, sources: Integers) -> npt.NDArray[np.float64]:
        """Returns personalised PageRank of a few steps, `[sources, nodes]`."""
        return reach(self._mean, sources)


def reach(mean: Any, sources: Integers) -> npt.NDArray[np.float64]:
    """Returns how often random walks from sources come by each node.

    Args:
        mean: The matrix of a step, rows summing to 1, `[nodes, nodes]`, sparse.
        sources: Where the walks start.

    Returns:
        The sum over up to `_STEPS` steps, each with chance `_GOES_ON` of going on,
        `[sources, nodes]`.
    """
    back = sparse.csr_array(mean.T)
    now = np.zeros((mean.shape[0], len(sources)))
    now[sources, np.arange(len(sources))] = 1
    total = np.zeros_like(now)
    for _ in range(_STEPS):
        now = _GOES_ON * (back @ now)
        total += now
    return total.T


def _products(left: Any, right: Any, sources: Integers) -> Any:
    return (left[sources] @ right.T).toarray()
