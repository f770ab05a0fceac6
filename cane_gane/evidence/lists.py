"""Lists to learn from: held-out training edges, each ranked among other nodes."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits

from cane_gane.data.graph import Edges
from cane_gane.evaluation.protocols import Contest, strict_contest
from cane_gane.evidence.features import FEATURES, Evidence
from cane_gane.evidence.large import LargeEvidence, LargeTexts
from cane_gane.evidence.likeness import Texts
from cane_gane.evidence.quantities import LARGE_FEATURES
from cane_gane.progress import Progress

Floats = npt.NDArray[np.floating]
Integers = npt.NDArray[np.int64]

FOLDS = 6
ENOUGH = 1_500  # lists: then no further fold is held out
DRAWS = 3  # most draws of folds, if there are few edges
HARD, EASY = 100, 50  # candidates ranked first by text and walks, and random ones
GUIDES = (("pairs_one_hop", "walks"),)  # what ranks them: sums of features
LARGE_GUIDES = (("pairs_one_hop",), ("walks",), ("pagerank",), ("visits",))
AT_ONCE = 2  # folds, or fits, that run in parallel, each on one core
_CELLS = 4_000_000  # scores of sources with nodes that are held at once


@dataclass(frozen=True)
class Lists:
    """Held-out edges, each with candidates for its target.

    Attributes:
        names: The features.
        features: The features of the target, then of the candidates,
            `[edges, 1 + candidates, features]`.
        counts: Log of how many nodes each of them stands for,
            `[edges, 1 + candidates]`; -inf pads missing candidates.
        edge_ids: The id of each held-out edge, `[edges]`; edges may repeat in several
            draws.
    """

    names: Sequence[str]
    features: Floats
    counts: Floats
    edge_ids: Integers

    def only(self, names: Sequence[str]) -> Lists:
        """Returns the same lists with some of the features."""
        places = [list(self.names).index(name) for name in names]
        return replace(self, names=names, features=self.features[..., places])

    def of(self, kept: Any) -> Lists:
        """Returns the marked lists, `[edges]`."""
        return Lists(
            self.names, self.features[kept], self.counts[kept], self.edge_ids[kept]
        )

    @property
    def edge_count(self) -> int:
        """The number of distinct held-out edges."""
        return len(np.unique(self.edge_ids))


@threadpool_limits.wrap(limits=1)
def held_out_lists(
    texts: Texts,
    train: Edges,
    node_count: int,
    names: Sequence[str] = tuple(FEATURES),
    seed: int = 1,
) -> Lists:
    """Holds folds of the training edges out and ranks each edge among other nodes.

    Every feature is recomputed without the fold. The other nodes are not training
    neighbours of the source. If there are few edges, folds are drawn several times: in
    each draw, an edge is held out together with different edges and ranked among
    different nodes.

    Args:
        texts: The texts.
        train: The only edges that may be used, `[train, 2]`.
        node_count: The number of nodes.
        names: The features.
        seed: The seed of folds and candidates.

    Returns:
        The lists, about `ENOUGH`; none if no edge can be held out.
    """
    folds = _folds(len(train), seed)

    def ranked(place: int) -> Lists:
        fold, rng = folds[place], np.random.default_rng([seed, place])
        rest = np.delete(train, fold, axis=0)
        contest = strict_contest(rest, rest, train[fold], node_count)
        return _lists(Evidence(texts, rest, node_count), contest, names, rng)

    texts.compute()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        found = list(pool.map(ranked, range(len(folds))))
    features, counts, edge_ids = (
        np.concatenate([getattr(own, part) for own in found])
        for part in ("features", "counts", "edge_ids")
    )
    return Lists(names, features, counts, edge_ids)


@threadpool_limits.wrap(limits=1)
def large_lists(texts: LargeTexts, train: Edges, seed: int) -> Lists:
    """Holds out some edges of a large network, once: a few of its edges are enough.

    Args:
        texts: The texts.
        train: The only edges that may be used, `[train, 2]`.
        seed: The seed of the choice of edges and candidates.

    Returns:
        The lists, at most `ENOUGH` and at most one fold of the edges.
    """
    rng, count = np.random.default_rng(seed), len(texts.vectors)
    fold = rng.permutation(len(train))[: min(ENOUGH, len(train) // FOLDS)]
    rest = np.delete(train, fold, axis=0)
    contest = strict_contest(rest, rest, train[fold], count)
    evidence = LargeEvidence.fit(texts, rest, seed)
    with Progress("weigh evidence", len(contest.scored)) as progress:
        names = tuple(LARGE_FEATURES)
        return _lists(evidence, contest, names, rng, LARGE_GUIDES, progress)


def _folds(edge_count: int, seed: int) -> list[Integers]:
    """Returns the edges of each fold: some folds of one draw, or all of one or more."""
    rng = np.random.default_rng(seed)
    draws = min(max(1, round(ENOUGH / max(1, edge_count))), DRAWS)
    folds = [
        fold
        for _ in range(draws)
        for fold in np.array_split(rng.permutation(edge_count), FOLDS)
    ]
    sizes = np.cumsum([len(fold) for fold in folds])
    return folds if draws > 1 else folds[: 1 + int((sizes < ENOUGH).sum())]


def _lists(
    evidence: Evidence | LargeEvidence,
    contest: Contest,
    names: Sequence[str],
    rng: np.random.Generator,
    guides: Sequence[Sequence[str]] = GUIDES,
    progress: Progress | None = None,
) -> Lists:
    """Ranks held-out edges among candidates.

    Args:
        evidence: The features without these edges.
        contest: The edges, and the nodes that are not neighbours of their sources.
        names: The features.
        rng: Draws the candidates.
        guides: Sums of features that rank the hard candidates, an equal share by each.
        progress: Counts the edges that are ranked.
    """
    edges = contest.scored
    nodes = np.tile(edges[:, 1:], 1 + HARD + EASY)
    counts = np.full(nodes.shape, -np.inf, np.float32)
    counts[:, 0] = 0
    features = np.zeros((*nodes.shape, len(names)), np.float32)
    sources, row_of = np.unique(edges[:, 0], return_inverse=True)
    step = max(1, _CELLS // contest.node_count)
    for first in range(0, len(sources), step):
        block = sources[first : first + step]
        mine = np.flatnonzero((row_of >= first) & (row_of < first + step))
        rows = row_of[mine] - first
        ranks = [evidence.rows(block, own).sum(axis=-1) for own in guides]
        for place, row in zip(mine.tolist(), rows.tolist(), strict=True):
            others = contest.candidates(int(edges[place, 0]))
            best, rest = _parted(others, [own[row, others] for own in ranks])
            nodes[place, 1 : 1 + len(best)] = best
            counts[place, 1 : 1 + len(best)] = 0
            if len(rest):
                nodes[place, 1 + HARD :] = rng.choice(rest, EASY)
                counts[place, 1 + HARD :] = np.log(len(rest) / EASY)
        for column, values in enumerate(evidence.features(block, names)):
            features[mine, :, column] = values[rows[:, None], nodes[mine]]
        if progress:
            progress.add(len(mine))
    edge_ids = edges[:, 0] * contest.node_count + edges[:, 1]
    return Lists(names, features, counts, edge_ids)


def _parted(nodes: Integers, ranks: Sequence[Floats]) -> tuple[Integers, Integers]:
    """Returns the `HARD` top nodes, an equal share by each rank, and the rest."""
    orders = [np.argsort(-own, kind="stable") for own in ranks]
    first = np.concatenate([order[: HARD // len(ranks)] for order in orders])
    best = np.array(list(dict.fromkeys(first.tolist())), np.int64)
    rest = orders[0] if not len(best) else orders[0][~np.isin(orders[0], best)]
    return nodes[best], nodes[rest]
