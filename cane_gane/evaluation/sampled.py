"""AUC from a fixed sample of negatives, for scores that cost too much for all."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from cane_gane.errors import InputError
from cane_gane.evaluation.protocols import Integers, Protocol
from cane_gane.evaluation.ranking import DRAWS, mean_with_error


def sample_negatives(protocol: Protocol, per_edge: int, seed: int = 1) -> Integers:
    """Draws negatives for each scored edge, uniformly from the admissible ones.

    They differ from each other where there are enough; else they are drawn with
    replacement.

    Args:
        protocol: The scored edges and their negatives.
        per_edge: How many for each edge.
        seed: What the sample hangs on.

    Returns:
        Pairs to score, source and negative, `[scored, per_edge, 2]`.

    Raises:
        InputError: `per_edge` is less than 1.
    """
    if per_edge < 1:
        raise InputError(f"found {per_edge} negatives an edge; expected at least 1")
    rng = np.random.default_rng(seed)
    pairs = np.empty((len(protocol.scored), per_edge, 2), np.int64)
    pairs[:, :, 0] = protocol.scored[:, :1]
    for row, (source, target) in zip(pairs, protocol.scored.tolist(), strict=True):
        negatives = protocol.negatives(source, target)
        row[:, 1] = rng.choice(negatives, per_edge, replace=len(negatives) < per_edge)
    return pairs


def sampled_auc(
    positive_scores: npt.ArrayLike, negative_scores: npt.ArrayLike, seed: int = 1
) -> dict[str, Any]:
    """Estimates the AUC from the scores of sampled negatives.

    Args:
        positive_scores: The score of each scored edge, `[scored]`.
        negative_scores: The scores of its negatives, `[scored, per_edge]`.
        seed: What the bootstrap hangs on.

    Returns:
        `auc`, the mean over edges of the share of negatives that score less,
        ties as one half; `std_error` and `interval` of it, the edges taken as a
        sample, as `link_prediction` has them; `sampling_error`, the part that
        is due to the sample of negatives, None for one negative an edge;
        `negatives`, how many each edge has; `draws`, mean and standard deviation
        of 20 of upstream's draws, one of these negatives for each edge. Ready for
        JSON, beside `Protocol.counts()`.

    Raises:
        InputError: The shapes do not fit, or a score is NaN.
    """
    positive = np.asarray(positive_scores, np.float64)
    negative = np.asarray(negative_scores, np.float64)
    if positive.ndim != 1 or negative.ndim != 2 or len(positive) != len(negative):
        raise InputError(
            f"found scores of shapes {positive.shape} and {negative.shape}; "
            "expected [scored] and [scored, per_edge]"
        )
    if np.isnan(positive).any() or np.isnan(negative).any():
        raise InputError("found a score that is NaN; expected numbers")
    limits = positive[:, None]
    wins = (negative < limits) / 2 + (negative <= limits) / 2
    count, per_edge = wins.shape
    report = mean_with_error(wins.mean(axis=1), seed)
    error = None
    if count and per_edge > 1:
        error = float(np.sqrt(wins.var(axis=1, ddof=1).sum() / per_edge) / count)
    return {
        "auc": report.pop("mean"),
        **report,
        "sampling_error": error,
        "negatives": per_edge,
        "draws": _draws(wins, seed),
    }


def _draws(wins: npt.NDArray[np.float64], seed: int) -> dict[str, Any]:
    """Picks one negative for each edge, `DRAWS` times."""
    count, per_edge = wins.shape
    if not count:
        return {"mean": None, "std": None}
    rng = np.random.default_rng(seed)
    picked = rng.integers(per_edge, size=(DRAWS, count))
    figures = wins[np.arange(count), picked].mean(axis=1)
    return {"mean": float(figures.mean()), "std": float(figures.std(ddof=1))}
