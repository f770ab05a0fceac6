"""What a report shows of single nodes: a matched pair, missing edges, a map."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.manifold import TSNE
from sklearn.preprocessing import normalize
from threadpoolctl import threadpool_limits

from cane_gane.assessment import PairScore
from cane_gane.evaluation.matching import Match
from cane_gane.evaluation.protocols import adjacency, strict_protocol
from cane_gane.evaluation.scores import (
    Floats,
    Scorer,
    fill_missing,
    missing_rows,
    vector_scorer,
)
from cane_gane.network import TextualNetwork
from cane_gane.splits import Edges, Split
from cane_gane.stopwatch import Stopwatch
from cane_gane.tokens import CleanTokenizer

if TYPE_CHECKING:
    from cane_gane.served import Served

Examples = dict[str, Any]

SHORTLIST = 1000  # missing edges that the model scores pair by pair
MISSING = 10
CHOICE = 20  # short test pairs, of which the best scored is shown
FEWEST_WORDS = 8
MAPPED = 3000  # nodes on the map at the most
_BLOCK = 512


def find_examples(
    served: Served,
    network: TextualNetwork,
    split: Split,
    vectors: Floats,
    seed: int,
    clock: Stopwatch,
) -> Examples:
    """Finds what the report shows.

    Args:
        served: The model.
        network: The network.
        split: Its training and test edges.
        vectors: The averaged vector of each node, `[nodes, 2d]`.
        seed: What the map hangs on.
        clock: Times the parts.

    Returns:
        The content of examples.json: `pair`, `missing_edges` and `map`.
    """
    with clock("find missing edges"):
        missing = missing_edges(served, network, vectors)
        pair = matched_pair(served, network, split)
    with clock("draw the map (t-SNE)"):
        chart = node_map(vectors, network.labels, seed)
    return {"pair": pair, "missing_edges": missing, "map": chart}


def matched_pair(served: Served, network: TextualNetwork, split: Split) -> Any:
    """Matches the words of a test pair: of the shortest, the best scored.

    Returns:
        `source`, `target` (node ids), `names`, `score`, `source_words`,
        `target_words`, `plan`, `attention` (None where unknown), `entries`,
        `plan_share`, `attention_share`, `on_padding`; or None without such a pair.
    """
    scored = strict_protocol(
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
    scores = served.score_nodes(short)
    source, target = short[np.argmax(scores)].tolist()
    match = served.match([network.texts[source]], [network.texts[target]])[0]
    return {
        "source": source,
        "target": target,
        "names": _names(network, (source, target)),
        "score": float(scores.max()),
        "source_words": list(match.source_words),
        "target_words": list(match.target_words),
        **_sparsity(match),
        "plan": _rounded(match.plan),
        "attention": None if match.attention is None else _rounded(match.attention),
    }


def missing_edges(
    served: Served, network: TextualNetwork, vectors: Floats
) -> list[dict[str, Any]]:
    """Finds the pairs without an edge that the model scores highest.

    Returns:
        For each, best first: `source`, `target`, `names`, `score`, `texts`, and
        `words`, the matched words with their weight.
    """
    scorer = vector_scorer(vectors)
    pairs = shortlist(scorer, network.edges, network.node_count, SHORTLIST)
    pairs, scores = best_pairs(served.score_nodes, pairs, MISSING)
    if not len(pairs):
        return []
    texts = [[network.texts[node] for node in pair] for pair in pairs.tolist()]
    matches = served.match([a for a, _ in texts], [b for _, b in texts])
    rarity = word_rarity(network.texts)
    return [
        {
            "source": pair[0],
            "target": pair[1],
            "names": _names(network, pair),
            "score": score,
            "texts": own,
            "words": match.words(rarity, 6),
        }
        for pair, score, own, match in zip(
            pairs.tolist(), scores.tolist(), texts, matches, strict=True
        )
    ]


def shortlist(scorer: Scorer, edges: Edges, node_count: int, count: int) -> Edges:
    """Returns the pairs u < w without an edge that score highest, best first.

    Args:
        scorer: Gives the scores of sources with all nodes.
        edges: All edges, `[edges, 2]`; their directions do not count.
        node_count: The number of nodes.
        count: How many pairs at the most.

    Returns:
        The pairs, `[pairs, 2]`.
    """
    linked = adjacency(edges, node_count)
    best_scores, best = np.zeros(0), np.zeros((0, 2), np.int64)
    for first in range(0, node_count, _BLOCK):
        sources = np.arange(first, min(first + _BLOCK, node_count))
        closed = np.arange(node_count) <= sources[:, None]
        closed |= linked[sources].toarray() > 0
        scores = np.where(closed, -np.inf, scorer(sources)).ravel()
        places = np.argpartition(-scores, min(count, len(scores)) - 1)[:count]
        places = np.sort(places[np.isfinite(scores[places])])
        pairs = np.stack(np.divmod(places, node_count), axis=1)
        pairs[:, 0] += first
        best_scores = np.concatenate([best_scores, scores[places]])
        best = np.concatenate([best, pairs])
        order = np.argsort(-best_scores, kind="stable")[:count]
        best_scores, best = best_scores[order], best[order]
    return best


def best_pairs(score: PairScore, pairs: Edges, count: int) -> tuple[Edges, Floats]:
    """Scores pairs, and returns the best with their scores."""
    scores = np.asarray(score(pairs), np.float64)
    order = np.argsort(-scores, kind="stable")[:count]
    return pairs[order], scores[order]


def word_rarity(texts: Sequence[str]) -> dict[str, float]:
    """Returns log(texts / texts with the word) for each word in lower case."""
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update({word.lower() for word in CleanTokenizer.split(text)})
    return {word: float(np.log(len(texts) / count)) for word, count in counts.items()}


def node_map(
    vectors: Floats, labels: Sequence[tuple[str, ...]] | None, seed: int
) -> Any:
    """Lays nodes out in the plane by t-SNE, near where their vectors are alike.

    Args:
        vectors: The vector of each node, `[nodes, size]`, NaN where there is none.
        labels: The labels of each node; the first counts.
        seed: What the layout hangs on.

    Returns:
        `nodes`, `x`, `y` and `labels` (None where there is none); None for fewer
        than five nodes.
    """
    known = np.flatnonzero(~missing_rows(vectors))
    if len(known) < 5:
        return None
    if len(known) > MAPPED:
        chosen = np.random.default_rng(seed).choice(known, MAPPED, replace=False)
        known = np.sort(chosen)
    points = normalize(fill_missing(np.asarray(vectors[known], np.float64)))
    perplexity = min(30.0, (len(known) - 1) / 3)
    layout = TSNE(perplexity=perplexity, max_iter=500, random_state=seed)
    # On a busy machine its threads wait for each other: one alone is faster.
    with threadpool_limits(1):
        places = layout.fit_transform(points.astype(np.float32)).astype(np.float64)
    return {
        "nodes": known.tolist(),
        "x": places[:, 0].round(2).tolist(),
        "y": places[:, 1].round(2).tolist(),
        "labels": None
        if labels is None
        else [labels[node][0] if labels[node] else None for node in known.tolist()],
    }


def _sparsity(match: Match) -> dict[str, Any]:
    attention = match.attention
    return {
        "entries": match.entries,
        "plan_share": match.top_share(match.plan),
        "attention_share": None if attention is None else match.top_share(attention),
        "on_padding": match.on_padding,
    }


def _names(network: TextualNetwork, nodes: Sequence[int]) -> list[str]:
    names = network.names
    return [names[node] if names else f"node {node}" for node in nodes]


def _rounded(weights: Floats) -> list[list[float]]:
    return [[float(f"{weight:.3g}") for weight in row] for row in weights.tolist()]
