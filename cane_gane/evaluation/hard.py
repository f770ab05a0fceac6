"""HeaRT's negatives: for each end of a test edge, the nodes most like a neighbour."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.stats import rankdata

from cane_gane.data.graph import (
    neighbours,
    neighbours_and_itself,
    random_step,
    reach,
    resource_allocation,
)
from cane_gane.data.splits import Split
from cane_gane.data.tfidf import tfidf_vectors
from cane_gane.progress import Progress

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

NEGATIVES = 250  # negatives at each end of an edge
EDGES = 400  # test edges to score; of more, this many are drawn at random
FEWEST = 100  # … at least, in a network so large that 400 would take too long
MOST_CELLS = 40_000_000  # scored edges times nodes
_BLOCK = 128  # most nodes whose similarities to all others are held at once
_CELLS = 4_000_000  # most similarities that are held at once


@dataclass(frozen=True)
class HardContest:
    """Test edges, each against pairs that replace one of its ends.

    Attributes:
        scored: The test edges that are scored, `[scored, 2]`.
        negatives: Pairs that are not edges, `[scored, 2 * ends, 2]`: first those that
            keep the source, then those that keep the target; -1 pads the rest if an end
            has fewer.
        edges: How many test edges there are.
    """

    scored: Integers
    negatives: Integers
    edges: int

    @property
    def filled(self) -> npt.NDArray[np.bool_]:
        """Marks the negatives that are pairs, `[scored, 2 * ends]`."""
        return self.negatives[:, :, 0] >= 0

    @property
    def pairs(self) -> Integers:
        """Each edge, then its negatives; a missing one is nodes 0 and 0."""
        negatives = np.maximum(self.negatives, 0)
        return np.concatenate([self.scored[:, None], negatives], axis=1)

    def counts(self) -> dict[str, int]:
        """Returns how many edges are scored."""
        return {"scored": len(self.scored), "edges": self.edges}


def hard_contest(
    scored: Integers, split: Split, seed: int = 1, ends: int = NEGATIVES
) -> HardContest:
    """Builds HeaRT's negatives (arXiv 2306.10453) of test edges.

    For an end of an edge, all nodes that are not its neighbours in the network, in
    either direction, are ranked by resource allocation, personalised PageRank and
    TF-IDF cosine with it, all computed from training edges and texts. Those with the
    best mean rank replace the other end.

    Args:
        scored: The test edges to score, `[edges, 2]`.
        split: The split.
        seed: The seed of the draw of edges.
        ends: The number of negatives at each end.

    Returns:
        The contest.
    """
    most = int(np.clip(MOST_CELLS // split.network.node_count, FEWEST, EDGES))
    if len(scored) > most:
        chosen = np.random.default_rng(seed).permutation(len(scored))[:most]
        scored = scored[np.sort(chosen)]
    nodes, node_of = np.unique(scored, return_inverse=True)
    nearest = _nearest(nodes, split, ends)[node_of.reshape(-1, 2)]
    kept = np.where(nearest < 0, -1, scored[:, :, None])
    # The nodes nearest the source replace the target, and vice versa.
    at_source = np.stack([kept[:, 0], nearest[:, 0]], axis=-1)
    at_target = np.stack([nearest[:, 1], kept[:, 1]], axis=-1)
    negatives = np.concatenate([at_source, at_target], axis=1)
    return HardContest(scored, negatives, len(split.test))


def _nearest(nodes: Integers, split: Split, ends: int) -> Integers:
    """Returns the nodes of the best mean rank for each node, `[nodes, ends]`.

    The best come first; -1 pads the rest if a node has fewer candidates.
    """
    found = np.full((len(nodes), ends), -1)
    if not len(nodes):
        return found
    network, count = split.network, split.network.node_count
    joined = neighbours(split.train, count)
    step = random_step(joined)
    texts = sparse.csr_array(tfidf_vectors(network.texts))
    edges = np.concatenate([network.edges, split.train, split.test])
    closed = neighbours_and_itself(edges, count)
    size = int(np.clip(_CELLS // count, 1, _BLOCK))
    with Progress("hard negatives", len(nodes)) as progress:
        for first in range(0, len(nodes), size):
            block = nodes[first : first + size]
            shut = closed[block].toarray() > 0
            ranks: Any = sum(
                rankdata(np.where(shut, np.inf, -rows), axis=1)
                for rows in (
                    resource_allocation(joined, block),
                    reach(step, block),
                    (texts[block] @ texts.T).toarray(),
                )
            )
            order = np.argsort(ranks, axis=1, kind="stable")[:, :ends]
            near = np.where(np.take_along_axis(shut, order, axis=1), -1, order)
            found[first : first + len(block), : near.shape[1]] = near
            progress.add(len(block))
    return found
