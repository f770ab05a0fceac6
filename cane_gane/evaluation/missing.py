"""The pairs without an edge that a method scores highest: likely missing edges."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Any, TypeVar

import numpy as np

from cane_gane.data.graph import Edges, adjacency
from cane_gane.data.network import TextualNetwork
from cane_gane.evaluation.fitted import (
    BLOCK_CELLS,
    MOST_CELLS,
    Fitted,
    Floats,
    Integers,
    RowFitted,
)
from cane_gane.evaluation.matching import word_rarity
from cane_gane.evaluation.results import MissingEdge, ScoredEdge
from cane_gane.progress import Progress

Near = Callable[[Floats, int], Integers]  # as `VectorIndex.nearest_of`
# The score and the probability of pairs of nodes, as `Answers.scores`.
Chances = Callable[[Sequence[tuple[int, int]]], list[tuple[float, float | None]]]
Pair = TypeVar("Pair", bound=ScoredEdge)

SHORTLIST = 2000  # missing edges that the model scores pair by pair
NEAREST = 30  # nodes that an index names for each node of a large network
MISSING = 1000  # missing edges to keep
SHOWN = 10  # missing edges on a page
EACH = 2  # shown missing edges of one node
WORDS = 6  # matched words of each
_BLOCK = 2_000  # nodes that an index is asked about at once


def missing_edges(
    fitted: Fitted, network: TextualNetwork, near: Near, chances: Chances | None = None
) -> list[ScoredEdge]:
    """Finds the pairs without an edge that the method scores highest.

    The method's first stage gives a shortlist (in a large network, from the nodes that
    an index names), which its score then ranks. Each pair has the direction that scores
    higher.

    Args:
        fitted: The method.
        network: The network.
        near: Finds the nodes nearest to vectors.
        chances: Returns the probabilities of pairs, if there is a calibration.

    Returns:
        At most `MISSING` pairs, best first.
    """
    first_stage, count = fitted.first_stage, network.node_count
    if count**2 <= MOST_CELLS:
        pairs = shortlist(first_stage, network.edges, count, SHORTLIST)
    else:
        pairs = near_pairs(first_stage, fitted.vectors, network.edges, near, SHORTLIST)
    pairs, scores = best_pairs(fitted, pairs, MISSING)
    likely: list[float | None] = [None] * len(pairs)
    if chances is not None:
        known = chances([(source, target) for source, target in pairs.tolist()])
        likely = [own and float(f"{own:.4g}") for _, own in known]
    return [
        ScoredEdge(source=source, target=target, score=score, probability=own)
        for (source, target), score, own in zip(
            pairs.tolist(), scores.tolist(), likely, strict=True
        )
    ]


def few_of_each(edges: Iterable[Pair], count: int = SHOWN) -> list[Pair]:
    """Returns the first pairs, with each node in at most `EACH` of them."""
    used: Counter[int] = Counter()

    def allowed(edge: ScoredEdge) -> bool:
        ends = {edge.source, edge.target}
        if any(used[node] >= EACH for node in ends):
            return False
        used.update(ends)
        return True

    return list(islice(filter(allowed, edges), count))


def with_words(
    fitted: Fitted, network: TextualNetwork, edges: Sequence[ScoredEdge]
) -> list[MissingEdge]:
    """Returns pairs with what readers see: names, texts, matched words."""
    texts = [[network.texts[node] for node in (e.source, e.target)] for e in edges]
    words: list[Any] = [[]] * len(edges)
    if fitted.reads_texts and edges:
        matches = fitted.match([a for a, _ in texts], [b for _, b in texts])
        rarity = word_rarity(network.texts)
        words = [match.words(rarity, WORDS) for match in matches]
    return [
        MissingEdge(
            source=edge.source,
            target=edge.target,
            score=edge.score,
            probability=edge.probability,
            names=[network.name_of(node) for node in (edge.source, edge.target)],
            texts=own,
            words=matched,
        )
        for edge, own, matched in zip(edges, texts, words, strict=True)
    ]


def shortlist(fitted: RowFitted, edges: Edges, node_count: int, count: int) -> Edges:
    """Returns the pairs without an edge that score highest, best first.

    Args:
        fitted: Scores sources with all nodes.
        edges: All edges, `[edges, 2]`; their directions are ignored.
        node_count: The number of nodes.
        count: The largest number of pairs; each direction counts.

    Returns:
        The pairs, `[pairs, 2]`.
    """
    linked = adjacency(edges, node_count)
    best = _Best(count)
    step = max(1, BLOCK_CELLS // max(1, node_count))
    for first in range(0, node_count, step):
        sources = np.arange(first, min(first + step, node_count))
        closed = np.arange(node_count) == sources[:, None]
        closed |= linked[sources].toarray() > 0
        scores = np.where(closed, -np.inf, fitted.score_rows(sources)).ravel()
        places = np.argpartition(-scores, min(count, len(scores)) - 1)[:count]
        places = np.sort(places[np.isfinite(scores[places])])
        pairs = np.stack(np.divmod(places, node_count), axis=1)
        pairs[:, 0] += first
        best.add(pairs, scores[places])
    return best.pairs


def near_pairs(
    fitted: RowFitted, vectors: Floats, edges: Edges, near: Near, count: int
) -> Edges:
    """Returns pairs as `shortlist` does, but only of nodes that an index finds near.

    Args:
        fitted: Scores pairs.
        vectors: The vector of each node, `[nodes, size]`.
        edges: All edges, `[edges, 2]`.
        near: Finds the nodes nearest to vectors.
        count: The largest number of pairs.
    """
    nodes, best = len(vectors), _Best(count)
    linked = adjacency(edges, nodes)
    with Progress("missing edges", nodes) as progress:
        for first in range(0, nodes, _BLOCK):
            found = near(vectors[first : first + _BLOCK], NEAREST)
            sources, places = np.nonzero(found >= 0)
            pairs = np.stack([first + sources, found[sources, places]], axis=1)
            pairs = pairs[pairs[:, 0] != pairs[:, 1]]
            known = np.asarray(linked[pairs[:, 0], pairs[:, 1]]).ravel() > 0
            pairs = pairs[~known]
            best.add(pairs, fitted.score_pairs(pairs))
            progress.add(len(found))
    return best.pairs


class _Best:
    """The best pairs of all that were added, best first."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._scores: Floats = np.zeros(0)
        self.pairs: Edges = np.zeros((0, 2), np.int64)

    def add(self, pairs: Edges, scores: Floats) -> None:
        """Adds pairs, `[pairs, 2]`, and their scores; ties keep their order."""
        scores = np.concatenate([self._scores, scores])
        order = np.argsort(-scores, kind="stable")[: self._count]
        self.pairs = np.concatenate([self.pairs, pairs])[order]
        self._scores = scores[order]


def best_pairs(fitted: Fitted, pairs: Edges, count: int) -> tuple[Edges, Floats]:
    """Scores pairs in both directions, and returns the best with their scores.

    The direction that scores higher is kept; if both tie, the given one.
    """
    _, first = np.unique(np.sort(pairs, axis=1), axis=0, return_index=True)
    pairs = pairs[np.sort(first)]
    both = np.concatenate([pairs, pairs[:, ::-1]])
    forward, back = np.asarray(fitted.score(both), np.float64).reshape(2, -1)
    scores = np.maximum(forward, back)
    order = np.argsort(-scores, kind="stable")[:count]
    turned = (back > forward)[order, None]
    return np.where(turned, pairs[order, ::-1], pairs[order]), scores[order]
