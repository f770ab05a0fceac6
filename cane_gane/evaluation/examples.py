"""What a report shows of single nodes: a matched pair, missing edges, a map."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sklearn.manifold import TSNE
from sklearn.preprocessing import normalize
from threadpoolctl import threadpool_limits

from cane_gane.beside import Pending, call
from cane_gane.data.graph import Edges, adjacency
from cane_gane.data.network import TextualNetwork
from cane_gane.data.splits import Split
from cane_gane.data.tokens import CleanTokenizer
from cane_gane.data.vectors import fill_missing, missing_rows
from cane_gane.evaluation.fitted import (
    BLOCK_CELLS,
    MOST_CELLS,
    Fitted,
    Floats,
    Integers,
    RowFitted,
)
from cane_gane.evaluation.protocols import strict_contest
from cane_gane.evaluation.results import Examples, MatchedPair, MissingEdge, NodeMap
from cane_gane.progress import Progress, Stopwatch

Near = Callable[[Floats, int], Integers]  # of vectors, as `VectorIndex.nearest_of`

SHORTLIST = 2000  # missing edges that the model scores pair by pair
NEAREST = 30  # nodes that an index names for each, of a large network
MISSING = 10
_BLOCK = 2_000  # nodes that an index is asked about at once
CHOICE = 20  # short test pairs, of which the best scored is shown
FEWEST_WORDS = 8
MAPPED = 3000  # nodes on the map at the most


def find_examples(
    fitted: Fitted,
    split: Split,
    chart: Pending[NodeMap | None],
    clock: Stopwatch,
    near: Near,
) -> Examples:
    """Finds what the report shows.

    Args:
        fitted: The method.
        split: The split that it was fitted on.
        chart: The map of its nodes, from `begin_map`.
        clock: Times the parts.
        near: Finds the nodes nearest to vectors, in a large network.

    Returns:
        The content of examples.json.
    """
    network = split.network
    with clock("find missing edges"):
        missing = missing_edges(fitted, network, near)
        pair = matched_pair(fitted, split) if fitted.reads_texts else None
    with clock("draw the map (t-SNE)"):
        return Examples(pair, missing, chart.result())


def matched_pair(fitted: Fitted, split: Split) -> MatchedPair | None:
    """Matches the words of a test pair: of the shortest, the best scored.

    Returns:
        The pair, or None where no test pair has words.
    """
    network = split.network
    scored = strict_contest(
        network.edges, split.train, split.test, network.node_count
    ).scored
    lengths = np.array([len(CleanTokenizer.split(text)) for text in network.texts])
    fewest = lengths[scored].min(axis=1, initial=FEWEST_WORDS)
    if not fewest.any():
        return None
    # Texts of a few words are taken only where there are no others.
    scored = scored[
        fewest == FEWEST_WORDS if fewest.max() == FEWEST_WORDS else fewest > 0
    ]
    order = np.argsort(lengths[scored].prod(axis=1), kind="stable")
    short = scored[order[:CHOICE]]
    scores = fitted.score(short)
    source, target = short[np.argmax(scores)].tolist()
    match = fitted.match([network.texts[source]], [network.texts[target]])[0]
    attention = match.attention
    return MatchedPair(
        source=source,
        target=target,
        names=[network.name_of(source), network.name_of(target)],
        score=float(scores.max()),
        source_words=list(match.source_words),
        target_words=list(match.target_words),
        entries=match.entries,
        plan_share=match.top_share(match.plan),
        attention_share=None if attention is None else match.top_share(attention),
        on_padding=match.on_padding,
        plan=_rounded(match.plan),
        attention=None if attention is None else _rounded(attention),
    )


def missing_edges(
    fitted: Fitted, network: TextualNetwork, near: Near
) -> list[MissingEdge]:
    """Finds the pairs without an edge that the method scores highest.

    Its first stage gives a shortlist, in a large network from the nodes that an index
    names; its own score orders it, with each pair in the direction that scores higher.

    Args:
        fitted: The method.
        network: The network.
        near: Finds the nodes nearest to vectors.

    Returns:
        The pairs, best first.
    """
    first_stage, count = fitted.first_stage, network.node_count
    if count**2 <= MOST_CELLS:
        pairs = shortlist(first_stage, network.edges, count, SHORTLIST)
    else:
        pairs = near_pairs(first_stage, fitted.vectors, network.edges, near, SHORTLIST)
    pairs, scores = best_pairs(fitted, pairs, MISSING)
    if not len(pairs):
        return []
    texts = [[network.texts[node] for node in pair] for pair in pairs.tolist()]
    words: list[Any] = [[]] * len(pairs)
    if fitted.reads_texts:
        matches = fitted.match([a for a, _ in texts], [b for _, b in texts])
        rarity = word_rarity(network.texts)
        words = [match.words(rarity, 6) for match in matches]
    return [
        MissingEdge(
            source=pair[0],
            target=pair[1],
            score=score,
            names=[network.name_of(node) for node in pair],
            texts=own,
            words=matched,
        )
        for pair, score, own, matched in zip(
            pairs.tolist(), scores.tolist(), texts, words, strict=True
        )
    ]


def shortlist(fitted: RowFitted, edges: Edges, node_count: int, count: int) -> Edges:
    """Returns the pairs without an edge that score highest, best first.

    Args:
        fitted: Scores sources with all nodes.
        edges: All edges, `[edges, 2]`; their directions do not count.
        node_count: The number of nodes.
        count: How many pairs at the most; their directions count.

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
    """Returns pairs as `shortlist` does, of nodes and those that an index names.

    Args:
        fitted: Scores pairs.
        vectors: The vector of each node, `[nodes, size]`.
        edges: All edges, `[edges, 2]`.
        near: Finds the nodes nearest to vectors.
        count: How many pairs at the most.
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
        """Adds pairs, `[pairs, 2]`, and their scores; the first come first of ties."""
        scores = np.concatenate([self._scores, scores])
        order = np.argsort(-scores, kind="stable")[: self._count]
        self.pairs = np.concatenate([self.pairs, pairs])[order]
        self._scores = scores[order]


def best_pairs(fitted: Fitted, pairs: Edges, count: int) -> tuple[Edges, Floats]:
    """Scores pairs in both directions, and returns the best with their scores.

    Of two nodes the direction that scores higher is kept, and the given one of two
    that tie.
    """
    _, first = np.unique(np.sort(pairs, axis=1), axis=0, return_index=True)
    pairs = pairs[np.sort(first)]
    both = np.concatenate([pairs, pairs[:, ::-1]])
    forward, back = np.asarray(fitted.score(both), np.float64).reshape(2, -1)
    scores = np.maximum(forward, back)
    order = np.argsort(-scores, kind="stable")[:count]
    turned = (back > forward)[order, None]
    return np.where(turned, pairs[order, ::-1], pairs[order]), scores[order]


def word_rarity(texts: Sequence[str]) -> dict[str, float]:
    """Returns log(texts / texts with the word) for each word in lower case."""
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update({word.lower() for word in CleanTokenizer.split(text)})
    return {word: float(np.log(len(texts) / count)) for word, count in counts.items()}


def begin_map(
    vectors: Floats, network: TextualNetwork, seed: int
) -> Pending[NodeMap | None]:
    """Begins to lay nodes out, beside what else is to be done; see `node_map`."""
    return call(network.node_count, node_map, vectors, network.labels, seed)


def node_map(
    vectors: Floats, labels: Sequence[tuple[str, ...]] | None, seed: int
) -> NodeMap | None:
    """Lays nodes out in the plane by t-SNE, near where their vectors are alike.

    Args:
        vectors: The vector of each node, `[nodes, size]`, NaN where there is none.
        labels: The labels of each node; the first counts.
        seed: What the layout depends on.

    Returns:
        The map; None for fewer than five nodes, or where all vectors are alike.
    """
    known = np.flatnonzero(~missing_rows(vectors))
    if len(known) < 5:
        return None
    if len(known) > MAPPED:
        chosen = np.random.default_rng(seed).choice(known, MAPPED, replace=False)
        known = np.sort(chosen)
    points = normalize(fill_missing(np.asarray(vectors[known], np.float64)))
    if np.ptp(points, axis=0).max() < 1e-6:  # t-SNE would divide by their spread
        return None
    perplexity = min(30.0, (len(known) - 1) / 3)
    layout = TSNE(perplexity=perplexity, max_iter=500, random_state=seed)
    # On a busy machine its threads wait for each other: one alone is faster.
    with threadpool_limits(1):
        places = layout.fit_transform(points.astype(np.float32)).astype(np.float64)
    own = None
    if labels is not None:
        own = [labels[node][0] if labels[node] else None for node in known.tolist()]
    x, y = places.round(2).T.tolist()
    return NodeMap(known.tolist(), x, y, own)


def _rounded(weights: Floats) -> list[list[float]]:
    return [[float(f"{weight:.3g}") for weight in row] for row in weights.tolist()]
