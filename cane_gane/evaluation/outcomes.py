"""The outcome of each edge under a score; means and differences with intervals."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from cane_gane.errors import fault
from cane_gane.evaluation.results import Difference, Draws, Figures
from cane_gane.files import write_atomically

Floats = npt.NDArray[np.floating]
Integers = npt.NDArray[np.int64]

RESAMPLES = 1000
COMPARED = ("auc", "mrr", "hits_at_10")  # the figures that two scores are compared by
# Scores closer than this share of the largest are equal: the order in which a matrix
# product sums must not break a tie.
TIE_TOLERANCE = 1e-12
NO_DRAWS = Draws(None, None)
_CELLS = 4_000_000  # resampling weights that are kept for reuse: 32 MB


@dataclass(frozen=True)
class Outcomes:
    """The outcomes of a score on the scored edges of a contest, edge by edge.

    Attributes:
        shares: The share of negatives below the target, `[scored]`; NaN if that was not
            measured.
        places: The target's rank among its negatives, from 1, `[scored]`; NaN if it was
            not ranked.
        precisions: The share of targets among all that score the same or more,
            `[scored]`, or None.
        draws: What upstream's own random draws would print.
        notes: Further fields of `Figures` about the measurement.
    """

    shares: Floats
    places: Floats
    precisions: Floats | None = None
    draws: Draws = NO_DRAWS
    notes: Mapping[str, Any] = field(default_factory=dict)

    def column(self, figure: str) -> Floats:
        """Returns each edge's contribution to `auc`, `mrr` or `hits_at_N`, `[scored]`.

        Their mean is the figure; an edge that was not measured has NaN.
        """
        if figure == "auc":
            return self.shares
        if figure == "mrr":
            return 1 / self.places
        most = int(figure.removeprefix("hits_at_"))
        return np.where(np.isnan(self.places), np.nan, self.places <= most)

    def figures(
        self,
        sources: Integers,
        counts: Mapping[str, int],
        seed: int,
        *,
        drawn: bool = False,
    ) -> Figures:
        """Returns the means over the edges that were measured.

        Args:
            sources: The source of each edge, `[scored]`.
            counts: How many edges are scored, and of which kind.
            seed: The seed of the bootstrap.
            drawn: Whether the sources are a random sample, so that their edges are not
                independent.
        """
        known, ranked = ~np.isnan(self.shares), ~np.isnan(self.places)
        shares, groups = self.shares[known], sources[known] if drawn else None
        mean, error, interval = mean_with_error(shares, seed, groups)
        own: dict[str, Any] = {}
        if ranked.any():
            for name in ("mrr", "hits_at_1", "hits_at_10", "hits_at_50"):
                own[name] = float(self.column(name)[ranked].mean())
            if drawn or not ranked.all():  # only the sources that were ranked
                places = 1 / self.places[ranked]
                own["mrr_error"] = clustered_error(places, sources[ranked])
        if self.precisions is not None and ranked.any():
            known = _by_source(self.precisions[ranked], sources[ranked])
            own["average_precision"] = float(known.mean())
        return Figures(
            auc=mean, std_error=error, interval=interval, draws=self.draws,
            **{**counts, **own, **self.notes},
        )  # fmt: skip


def only_places(
    places: Floats,
    precisions: Floats | None = None,
    notes: Mapping[str, Any] | None = None,
) -> Outcomes:
    """Returns outcomes whose shares were not measured."""
    return Outcomes(np.full(len(places), np.nan), places, precisions, notes=notes or {})


def places_among(own: Floats, rivals: Floats) -> Floats:
    """Returns the place of each score, from 1, among its own rivals.

    Ties get the mean place.

    Args:
        own: The scores, `[scores]`.
        rivals: The scores of their rivals, `[scores, rivals]`; -inf pads missing ones.

    Returns:
        The places, `[scores]`.
    """
    sizes = np.abs(np.column_stack([own, np.where(np.isfinite(rivals), rivals, 0)]))
    slack = TIE_TOLERANCE * sizes.max(axis=1, initial=0)
    above = (rivals > (own + slack)[:, None]).sum(axis=1)
    not_below = (rivals >= (own - slack)[:, None]).sum(axis=1)
    return 1 + (above + not_below) / 2


def clustered_error(values: Floats, groups: Integers) -> float | None:
    """Returns the standard error of the mean of values that were drawn in groups.

    Args:
        values: The values, `[values]`.
        groups: The group of each, `[values]`.

    Returns:
        The error; None for a single group.
    """
    _, group_of, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    if len(sizes) < 2:
        return None
    gaps = np.bincount(group_of, values - values.mean())
    spread = np.square(gaps).sum() * len(sizes) / (len(sizes) - 1)
    return float(np.sqrt(spread) / len(values))


def mean_with_error(
    values: Floats, seed: int, groups: Integers | None = None
) -> tuple[float | None, float | None, tuple[float, float] | None]:
    """Returns the mean of a sample, its standard error, and its 95 % interval.

    Args:
        values: The sample, `[values]`.
        seed: The seed of the bootstrap.
        groups: The group of each value, `[values]`, if groups were drawn.

    Returns:
        The three, each None if the sample is too small for it.
    """
    count = len(values)
    if not count:
        return None, None, None
    if groups is None:
        error = float(values.std(ddof=1) / np.sqrt(count)) if count > 1 else None
        means = _resampled(values, seed)
    else:
        error = clustered_error(values, groups)
        _, group_of, sizes = np.unique(groups, return_inverse=True, return_counts=True)
        sums = np.bincount(group_of, values).astype(np.float64)
        means = _resampled(sums, seed) / _resampled(sizes.astype(np.float64), seed)
    low, high = np.percentile(means, [2.5, 97.5]).tolist()
    return float(values.mean()), error, (low, high)


def differences(
    first: Outcomes, second: Outcomes, seed: int, groups: Integers | None = None
) -> dict[str, Difference]:
    """Compares two scores on the same edges, by a paired bootstrap.

    Args:
        first: One score.
        second: Another, on the same contest.
        seed: The seed of the bootstrap.
        groups: The source of each edge, `[scored]`, if sources were drawn.

    Returns:
        For each figure of `COMPARED` that both have: first minus second, with its
        interval, over the edges that both measured.
    """
    found = {}
    for name in COMPARED:
        gaps = first.column(name) - second.column(name)
        known = ~np.isnan(gaps)
        own = None if groups is None else groups[known]
        mean, _, interval = mean_with_error(gaps[known], seed, own)
        if mean is not None and interval is not None:
            found[name] = Difference(mean, interval)
    return found


def _resampled(values: Floats, seed: int) -> Floats:
    """Returns the means of `RESAMPLES` samples drawn with replacement.

    Samples of the same size and seed draw the same values, so weights are cached.
    """
    count = len(values)
    if count * RESAMPLES <= _CELLS:
        return _weights(count, seed) @ values
    rng = np.random.default_rng(seed)
    draws = (rng.integers(count, size=count) for _ in range(RESAMPLES))
    return np.array([values[own].mean() for own in draws])


@lru_cache(maxsize=8)
def _weights(count: int, seed: int) -> Floats:
    """Returns how often each value is drawn, divided by `count`, `[samples, count]`."""
    rng = np.random.default_rng(seed)
    drawn = rng.multinomial(count, np.full(count, 1 / count), size=RESAMPLES)
    return drawn / count


def _by_source(values: Floats, sources: Integers) -> Floats:
    """Returns the mean of each source's values."""
    _, source_of, counts = np.unique(sources, return_inverse=True, return_counts=True)
    return np.bincount(source_of, values, len(counts)) / counts


def write_outcomes(path: Path, found: Mapping[str, tuple[Integers, Outcomes]]) -> None:
    """Writes the scored edges, shares and places of each protocol, to compare runs."""
    arrays: dict[str, Any] = {
        f"{name}/{key}": value
        for name, (edges, own) in found.items()
        for key, value in zip(
            ("edges", "shares", "places"), (edges, own.shares, own.places), strict=True
        )
    }
    content = io.BytesIO()
    np.savez_compressed(content, **arrays)
    write_atomically(path, content.getvalue())


def read_outcomes(path: Path) -> dict[str, tuple[Integers, Outcomes]]:
    """Reads what `write_outcomes` wrote; returns an empty dict without the file.

    Raises:
        InputError: The file is damaged.
    """
    if not path.is_file():
        return {}
    try:
        with np.load(io.BytesIO(path.read_bytes())) as content:
            names = dict.fromkeys(key.rpartition("/")[0] for key in content.files)
            return {
                name: (
                    content[f"{name}/edges"],
                    Outcomes(content[f"{name}/shares"], content[f"{name}/places"]),
                )
                for name in names
            }
    except Exception as error:  # zipfile and numpy raise various errors
        reason = " ".join(str(error).split())[:80] or type(error).__name__
        expected = "what a run wrote there: bash run.sh evaluate RUN writes it again"
        raise fault(path, None, reason, expected) from None
