"""Paired differences of two scores on the same edges, for two runs and over seeds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot
from statistics import fmean, stdev

import numpy as np

from cane_gane.evaluation.outcomes import mean_with_error
from cane_gane.evaluation.results import Difference
from cane_gane.report.repeats import Entry, OneRun


@dataclass(frozen=True, kw_only=True)
class Gap(Entry):
    """The difference between two methods on the same edges, over repeats.

    Attributes:
        interval: The 95 % interval of the mean.
        rival: The key of the other method.
    """

    interval: tuple[float, float]
    rival: str


def same_edges(first: OneRun, other: OneRun, protocol: str) -> bool:
    """Returns whether two runs scored the same edges under a protocol."""
    return (
        first.data == other.data
        and protocol in other.outcomes
        and np.array_equal(first.outcomes[protocol][0], other.outcomes[protocol][0])
    )


def why_not(first: OneRun, other: OneRun) -> str:
    """Returns why two runs cannot be compared edge by edge."""
    if first.data != other.data:
        return "other data"
    for run in (first, other):
        if not run.outcomes:
            return f"no edges.npz: bash run.sh evaluate {run.path} writes it"
    return "other test edges"


def paired_gap(
    first: Sequence[OneRun],
    other: Sequence[OneRun],
    protocol: str,
    figure: str,
    rival: str = "",
) -> Gap | None:
    """Returns the runs of one method minus those of another, seed by seed.

    Args:
        first: The runs of the first method, one for each seed.
        other: The runs of the other method.
        protocol: The protocol's key.
        figure: `auc`, `mrr` or `hits_at_N`.
        rival: The key of the other method.

    Returns:
        The difference over the seeds that both have on the same edges; None without
        such a seed.
    """
    others = {run.seed: run for run in other}
    found = {}
    for run in first:
        against = others.get(run.seed)
        if against is not None and same_edges(run, against, protocol):
            columns = [r.outcomes[protocol][1].column(figure) for r in (run, against)]
            gaps = columns[0] - columns[1]
            known = gaps[~np.isnan(gaps)]
            mean, _, interval = mean_with_error(known, run.seed)
            if mean is not None and interval is not None:
                found[run.seed] = Difference(mean, interval)
    return gap_of(found, rival)


def gap_of(found: dict[int, Difference], rival: str) -> Gap | None:
    """Combines differences over seeds; None without any."""
    if not found:
        return None
    whole, means = combined([*found.values()]), [own.mean for own in found.values()]
    return Gap(
        mean=whole.mean,
        std=stdev(means) if len(means) > 1 else None,
        seeds=tuple(sorted(found)),
        below=whole.sign < 0,
        interval=whole.interval,
        rival=rival,
    )


def combined(found: Sequence[Difference]) -> Difference:
    """Returns the mean of independent differences, with its interval.

    Args:
        found: The differences, one for each seed.

    Returns:
        Their mean. Each side of its interval is the root of the sum of their squared
        sides, divided by their number.
    """
    mean = fmean(own.mean for own in found)
    low, high = (
        hypot(*(own.interval[side] - own.mean for own in found)) / len(found)
        for side in (0, 1)
    )
    return Difference(mean, (mean - low, mean + high))
