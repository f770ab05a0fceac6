"""Known-item search: how often the start of a text finds its own node."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from cane_gane.data.network import TextualNetwork
from cane_gane.data.tfidf import TextSpace
from cane_gane.evaluation.fitted import BLOCK_CELLS, Fitted, Floats, Integers
from cane_gane.evaluation.outcomes import places_among
from cane_gane.evaluation.results import Found, Search

QUERIES = 500
MOST = 20_000  # texts that are searched
WORDS = 12  # most words of a query
SHORTLIST = 10  # nodes by text vectors, and as many by TF-IDF, to rank


class TextSearch:
    """Finds the nodes whose texts are most like a text.

    Text vectors and TF-IDF each name the nearest nodes; the text score ranks them.
    """

    def __init__(
        self,
        fitted: Fitted,
        texts: Sequence[str],
        vectors: Floats | None = None,
        space: TextSpace | None = None,
    ) -> None:
        """Takes the method and the texts of the nodes.

        Args:
            fitted: The method, which reads texts.
            texts: The text of each node.
            vectors: Their text vectors, `[nodes, size]`; computed if not given.
            space: Their TF-IDF; computed if not given.
        """
        self._fitted, self._texts = fitted, texts
        self.vectors = fitted.embed_texts(texts) if vectors is None else vectors
        self.space = space or TextSpace.fit("common", texts)
        self._columns = sparse.csr_array(self.space.vectors.T)

    def likeness(self, queries: Sequence[str]) -> tuple[Floats, Floats]:
        """Scores texts with all nodes by text vectors and by TF-IDF."""
        own = self._fitted.embed_texts(queries) @ self.vectors.T
        return own, (self.space.of(queries) @ self._columns).toarray()

    def shortlist(self, likeness: tuple[Floats, Floats], count: int) -> Integers:
        """Returns the nodes that either names, `[queries, up to 2 count]`."""
        count = min(count, len(self._texts))
        best = [np.argsort(-own, axis=1, kind="stable")[:, :count] for own in likeness]
        return np.concatenate(best, axis=1)

    def scores(self, queries: Sequence[str], nodes: Integers) -> Floats:
        """Scores each query with its nodes, `[queries, nodes]`; repeats get -inf."""
        found = self._fitted.score_texts(
            [query for query in queries for _ in range(nodes.shape[1])],
            [self._texts[node] for node in nodes.ravel().tolist()],
        )
        ordered = np.asarray(found, np.float64).reshape(nodes.shape)
        ordered[_repeated(nodes)] = -np.inf  # named by both
        return ordered

    def find(self, query: str, count: int) -> tuple[Integers, Floats]:
        """Returns the nodes most like a text, best first, and their scores."""
        nodes = self.shortlist(self.likeness([query]), max(SHORTLIST, 2 * count))
        scores = self.scores([query], nodes)[0]
        order = np.argsort(-scores, kind="stable")[:count]
        order = order[np.isfinite(scores[order])]
        return nodes[0, order], scores[order]


def known_items(
    fitted: Fitted, network: TextualNetwork, seed: int = 1
) -> Search | None:
    """Searches for nodes by the first sentence, or the first words, of their texts.

    A node that is not on the shortlist of `TextSearch` is not found. Ties get the mean
    place. Of more than `MOST` nodes, `MOST` are drawn, and only these are searched.

    Args:
        fitted: The method.
        network: The network. Its texts are searched unchanged, queries included.
        seed: The seed of the choice of nodes.

    Returns:
        The shares of nodes that come first and among the first ten, for the method and
        for TF-IDF; None if the method does not read texts or there are none.
    """
    if not fitted.reads_texts:
        return None
    texts, rng = network.texts, np.random.default_rng(seed)
    among = None
    if len(texts) > MOST:
        among = MOST
        drawn = np.sort(rng.permutation(len(texts))[:MOST])
        texts = [texts[node] for node in drawn.tolist()]
    nodes = np.array([node for node, text in enumerate(texts) if text.split()])
    if not len(nodes):
        return None
    nodes = np.sort(rng.permutation(nodes)[:QUERIES])
    queries = [first_words(texts[node]) for node in nodes.tolist()]
    search = TextSearch(fitted, texts)
    best: list[Integers] = []
    ours, tfidf = np.zeros((2, len(nodes)))
    step = max(1, BLOCK_CELLS // len(texts))
    for block in (slice(i, i + step) for i in range(0, len(nodes), step)):
        likeness = search.likeness(queries[block])
        best.append(search.shortlist(likeness, SHORTLIST))
        tfidf[block] = _places(likeness[1], nodes[block])
    listed = np.concatenate(best)
    ordered = search.scores(queries, listed)
    itself = listed == nodes[:, None]
    found = itself.any(axis=1)
    ours[~found] = np.inf
    ours[found] = _places(ordered[found], itself[found].argmax(axis=1))
    return Search(len(nodes), *_shares(ours), Found(*_shares(tfidf)), among)


def _repeated(rows: Any) -> Any:
    """Marks values that occur earlier in their row, `[rows, columns]`."""
    before = np.tril(np.ones((rows.shape[1],) * 2, np.bool_), -1)
    return ((rows[:, :, None] == rows[:, None, :]) & before).any(axis=2)


def first_words(text: str) -> str:
    """Returns the first sentence of a text, or its first words if it is long."""
    sentence = next(part for part in text.split(". ") if part.split())
    return " ".join(sentence.split()[:WORDS])


def _places(scores: Any, columns: Any) -> Any:
    """Returns the rank, from 1, of one column of each row among all columns."""
    rows = np.arange(len(scores))
    own, others = scores[rows, columns], np.array(scores, np.float64)
    others[rows, columns] = -np.inf
    return places_among(own, others)


def _shares(places: Any) -> tuple[float, float]:
    return float((places <= 1).mean()), float((places <= 10).mean())
