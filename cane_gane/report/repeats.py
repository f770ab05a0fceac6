"""A single run, and figures over repeated runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from cane_gane.evaluation.outcomes import Outcomes, read_outcomes
from cane_gane.evaluation.results import Evaluation, Figures
from cane_gane.report import paper

Share = tuple[float | None, float | None]  # a share from 0 to 1, and its error


@dataclass(frozen=True)
class OneRun:
    """One of several runs.

    Attributes:
        path: Its folder.
        settings: Its settings.
        evaluation: Its results.
        data: The digests of its data, as in config.json.
    """

    path: Path
    settings: Mapping[str, Any]
    evaluation: Evaluation
    data: Mapping[str, str] = field(default_factory=dict)

    @property
    def published(self) -> str | None:
        """The paper's name of its data set, if the paper's figures may be shown."""
        return paper.known(self.settings["dataset"], self.data)

    @property
    def dataset(self) -> str:
        """The name of its data set."""
        return self.published or Path(self.settings["dataset"]).name

    @property
    def method(self) -> str:
        """The key of its method."""
        return str(self.settings["variant"])

    @property
    def ratio(self) -> float:
        """The share of the edges for training."""
        return float(self.settings["ratio"])

    @property
    def seed(self) -> int:
        """Its seed."""
        return int(self.settings["seed"])

    @cached_property
    def outcomes(self) -> Mapping[str, tuple[Any, Outcomes]]:
        """Its scored edges and the outcome of each, by protocol."""
        return read_outcomes(self.path / "edges.npz")

    def figure(
        self, protocol: str, name: str = "auc", baseline: str | None = None
    ) -> Share:
        """Returns a figure of its method, or of a baseline on the same edges.

        Args:
            protocol: The protocol's key.
            name: The figure, a name from `TITLES`.
            baseline: The baseline's key; None for the method.
        """
        own: Figures | None = self.evaluation.link_prediction.get(protocol)
        if baseline is not None:
            own = self.evaluation.baselines.get(protocol, {}).get(baseline)
        if own is None:
            return None, None
        return getattr(own, name), own.std_error if name == "auc" else None

    def macro_f1(self, share: str) -> Share:
        """Returns Macro-F1 with a share of the labels."""
        own = (self.evaluation.node_classification or {}).get(share)
        return (own.macro_f1, (own.std or {}).get("macro_f1")) if own else (None, None)


@dataclass(frozen=True)
class Entry:
    """One figure over repeats; shares are from 0 to 1.

    Attributes:
        mean: The mean, or the published figure.
        std: The standard deviation over repeats, if there are several.
        std_error: The error of the run itself, if there is only one.
        seeds: The seeds; none for a published figure.
        below: Whether it is below a baseline on the same splits.
        reached: Whether it is at or above the paper's figure, to one decimal.
    """

    mean: float
    std: float | None = None
    std_error: float | None = None
    seeds: tuple[int, ...] = ()
    below: bool = False
    reached: bool = False


def over_repeats(
    runs: Sequence[OneRun], figure: Callable[[OneRun], Share]
) -> Entry | None:
    """Returns a figure over runs, or None if no run has it."""
    found = [(run.seed, *figure(run)) for run in runs]
    known = [(seed, own, error) for seed, own, error in found if own is not None]
    if not known:
        return None
    seeds, values, errors = zip(*known, strict=True)
    several = len(known) > 1
    return Entry(
        fmean(values),
        std=stdev(values) if several else None,
        std_error=None if several else errors[0],
        seeds=tuple(sorted(seeds)),
    )


def points(entries: Mapping[float, Entry | None]) -> list[tuple[float, float, float]]:
    """Returns ratio, figure and spread in % of the entries that are not None."""
    return [
        (ratio, 100 * own.mean, 100 * (own.std or own.std_error or 0))
        for ratio, own in entries.items()
        if own is not None
    ]
