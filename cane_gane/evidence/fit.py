"""Weights for evidence: held-out training edges, ranked among other nodes."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits

from cane_gane.data.graph import Edges
from cane_gane.data.tfidf import word_weights
from cane_gane.evaluation.protocols import Contest, strict_contest
from cane_gane.evidence.additive import Additive
from cane_gane.evidence.calibration import Calibration, fit_temperature
from cane_gane.evidence.features import FEATURES, WORD_FEATURES, Evidence
from cane_gane.evidence.likeness import Texts, texts_of
from cane_gane.evidence.softmax import fit_weights

Floats = npt.NDArray[np.floating]
Integers = npt.NDArray[np.int64]

FOLDS = 6
ENOUGH = 1_500  # lists: no further fold is held out
DRAWS = 6  # of folds at the most, where edges are few
HARD, EASY = 100, 50  # candidates that text and walks rank first, and by chance
GUIDE = ("pairs_one_hop", "walks")
# Features whose products count, too.
CROSSED = (
    "word_pairs", "shared_words", "pairs_one_hop", "across", "neighbours",
    "closest_target", "closest_source", "target_height", "source_height", "walks",
    "adamic_adar", "pagerank", "near_sources", "near_targets", "popularity", "degree",
)  # fmt: skip
# Of straight functions, of bent ones, and of straight ones with products, in edges.
SHRINKAGE, BENT_SHRINKAGE, CROSSED_SHRINKAGE = 20, 60, 180
BENDS = (0.1, 0.525, 0.95)  # quantiles of the hard candidates at which functions bend
# Quantiles of all nodes of the lists, and one of targets, between which features count.
LEAST, MOST, MOST_OF_TARGETS = 0.001, 0.999, 0.99
AT_ONCE = 2  # folds, and fits, at the same time, each on one core
_CELLS = 4_000_000  # scores of source and node that are held at once


@dataclass(frozen=True)
class Lists:
    """Held-out edges, each with candidates for its target.

    Attributes:
        names: The features.
        features: Those of the target, then those of the candidates,
            `[edges, 1 + candidates, features]`.
        counts: Log of how many nodes each of them stands for, `[edges,
            1 + candidates]`; -inf where there is none.
        edge_ids: Which edge is held out; some are in several draws, `[edges]`.
    """

    names: Sequence[str]
    features: Floats
    counts: Floats
    edge_ids: Integers

    def only(self, names: Sequence[str]) -> Lists:
        """Returns the same with some of the features."""
        places = [list(self.names).index(name) for name in names]
        return replace(self, names=names, features=self.features[..., places])

    def of(self, kept: Any) -> Lists:
        """Returns the marked lists, `[edges]`."""
        return Lists(
            self.names, self.features[kept], self.counts[kept], self.edge_ids[kept]
        )

    @property
    def edge_count(self) -> int:
        """How many different edges are held out."""
        return len(np.unique(self.edge_ids))


@dataclass(frozen=True)
class FittedEvidence:
    """What a fit leaves behind, ready to be served.

    Attributes:
        functions: The functions and products of all features, of two nodes.
        table: Their sum for all pairs of nodes, `[nodes, nodes]`.
        text_functions: Those of `WORD_FEATURES` alone, for texts of no network.
        words: The words that texts are compared by, in lower case.
        idf: The weight of each, `[words]`.
        calibration: From the sum of all functions to probabilities; None where there
            were too few edges.
    """

    functions: Additive
    table: Floats
    text_functions: Additive
    words: Sequence[str]
    idf: Floats
    calibration: Calibration | None = None

    def weights(self) -> dict[str, Any]:
        """Returns functions of nodes and of texts and the curve, as JSON holds them."""
        found: dict[str, Any] = {
            "nodes": self.functions.weights(),
            "texts": self.text_functions.weights(),
        }
        if self.calibration:
            found["calibration"] = vars(self.calibration)
        return found


@threadpool_limits.wrap(limits=1)  # sums of several threads depend on their number
def fit_evidence(texts: Sequence[str], train: Edges, seed: int) -> FittedEvidence:
    """Fits evidence of nodes and of texts.

    Args:
        texts: The text of each node, with a word at the least among all.
        train: The only edges that may be looked at, `[train, 2]`.
        seed: What folds and candidates depend on.
    """
    known, count = texts_of(texts), len(texts)
    lists = held_out_lists(known, train, count, seed=seed)
    functions = fit_additive(lists)
    words, idf = word_weights(texts)
    return FittedEvidence(
        functions,
        functions.table(Evidence(known, train, count)),
        fit_additive(lists.only(WORD_FEATURES)),
        words,
        idf.astype(np.float32),
        calibrate(lists),
    )


def calibrate(lists: Lists) -> Calibration | None:
    """Fits probabilities on every other edge, by functions fitted on the others.

    Args:
        lists: What `held_out_lists` returned.

    Returns:
        The calibration; None where there are too few edges.
    """
    places = np.unique(lists.edge_ids, return_inverse=True)[1]
    halves = [lists.of(places % 2 == own) for own in (0, 1)]
    functions, seen = fit_additive(halves[0]), halves[1]
    features = (seen.features[..., place] for place in range(len(seen.names)))
    scores = sum(functions.parts(features).values(), np.zeros(seen.counts.shape))
    return fit_temperature(scores, seen.counts) if len(halves[0].counts) else None


@threadpool_limits.wrap(limits=1)
def held_out_lists(
    texts: Texts,
    train: Edges,
    node_count: int,
    names: Sequence[str] = tuple(FEATURES),
    seed: int = 1,
) -> Lists:
    """Holds folds of the training edges out and ranks each edge among other nodes.

    Every feature is computed anew without the fold. The other nodes are no training
    neighbours of the source. Where edges are few, folds are drawn several times: each
    draw shows an edge with other edges missing, and among other nodes.

    Args:
        texts: The texts.
        train: The only edges that may be looked at, `[train, 2]`.
        node_count: The number of nodes.
        names: The features.
        seed: What folds and candidates depend on.

    Returns:
        The lists, about `ENOUGH`; none where no edge can be held out.
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


def _folds(edge_count: int, seed: int) -> list[Integers]:
    """Returns the edges of each fold: some of one draw, or all of one or several."""
    rng = np.random.default_rng(seed)
    draws = min(max(1, round(ENOUGH / max(1, edge_count))), DRAWS)
    folds = [
        fold
        for _ in range(draws)
        for fold in np.array_split(rng.permutation(edge_count), FOLDS)
    ]
    sizes = np.cumsum([len(fold) for fold in folds])
    return folds if draws > 1 else folds[: 1 + int((sizes < ENOUGH).sum())]


@threadpool_limits.wrap(limits=1)
def fit_additive(lists: Lists) -> Additive:
    """Fits functions and products that rank held-out edges first.

    The fit maximises the share that a softmax over all nodes of a list gives to the
    target. The mean of three fits is kept, of straight functions, of bent ones, and of
    straight ones with products: each makes up for the others' errors.

    Args:
        lists: What `held_out_lists` returned.

    Returns:
        The sum; all zero where there is no list. Without two features of `CROSSED` it
        has no products, and is the mean of the first two fits; nor has it bounds.
    """
    names, features, counts = lists.names, lists.features, lists.counts
    size = len(names)
    slopes, products = np.zeros((size, 1 + len(BENDS))), np.zeros((size, size))
    if not len(features):
        return Additive(names, slopes, slopes[:, 1:], slopes[:, 0], products)
    bends = np.quantile(features[:, : 1 + HARD], BENDS, axis=(0, 1)).T
    centres = features.mean(axis=(0, 1), dtype=np.float64)
    crossed = [place for place, name in enumerate(names) if name in CROSSED]
    fits = [(_bent(features, bends), BENT_SHRINKAGE), (features, SHRINKAGE)]
    if len(crossed) > 1:
        own = _crossed(features, centres, crossed)
        fits.insert(0, (own, CROSSED_SHRINKAGE))  # the longest first

    def fitted(fit: tuple[Floats, int]) -> Floats:
        return fit_weights(fit[0], counts, fit[1] / lists.edge_count) / len(fits)

    with ThreadPoolExecutor(AT_ONCE) as pool:
        *products_too, bent, straight = pool.map(fitted, fits)
    slopes += bent.reshape(1 + len(BENDS), size).T
    slopes[:, 0] += straight
    for weights in products_too:
        slopes[:, 0] += weights[:size]
        pairs = tuple(np.transpose(list(combinations(crossed, 2))))
        products[pairs] = weights[size:] / 2
    bounds = _bounds(lists) if len(crossed) > 1 else None
    return Additive(names, slopes, bends, centres, products + products.T, bounds)


def _bounds(lists: Lists) -> Floats:
    """Returns the values that features have in lists, but for a few, `[2, features]`.

    No list has a training edge. Those have values of their own, such as a text that is
    all of the other's neighbourhood, and of these the fit knows nothing.
    """
    seen = lists.features[np.isfinite(lists.counts)]
    least, most = np.quantile(seen, (LEAST, MOST), axis=0)
    targets = np.quantile(lists.features[:, 0], MOST_OF_TARGETS, axis=0)
    return np.array([least, np.maximum(most, targets)])


def _lists(
    evidence: Evidence,
    contest: Contest,
    names: Sequence[str],
    rng: np.random.Generator,
) -> Lists:
    """Ranks held-out edges among candidates.

    Args:
        evidence: The features without these edges.
        contest: The edges, and the nodes that are no neighbours of their sources.
        names: The features.
        rng: Draws the candidates.
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
        guide = evidence.rows(block, GUIDE).sum(axis=-1)
        for place, row in zip(mine.tolist(), rows.tolist(), strict=True):
            others = contest.candidates(int(edges[place, 0]))
            order = np.argsort(-guide[row, others], kind="stable")
            best, rest = others[order[:HARD]], others[order[HARD:]]
            nodes[place, 1 : 1 + len(best)] = best
            counts[place, 1 : 1 + len(best)] = 0
            if len(rest):
                nodes[place, 1 + HARD :] = rng.choice(rest, EASY)
                counts[place, 1 + HARD :] = np.log(len(rest) / EASY)
        for column, values in enumerate(evidence.features(block, names)):
            features[mine, :, column] = values[rows[:, None], nodes[mine]]
    edge_ids = edges[:, 0] * contest.node_count + edges[:, 1]
    return Lists(names, features, counts, edge_ids)


def _bent(features: Floats, bends: Floats) -> Floats:
    """Returns the features, then what each exceeds its first bend by, and so on."""
    parts = [np.maximum(features - own.astype(np.float32), 0) for own in bends.T]
    return np.concatenate([features, *parts], axis=-1)


def _crossed(features: Floats, centres: Floats, places: Sequence[int]) -> Floats:
    """Returns the features, then the products of some, less their centres, by pairs."""
    some = features[..., places] - centres[places].astype(np.float32)
    count = len(places)
    parts = [some[..., [k]] * some[..., k + 1 :] for k in range(count - 1)]
    return np.concatenate([features, *parts], axis=-1)
