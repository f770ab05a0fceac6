"""What a report shows of individual nodes: matched pairs, missing edges, a map."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from sklearn.manifold import TSNE
from sklearn.preprocessing import normalize
from threadpoolctl import threadpool_limits

from cane_gane.beside import Pending, call
from cane_gane.data.network import TextualNetwork
from cane_gane.data.splits import Split
from cane_gane.data.vectors import fill_missing, missing_rows
from cane_gane.evaluation.fitted import Fitted, Floats
from cane_gane.evaluation.missing import (
    Chances,
    Near,
    few_of_each,
    missing_edges,
    with_words,
)
from cane_gane.evaluation.pairs import telling_pairs
from cane_gane.evaluation.results import Examples, NodeMap
from cane_gane.progress import Stopwatch

MAPPED = 3000  # most nodes on the map
_NAME, _TEXT = 120, 160  # bytes of a name and of a text on the map


def find_examples(
    fitted: Fitted,
    split: Split,
    chart: Pending[NodeMap | None],
    clock: Stopwatch,
    near: Near,
    chances: Chances | None = None,
) -> Examples:
    """Finds what the report shows.

    Args:
        fitted: The method.
        split: The split that it was fitted on.
        chart: The map of its nodes, from `begin_map`.
        clock: Times the parts.
        near: Finds the nodes nearest to vectors, in a large network.
        chances: Returns the probabilities of pairs, if there is a calibration.

    Returns:
        The content of examples.json, and all missing edges.
    """
    network = split.network
    with clock("find missing edges"):
        missing = missing_edges(fitted, network, near, chances)
        shown = with_words(fitted, network, few_of_each(missing))
        pairs = telling_pairs(fitted, split, missing) if fitted.reads_texts else []
    with clock("draw the map (t-SNE)"):
        places = chart.result()
    return Examples(
        missing_edges=shown,
        map=places and with_names(places, network),
        pairs=pairs,
        all_missing=missing,
    )


def with_names(places: NodeMap, network: TextualNetwork) -> NodeMap:
    """Returns a map with names, degrees, and the first words of texts."""
    degrees = np.bincount(network.edges.ravel(), minlength=network.node_count)
    return replace(
        places,
        names=[_start(network.name_of(node), _NAME) for node in places.nodes],
        texts=[_start(network.texts[node], _TEXT) for node in places.nodes],
        degrees=[int(degrees[node]) for node in places.nodes],
    )


def _start(text: str, most: int) -> str:
    """Returns the beginning of a text as one line of at most `most` bytes."""
    short = " ".join(text[: 4 * most].split())
    content = short.encode(errors="replace")
    if len(content) <= most:
        return short
    cut = content[:most].decode(errors="ignore")
    return (cut.rpartition(" ")[0] or cut) + " …"


def begin_map(
    vectors: Floats, network: TextualNetwork, seed: int
) -> Pending[NodeMap | None]:
    """Begins to lay nodes out in the background; see `node_map`."""
    return call(network.node_count, node_map, vectors, network.labels, seed)


def node_map(
    vectors: Floats, labels: Sequence[tuple[str, ...]] | None, seed: int
) -> NodeMap | None:
    """Lays nodes out in the plane by t-SNE; similar vectors are close.

    Args:
        vectors: The vector of each node, `[nodes, size]`, NaN for a node without one.
        labels: The labels of each node; the first counts.
        seed: The seed of the layout.

    Returns:
        The map; None for fewer than five nodes, or if all vectors are the same.
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
    # On a busy machine t-SNE's threads wait for each other: one thread is faster.
    with threadpool_limits(1):
        places = layout.fit_transform(points.astype(np.float32)).astype(np.float64)
    own = None
    if labels is not None:
        own = [labels[node][0] if labels[node] else None for node in known.tolist()]
    x, y = places.round(2).T.tolist()
    return NodeMap(known.tolist(), x, y, own)
