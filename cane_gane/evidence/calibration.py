"""Turns scores into probabilities, fitted on edges that the score has not seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp

Floats = npt.NDArray[np.floating]

MISSING = 1 / 6  # share of all edges that is assumed to be missing
_BOUNDS = 0.02, 3.0  # bounds of the temperature


@dataclass(frozen=True)
class Calibration:
    """The probability of an edge, given its score.

    A missing edge of u leads to v with probability e^(t s(u, v)) / sum_w e^(t s(u, w)),
    over all nodes w that are not neighbours. The number of missing edges of u is
    assumed to be Poisson distributed; its mean is proportional to the number of edges
    that begin at u, averaged with the mean over all nodes. Edges that end at u do not
    count.

    Attributes:
        temperature: t, fitted on edges that the score was not fitted on.
    """

    temperature: float

    def log_total(self, row: Floats) -> float:
        """Returns the log of the sum over nodes, given their scores; -inf if none."""
        return float(logsumexp(self.temperature * row[np.isfinite(row)]))

    def probability(
        self,
        scores: Floats,
        log_totals: Any,
        degrees: Any,
        mean_degree: float,
        missing: float = MISSING,
    ) -> Floats:
        """Returns the probability of an edge.

        Args:
            scores: Scores of pairs.
            log_totals: What `log_total` returns for their sources.
            degrees: How many known edges begin at their sources.
            mean_degree: How many edges begin at a node on average.
            missing: The share of all edges that is unknown.
        """
        shares = np.exp(np.minimum(self.temperature * scores - log_totals, 0))
        expected = missing / (1 - missing) * (np.asarray(degrees) + mean_degree) / 2
        return -np.expm1(-expected * shares)


def fit_temperature(scores: Floats, counts: Floats) -> Calibration | None:
    """Fits the temperature to edges among other nodes.

    Args:
        scores: Scores of an edge's target, then of other nodes, `[edges, candidates]`.
        counts: Log of how many nodes each candidate stands for, `[edges, candidates]`;
            -inf pads missing ones.

    Returns:
        The calibration; None if no edge has other candidates.
    """
    if not len(scores) or not np.isfinite(counts[:, 1:]).any():
        return None
    relative = scores - scores[:, :1]

    def loss(temperature: float) -> float:
        return float(logsumexp(temperature * relative + counts, axis=1).mean())

    found = minimize_scalar(loss, bounds=_BOUNDS, method="bounded")
    return Calibration(float(found.x))
