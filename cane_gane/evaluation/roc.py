"""The ROC curve of pooled scores: one threshold for all pairs."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from sklearn.metrics import auc, roc_curve

from cane_gane.evaluation.results import Roc

POINTS = 100


def pooled_roc(
    positive: npt.ArrayLike, negative: npt.ArrayLike, points: int = POINTS
) -> Roc:
    """Returns how many true and false pairs score above each threshold.

    Unlike the AUC of a protocol, which compares a target with the negatives of
    its own source, it pools the pairs of all sources.

    Args:
        positive: The scores of edges, of any shape.
        negative: The scores of negatives, of any shape.
        points: How many points of the curve to keep, about evenly along it.

    Returns:
        The curve, with its whole area; None if there are no edges or no negatives.
    """
    true, false = np.ravel(np.asarray(positive)), np.ravel(np.asarray(negative))
    if not len(true) or not len(false):
        return Roc(None, None, None)
    truth = np.repeat([1, 0], [len(true), len(false)])
    # The curve depends on the order alone, and scikit-learn refuses infinite scores.
    _, order = np.unique(np.concatenate([true, false]), return_inverse=True)
    rates = roc_curve(truth, order, drop_intermediate=False)[:2]
    travelled = rates[0] + rates[1]
    kept = np.searchsorted(travelled, np.linspace(0, 2, points))
    kept = np.unique(np.minimum(kept, len(travelled) - 1))
    false_rate, true_rate = (rate[kept].round(4).tolist() for rate in rates)
    return Roc(false_rate, true_rate, float(auc(*rates)))
