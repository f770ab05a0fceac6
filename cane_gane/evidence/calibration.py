"""From scores to probabilities, fitted on edges that the score has not seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp

Floats = npt.NDArray[np.floating]

MISSING = 1 / 6  # share of all edges that is taken to be missing
_BOUNDS = 0.02, 3.0  # of a temperature


@dataclass(frozen=True)
class Calibration:
    """How likely a score makes an edge.

    A missing edge of u leads to v with the chance e^(t s(u, v)) / sum_w e^(t s(u, w)),
    over all nodes w that are no neighbours. The number of missing edges of u is taken
    to have a Poisson distribution; its mean follows from the number of edges that begin
    at u, half-way to the mean of all nodes. Edges that end at u are not meant.

    Attributes:
        temperature: t, fitted on edges that the score was not fitted on.
    """

    temperature: float

    def log_total(self, row: Floats) -> float:
        """Returns log of the sum over nodes, given their scores; -inf for none."""
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
            log_totals: What `log_total` gives for their sources.
            degrees: How many known edges begin at their sources.
            mean_degree: How many begin at a node on average.
            missing: The share of all edges that is not known.
        """
        shares = np.exp(np.minimum(self.temperature * scores - log_totals, 0))
        expected = missing / (1 - missing) * (np.asarray(degrees) + mean_degree) / 2
        return -np.expm1(-expected * shares)


def fit_temperature(scores: Floats, counts: Floats) -> Calibration | None:
    """Fits the temperature to edges among other nodes.

    Args:
        scores: Those of an edge's target, then of other nodes, `[edges, candidates]`.
        counts: Log of how many nodes each stands for, `[edges, candidates]`; -inf
            where there is none.

    Returns:
        The calibration; None where there is nothing to tell an edge from.
    """
    if not len(scores) or not np.isfinite(counts[:, 1:]).any():
        return None
    relative = scores - scores[:, :1]

    def loss(temperature: float) -> float:
        return float(logsumexp(temperature * relative + counts, axis=1).mean())

    found = minimize_scalar(loss, bounds=_BOUNDS, method="bounded")
    return Calibration(float(found.x))
