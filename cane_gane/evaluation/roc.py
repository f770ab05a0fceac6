"""The ROC curve of pooled scores: one threshold for all pairs."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata

POINTS = 100


def roc_curve(
    positive: npt.ArrayLike, negative: npt.ArrayLike, points: int = POINTS
) -> dict[str, Any]:
    """Returns how many true and false pairs score above each threshold.

    Unlike the AUC of a protocol, which compares a target with the negatives of
    its own source, it pools the pairs of all sources.

    Args:
        positive: The scores of edges, of any shape.
        negative: The scores of negatives, of any shape.
        points: How many points of the curve to keep, about evenly along it.

    Returns:
        `false_positives` and `true_positives`, rates from 0 to 1, both rising;
        `area`, that of the whole curve. None where there is no pair of a kind.
    """
    true, false = np.ravel(np.asarray(positive)), np.ravel(np.asarray(negative))
    if not len(true) or not len(false):
        return {"false_positives": None, "true_positives": None, "area": None}
    thresholds = np.unique(np.concatenate([true, false]))[::-1]
    rates = [
        np.concatenate(
            [[0.0], np.searchsorted(np.sort(-side), -thresholds, "right") / len(side)]
        )
        for side in (false, true)
    ]
    travelled = rates[0] + rates[1]
    kept = np.searchsorted(travelled, np.linspace(0, 2, points))
    kept = np.unique(np.minimum(kept, len(travelled) - 1))
    ranks = rankdata(np.concatenate([true, false]))[: len(true)]
    above = ranks.sum() - len(true) * (len(true) + 1) / 2
    return {
        "false_positives": rates[0][kept].round(4).tolist(),
        "true_positives": rates[1][kept].round(4).tolist(),
        "area": float(above / len(true) / len(false)),
    }
