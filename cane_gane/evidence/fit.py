"""Fits weights for evidence: functions and products that rank held-out edges first."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits

from cane_gane.data.graph import Edges
from cane_gane.data.tfidf import word_weights
from cane_gane.evidence.additive import Additive
from cane_gane.evidence.calibration import Calibration, fit_temperature
from cane_gane.evidence.features import WORD_FEATURES, Evidence
from cane_gane.evidence.large import LargeEvidence, LargeTexts, Matrices
from cane_gane.evidence.likeness import WHOLE, texts_of
from cane_gane.evidence.lists import AT_ONCE, HARD, Lists, held_out_lists, large_lists
from cane_gane.evidence.softmax import fit_weights

Floats = npt.NDArray[np.floating]
Integers = npt.NDArray[np.int64]

# Features whose products also count.
CROSSED = (
    "word_pairs", "shared_words", "pairs_one_hop", "across", "neighbours",
    "closest_target", "closest_source", "target_height", "source_height", "walks",
    "adamic_adar", "pagerank", "near_sources", "near_targets", "popularity", "degree",
)  # fmt: skip
# Shrinkage, in edges: of linear functions, of bent ones, of linear ones with products.
SHRINKAGE, BENT_SHRINKAGE, CROSSED_SHRINKAGE = 20, 60, 180
BENDS = (0.1, 0.525, 0.95)  # functions bend at these quantiles of the hard candidates
# Features are clipped to quantiles of all nodes of the lists, and of targets.
LEAST, MOST, MOST_OF_TARGETS = 0.001, 0.999, 0.99


@dataclass(frozen=True)
class FittedEvidence:
    """The result of a fit, ready to be served.

    Attributes:
        functions: The functions and products of all features of two nodes.
        table: Their sum for all pairs of nodes, `[nodes, nodes]`; None in a large
            network.
        text_functions: The functions of `WORD_FEATURES` only, for texts outside
            networks.
        words: The words by which texts are compared, in lower case.
        idf: The weight of each word, `[words]`.
        calibration: Turns the sum of all functions into probabilities; None if there
            were too few edges.
        matrices: The matrices of a large network, in place of the table.
    """

    functions: Additive
    table: Floats | None
    text_functions: Additive
    words: Sequence[str]
    idf: Floats
    calibration: Calibration | None = None
    matrices: Matrices | None = None

    def weights(self) -> dict[str, Any]:
        """Returns the functions of nodes and of texts and the calibration, for JSON."""
        found: dict[str, Any] = {
            "nodes": self.functions.weights(),
            "texts": self.text_functions.weights(),
        }
        if self.calibration:
            found["calibration"] = vars(self.calibration)
        return found


@threadpool_limits.wrap(limits=1)  # sums of several threads depend on their number
def fit_evidence(texts: Sequence[str], train: Edges, seed: int) -> FittedEvidence:
    """Fits evidence for nodes and for texts.

    Args:
        texts: The text of each node; at least one text has a word.
        train: The only edges that may be used, `[train, 2]`.
        seed: The seed of folds and candidates.
    """
    count = len(texts)
    if count > WHOLE:
        large = LargeTexts.fit(texts, seed)
        lists = large_lists(large, train, seed)
        functions, table = fit_additive(lists), None
        matrices: Matrices | None = LargeEvidence.fit(large, train, seed).matrices
    else:
        known = texts_of(texts)
        lists = held_out_lists(known, train, count, seed=seed)
        functions = fit_additive(lists)
        table, matrices = functions.table(Evidence(known, train, count)), None
    words, idf = word_weights(texts)
    return FittedEvidence(
        functions,
        table,
        fit_additive(lists.only(WORD_FEATURES)),
        words,
        idf.astype(np.float32),
        calibrate(lists),
        matrices,
    )


def calibrate(lists: Lists) -> Calibration | None:
    """Fits probabilities on half of the edges, with functions fitted on the rest.

    Args:
        lists: What `held_out_lists` returned.

    Returns:
        The calibration; None if there are too few edges.
    """
    places = np.unique(lists.edge_ids, return_inverse=True)[1]
    halves = [lists.of(places % 2 == own) for own in (0, 1)]
    functions, seen = fit_additive(halves[0]), halves[1]
    features = (seen.features[..., place] for place in range(len(seen.names)))
    scores = sum(functions.parts(features).values(), np.zeros(seen.counts.shape))
    return fit_temperature(scores, seen.counts) if len(halves[0].counts) else None


@threadpool_limits.wrap(limits=1)
def fit_additive(lists: Lists) -> Additive:
    """Fits functions and products that rank held-out edges first.

    The fit maximises the share that a softmax over all nodes of a list gives to the
    target. The result is the mean of three fits: linear functions, bent ones, and
    linear ones with products. Their errors partly cancel.

    Args:
        lists: What `held_out_lists` returned.

    Returns:
        The sum; all zero without lists. With fewer than two features of `CROSSED` it is
        the mean of the first two fits, without products and bounds.
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
        fits.insert(0, (own, CROSSED_SHRINKAGE))  # the slowest first

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
    """Returns the range of features in lists, without outliers, `[2, features]`.

    Lists hold no training edges. Training edges have values that do not occur in lists,
    such as a text that is the other node's whole neighbourhood, and the fit knows
    nothing about these.
    """
    seen = lists.features[np.isfinite(lists.counts)]
    least, most = np.quantile(seen, (LEAST, MOST), axis=0)
    targets = np.quantile(lists.features[:, 0], MOST_OF_TARGETS, axis=0)
    return np.array([least, np.maximum(most, targets)])


def _bent(features: Floats, bends: Floats) -> Floats:
    """Returns the features, then the excess of each over its first bend, and so on."""
    parts = [np.maximum(features - own.astype(np.float32), 0) for own in bends.T]
    return np.concatenate([features, *parts], axis=-1)


def _crossed(features: Floats, centres: Floats, places: Sequence[int]) -> Floats:
    """Returns the features, then the products of pairs of some, minus their centres."""
    some = features[..., places] - centres[places].astype(np.float32)
    count = len(places)
    parts = [some[..., [k]] * some[..., k + 1 :] for k in range(count - 1)]
    return np.concatenate([features, *parts], axis=-1)
