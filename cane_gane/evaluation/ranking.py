"""How high true targets rank among negatives: AUC without a draw, MRR, Hits@10."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from cane_gane.evaluation.protocols import Contest, Integers
from cane_gane.evaluation.results import Draws, Figures

Floats = npt.NDArray[np.float64]
# Sources, `[block]`, to their scores with every node, `[block, nodes]`.
Scorer = Callable[[Integers], Any]

DRAWS = 20
RESAMPLES = 1000
BLOCK_CELLS = 4_000_000
# Scores closer than this share of the source's largest are equal: the order in
# which a matrix product sums must not break a tie.
TIE_TOLERANCE = 1e-12


@dataclass(frozen=True)
class Ranks:
    """The rank of each scored edge's target among its admissible negatives.

    Attributes:
        below: Negatives that score less than the target, `[scored]`.
        ties: Negatives that score the same, `[scored]`.
        negatives: Admissible negatives, `[scored]`.
        targets: Scored targets of the same source, this one included, that
            score the same or more, `[scored]`.
    """

    below: Integers
    ties: Integers
    negatives: Integers
    targets: Integers

    @property
    def shares(self) -> Floats:
        """The share of negatives below, ties as one half: the AUC of each edge."""
        return (self.below + self.ties / 2) / self.negatives

    @property
    def places(self) -> Floats:
        """The target's place from 1, among ties the mean of their places."""
        return 1 + self.negatives - self.below - self.ties / 2

    @property
    def precisions(self) -> Floats:
        """The share of scored targets among all that score the same or more."""
        return self.targets / (self.targets + self.negatives - self.below)


def rank_targets(scorer: Scorer, contest: Contest) -> Ranks:
    """Compares each scored edge with all its admissible negatives.

    Args:
        scorer: Gives the scores of sources with all nodes.
        contest: The scored edges and their negatives.

    Returns:
        The ranks, in the order of `contest.scored`.
    """
    columns = np.zeros((4, len(contest.scored)), np.int64)
    for source, row, places in _rows(scorer, contest):
        targets = contest.scored[places, 1]
        candidates = contest.candidates(source)
        slack = TIE_TOLERANCE * np.abs(row).max()
        below, not_above = _counts(row[candidates], row[targets], slack)
        # A target in the pool has counted itself as a tie.
        own = np.isin(targets, candidates)
        lower_targets, _ = _counts(row[targets], row[targets], slack)
        columns[:, places] = (
            below,
            not_above - below - own,
            len(candidates) - own,
            len(targets) - lower_targets,
        )
    return Ranks(*columns)


def ranked_figures(
    scorer: Scorer, contest: Contest, *, ranks: bool = True, seed: int = 1
) -> Figures:
    """Measures link prediction against all admissible negatives, without a draw.

    - `auc`: the mean over scored edges of the share of admissible negatives
      that score less than the target, ties as one half. It is the expectation
      of the draw that upstream prints.
    - `std_error`, `interval`: of that mean, the edges taken as a sample: the
      standard deviation over edges / √edges, and the 2.5 and 97.5 percentiles
      of 1000 bootstrap samples of the edges.
    - `draws`: mean and standard deviation of 20 of upstream's draws, one
      negative for each edge.
    - `mrr`, `hits_at_10`: the mean of 1/place, and the share of places up to 10. A
      place is counted from 1 among one target and its admissible negatives, so that
      no other neighbour is in its way; among ties it is the mean place.
    - `average_precision`: for each source the average precision of its
      scored targets among themselves and its admissible negatives, ties ranked
      as one group (scikit-learn's definition); then the mean over sources.

    Args:
        scorer: Gives the scores of sources with all nodes.
        contest: The scored edges and their negatives.
        ranks: Whether places make sense; else the last three are left out.
        seed: What the draws and the bootstrap depend on.

    Returns:
        The figures. Where no edge is scored, they are None.
    """
    found = rank_targets(scorer, contest)
    mean, error, interval = mean_with_error(found.shares, seed)
    places: dict[str, Any] = {}
    if ranks:
        precisions = _by_source(found.precisions, contest.scored[:, 0])
        places = {
            "average_precision": _mean(precisions),
            "hits_at_10": _mean((found.places <= 10).astype(np.float64)),
            "mrr": _mean(1 / found.places),
        }
    return Figures(
        auc=mean,
        std_error=error,
        interval=interval,
        draws=_draws(found, seed),
        **contest.counts(),
        **places,
    )


def mean_with_error(
    values: Floats, seed: int
) -> tuple[float | None, float | None, tuple[float, float] | None]:
    """Returns the mean of a sample, its standard error, and its 95 % interval.

    Args:
        values: The sample, `[values]`.
        seed: What the bootstrap depends on.

    Returns:
        The three, each None where the sample is too small for it.
    """
    count = len(values)
    if not count:
        return None, None, None
    rng = np.random.default_rng(seed)
    means = [values[rng.integers(count, size=count)].mean() for _ in range(RESAMPLES)]
    error = float(values.std(ddof=1) / np.sqrt(count)) if count > 1 else None
    low, high = np.percentile(means, [2.5, 97.5]).tolist()
    return float(values.mean()), error, (low, high)


def _rows(scorer: Scorer, contest: Contest) -> Iterator[tuple[int, Floats, Integers]]:
    """Yields each source, its scores with all nodes, and the places of its edges."""
    order = np.argsort(contest.scored[:, 0], kind="stable")
    sources, starts = np.unique(contest.scored[order, 0], return_index=True)
    edges_of = np.split(order, starts[1:])
    step = max(1, BLOCK_CELLS // contest.node_count)
    for first in range(0, len(sources), step):
        block = sources[first : first + step]
        scores = scorer(block)
        for place, source in enumerate(block.tolist()):
            yield source, scores[place], edges_of[first + place]


def _counts(values: Floats, limits: Floats, slack: float) -> tuple[Integers, Integers]:
    """Counts the values below each limit, and those not above it."""
    ordered = np.sort(values)
    below = np.searchsorted(ordered, limits - slack, side="left")
    return below, np.searchsorted(ordered, limits + slack, side="right")


def _draws(ranks: Ranks, seed: int) -> Draws:
    """Draws one negative for each edge, `DRAWS` times.

    A uniform draw from n negatives is a place in their order by score, so the
    ranks suffice and nothing is scored anew.
    """
    if not len(ranks.negatives):
        return Draws(None, None)
    rng = np.random.default_rng(seed)
    drawn = rng.integers(ranks.negatives, size=(DRAWS, len(ranks.negatives)))
    wins = (drawn < ranks.below) / 2 + (drawn < ranks.below + ranks.ties) / 2
    figures = wins.mean(axis=1)
    return Draws(float(figures.mean()), float(figures.std(ddof=1)))


def _by_source(values: Floats, sources: Integers) -> Floats:
    """Returns the mean of each source's values."""
    _, source_of, counts = np.unique(sources, return_inverse=True, return_counts=True)
    return np.bincount(source_of, values, len(counts)) / counts


def _mean(values: Floats) -> float | None:
    return float(np.mean(values)) if len(values) else None
