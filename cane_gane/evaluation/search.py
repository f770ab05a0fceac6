"""Known-item search: how often the start of a text finds the node it is from."""

from __future__ import annotations

from typing import Any

import numpy as np

from cane_gane.data.network import TextualNetwork
from cane_gane.data.tfidf import query_vectors
from cane_gane.evaluation.fitted import BLOCK_CELLS, Fitted
from cane_gane.evaluation.outcomes import places_among
from cane_gane.evaluation.results import Found, Search

QUERIES = 500
WORDS = 12  # of a query at the most
SHORTLIST = 10  # nodes by text vectors, and as many by TF-IDF, that it puts in order


def known_items(
    fitted: Fitted, network: TextualNetwork, seed: int = 1
) -> Search | None:
    """Searches for nodes by the first sentence, or the first words, of their texts.

    Text vectors and TF-IDF each name the nearest nodes, which the text score puts in
    order; a node that is not among them is not found. Among ties a node has the mean
    place.

    Args:
        fitted: The method.
        network: The network, whose texts stay as they are.
        seed: What the choice of nodes depends on.

    Returns:
        The shares that come first and among the first ten, beside those of TF-IDF;
        None where the method reads no texts or there are none.
    """
    texts = network.texts
    nodes = np.array([node for node, text in enumerate(texts) if text.split()])
    if not fitted.reads_texts or not len(nodes):
        return None
    nodes = np.sort(np.random.default_rng(seed).permutation(nodes)[:QUERIES])
    queries = [first_words(texts[node]) for node in nodes.tolist()]
    asked, known = fitted.embed_texts(queries), fitted.embed_texts(texts).T
    count = min(SHORTLIST, len(texts))
    best = np.zeros((len(nodes), 2 * count), np.int64)
    ours, tfidf = np.zeros((2, len(nodes)))
    vectors, words = query_vectors(texts, queries)
    step = max(1, BLOCK_CELLS // len(texts))
    for block in (slice(i, i + step) for i in range(0, len(nodes), step)):
        likeness = asked[block] @ known, (words[block] @ vectors.T).toarray()
        best[block] = np.concatenate(
            [np.argsort(-own, axis=1, kind="stable")[:, :count] for own in likeness],
            axis=1,
        )
        tfidf[block] = _places(likeness[1], nodes[block])
    scores = fitted.score_texts(
        [query for query in queries for _ in range(2 * count)],
        [texts[node] for node in best.ravel().tolist()],
    )
    ordered = np.asarray(scores, np.float64).reshape(best.shape)
    ordered[_repeated(best)] = -np.inf  # named by both
    itself = best == nodes[:, None]
    found = itself.any(axis=1)
    ours[~found] = np.inf
    ours[found] = _places(ordered[found], itself[found].argmax(axis=1))
    return Search(len(nodes), *_shares(ours), Found(*_shares(tfidf)))


def _repeated(rows: Any) -> Any:
    """Marks what stands in its row before, `[rows, columns]`."""
    before = np.tril(np.ones((rows.shape[1],) * 2, np.bool_), -1)
    return ((rows[:, :, None] == rows[:, None, :]) & before).any(axis=2)


def first_words(text: str) -> str:
    """Returns the first sentence of a text, or its first words where it is long."""
    sentence = next(part for part in text.split(". ") if part.split())
    return " ".join(sentence.split()[:WORDS])


def _places(scores: Any, columns: Any) -> Any:
    """Returns the place, from 1, of a column of each row among all."""
    rows = np.arange(len(scores))
    own, others = scores[rows, columns], np.array(scores, np.float64)
    others[rows, columns] = -np.inf
    return places_among(own, others)


def _shares(places: Any) -> tuple[float, float]:
    return float((places <= 1).mean()), float((places <= 10).mean())
