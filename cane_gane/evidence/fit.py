"""Weights for evidence: functions and products that rank held-out edges first."""

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


@dataclass(frozen=True)
class FittedEvidence:
    """What a fit leaves behind, ready to be served.

    Attributes:
        functions: The functions and products of all features, of two nodes.
        table: Their sum for all pairs of nodes, `[nodes, nodes]`, or nothing in a large
            network.
        text_functions: Those of `WORD_FEATURES` alone, for texts of no network.
        words: The words that texts are compared by, in lower case.
        idf: The weight of each, `[words]`.
        calibration: From the sum of all functions to probabilities; None where there
            were too few edges.
        matrices: What a large network has of each node, in place of the table.
    """

    functions: Additive
    table: Floats | None
    text_functions: Additive
    words: Sequence[str]
    idf: Floats
    calibration: Calibration | None = None
    matrices: Matrices | None = None

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
