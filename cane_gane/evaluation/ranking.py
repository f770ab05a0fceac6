"""How high true targets rank among negatives: AUC without a draw, MRR, Hits@10."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from cane_gane.evaluation.protocols import Integers, Protocol
from cane_gane.evaluation.scores import Floats, Scorer

Report = dict[str, Any]

DRAWS = 20
RESAMPLES = 1000
BLOCK_CELLS = 4_000_000
# Scores closer than this share of the source's largest are equal: the order in
# which a matrix product sums must not break a tie.
TIE_TOLERANCE = 1e-12


@dataclass(frozen=True)
class Ranks:
    """Where each scored edge's target stands among its admissible negatives.

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


def rank_targets(scorer: Scorer, protocol: Protocol) -> Ranks:
    """Compares each scored edge with all its admissible negatives.

    Args:
        scorer: Gives the scores of sources with all nodes.
        protocol: The scored edges and their negatives.

    Returns:
        The ranks, in the order of `protocol.scored`.
    """
    columns = np.zeros((4, len(protocol.scored)), np.int64)
    for source, row, places in _rows(scorer, protocol):
        targets = protocol.scored[places, 1]
        candidates = protocol.candidates(source)
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


def link_prediction(scorer: Scorer, protocol: Protocol, seed: int = 1) -> Report:
    """Measures link prediction under one protocol.

    - `auc`: the mean over scored edges of the share of admissible negatives
      that score less than the target, ties as one half. It is the expectation
      of the draw that upstream prints.
    - `std_error`, `interval`: of that mean, the edges taken as a sample: the
      standard deviation over edges / √edges, and the 2.5 and 97.5 percentiles
      of 1000 bootstrap samples of the edges.
    - `draws`: mean and standard deviation of 20 of upstream's draws, one
      negative for each edge.
    - `mrr`, `hits_at_10` (strict): the mean of 1/place, and the share of places
      up to 10. A place is counted from 1 among one target and its admissible
      negatives, so that no other neighbour is in its way; among ties it is the
      mean place.
    - `average_precision` (strict): for each source the average precision of its
      scored targets among themselves and its admissible negatives, ties ranked
      as one group (scikit-learn's definition); then the mean over sources.

    Args:
        scorer: Gives the scores of sources with all nodes.
        protocol: The scored edges and their negatives.
        seed: What the draws and the bootstrap hang on.

    Returns:
        The figures, ready for JSON, with the protocol's counts. Where no edge is
        scored, the figures are None.
    """
    ranks = rank_targets(scorer, protocol)
    report = mean_with_error(ranks.shares, seed)
    report = {"auc": report.pop("mean"), **report, **protocol.counts()}
    report["draws"] = _draws(ranks, seed)
    if protocol.name == "strict":
        sources = protocol.scored[:, 0]
        report["average_precision"] = _mean(_by_source(ranks.precisions, sources))
        report["hits_at_10"] = _mean((ranks.places <= 10).astype(np.float64))
        report["mrr"] = _mean(1 / ranks.places)
    return report


def mean_with_error(values: Floats, seed: int) -> Report:
    """Returns `mean`, `std_error` and the bootstrap `interval` (95 %) of a sample.

    Args:
        values: The sample, `[values]`.
        seed: What the bootstrap hangs on.

    Returns:
        The three, each None where the sample is too small for it.
    """
    if not len(values):
        return {"mean": None, "std_error": None, "interval": None}
    rng = np.random.default_rng(seed)
    count = len(values)
    means = [values[rng.integers(count, size=count)].mean() for _ in range(RESAMPLES)]
    error = values.std(ddof=1) / np.sqrt(count) if count > 1 else None
    return {
        "mean": float(values.mean()),
        "std_error": None if error is None else float(error),
        "interval": np.percentile(means, [2.5, 97.5]).tolist(),
    }


def _rows(scorer: Scorer, protocol: Protocol) -> Iterator[tuple[int, Floats, Integers]]:
    """Yields each source, its scores with all nodes, and the places of its edges."""
    order = np.argsort(protocol.scored[:, 0], kind="stable")
    sources, starts = np.unique(protocol.scored[order, 0], return_index=True)
    edges_of = np.split(order, starts[1:])
    step = max(1, BLOCK_CELLS // protocol.node_count)
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


def _draws(ranks: Ranks, seed: int) -> Report:
    """Draws one negative for each edge, `DRAWS` times.

    A uniform draw from n negatives is a place in their order by score, so the
    ranks suffice and nothing is scored anew.
    """
    if not len(ranks.negatives):
        return {"mean": None, "std": None}
    rng = np.random.default_rng(seed)
    drawn = rng.integers(ranks.negatives, size=(DRAWS, len(ranks.negatives)))
    wins = (drawn < ranks.below) / 2 + (drawn < ranks.below + ranks.ties) / 2
    figures = wins.mean(axis=1)
    return {"mean": float(figures.mean()), "std": float(figures.std(ddof=1))}


def _by_source(values: Floats, sources: Integers) -> Floats:
    """Returns the mean of each source's values."""
    _, source_of, counts = np.unique(sources, return_inverse=True, return_counts=True)
    return np.bincount(source_of, values, len(counts)) / counts


def _mean(values: Floats) -> float | None:
    return float(np.mean(values)) if len(values) else None
