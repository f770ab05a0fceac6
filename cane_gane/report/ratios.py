"""Figures of models by training ratio, over seeds, beside what was published."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, stdev
from typing import Any

from cane_gane.report import paper
from cane_gane.report.several import OneOfSeveral
from cane_gane.report.tables import TITLES

HURDLE = "tfidf_one_hop"  # a model below it is not worth its training
Figure = tuple[float | None, float | None]  # a share and its error


@dataclass(frozen=True)
class Entry:
    """One figure over seeds; shares are from 0 to 1.

    Attributes:
        mean: The mean, or what was published.
        std: The standard deviation over seeds, where there are several.
        std_error: The error of the run itself, where there is a single one.
        seeds: The seeds; none for what was published.
        below: Whether it is below the hurdle on the same splits.
        reached: Whether it is at or above the paper's figure, to its one decimal.
    """

    mean: float
    std: float | None = None
    std_error: float | None = None
    seeds: tuple[int, ...] = ()
    below: bool = False
    reached: bool = False


@dataclass(frozen=True)
class Row:
    """One line of a table.

    Attributes:
        kind: `ours`, `baselines`, `paper` or `readme`.
        key: The variant or the baseline.
        title: What a reader calls it.
        entries: Its figures, by what the columns are.
        ratio: The training ratio, where that is not what the columns are.
    """

    kind: str
    key: str
    title: str
    entries: Mapping[float, Entry]
    ratio: float | None = None


@dataclass(frozen=True)
class Ratios:
    """The runs of a data set: each variant at each ratio with each seed.

    Attributes:
        dataset: The data set's name.
        variants: The models.
        ratios: The training ratios.
        seeds: The seeds.
        runs: Those that are finished.
    """

    dataset: str
    variants: Sequence[str]
    ratios: Sequence[float]
    seeds: Sequence[int]
    runs: Sequence[OneOfSeveral]

    @property
    def count(self) -> int:
        """How many runs there will be."""
        return len(self.variants) * len(self.ratios) * len(self.seeds)

    @property
    def seconds(self) -> float:
        """What the finished runs took to train and evaluate."""
        times = [run.metrics["time"] for run in self.runs]
        return sum((own["train"] or 0) + (own["evaluate"] or 0) for own in times)

    def auc_rows(self, protocol: str) -> list[Row]:
        """Returns our models, the baselines and, beside upstream's protocol, the paper.

        Columns are training ratios.
        """
        rows = [
            _row("ours", key, paper.NAMES[key],
                 {ratio: self._model(key, ratio, protocol) for ratio in self.ratios})
            for key in self.variants
        ]  # fmt: skip
        rows += [
            _row("baselines", key, title,
                 {ratio: _baseline(self.at(ratio), protocol, key)
                  for ratio in self.ratios})
            for key, title in TITLES.items()
        ]  # fmt: skip
        if protocol == "upstream":
            rows += [
                _row("paper", key, f"{paper.NAMES[key]}, paper", self._published(key))
                for key in self.variants
            ]
            title = "CANE, upstream's README"
            rows.append(_row("readme", "cane", title, self._published("upstream")))
        return [row for row in rows if row.entries or row.kind == "ours"]

    def label_rows(self) -> list[Row]:
        """Returns Macro-F1 of our models, and of the paper below each.

        Columns are shares of the labels. Without labels there is no row.
        """
        rows = []
        for key in self.variants:
            name = paper.NAMES[key]
            for ratio in self.ratios:
                mine = self.at(ratio, key)
                found = {float(s): _macro_f1(mine, s) for s in paper.LABEL_RATIOS}
                title = f"{name}, {100 * ratio:g} % of the edges"
                rows.append(replace(_row("ours", key, title, found), ratio=ratio))
            published = paper.macro_f1(self.dataset, key)
            theirs = {float(s): _entry_of(own) for s, own in published.items()}
            rows.append(_row("paper", key, f"{name}, paper", theirs))
        rows = [row for row in rows if row.entries]
        return rows if any(row.kind == "ours" for row in rows) else []

    def at(self, ratio: float, variant: str | None = None) -> list[OneOfSeveral]:
        """Returns the finished runs at a ratio, of one variant or of all."""
        return [
            run
            for run in self.runs
            if run.settings["ratio"] == ratio
            and variant in (None, run.settings["variant"])
        ]

    def _model(self, variant: str, ratio: float, protocol: str) -> Entry | None:
        runs = self.at(ratio, variant)
        own = _entry(
            {_seed(r): _figure(r.metrics["link_prediction"][protocol]) for r in runs}
        )
        if own is None:
            return None
        hurdle = _baseline(runs, protocol, HURDLE)
        theirs = paper.auc(self.dataset, variant, ratio)
        reached = theirs is not None and round(100 * own.mean, 1) >= theirs
        return replace(
            own,
            below=hurdle is not None and own.mean < hurdle.mean,
            reached=reached and protocol == "upstream",
        )

    def _published(self, key: str) -> dict[float, Entry | None]:
        return {r: _entry_of(paper.auc(self.dataset, key, r)) for r in self.ratios}


def _row(kind: str, key: str, title: str, found: Mapping[float, Entry | None]) -> Row:
    known = {column: own for column, own in found.items() if own is not None}
    return Row(kind, key, title, known)


def _entry(found: Mapping[int, Figure]) -> Entry | None:
    """Returns a figure over seeds, or None where no seed has it."""
    known = {seed: own for seed, own in found.items() if own[0] is not None}
    if not known:
        return None
    values = [float(value or 0) for value, _ in known.values()]
    (_, error), *others = known.values()
    return Entry(
        fmean(values),
        std=stdev(values) if others else None,
        std_error=None if others else error,
        seeds=tuple(sorted(known)),
    )


def _entry_of(percent: float | None) -> Entry | None:
    return None if percent is None else Entry(percent / 100)


def _baseline(runs: Sequence[OneOfSeveral], protocol: str, key: str) -> Entry | None:
    """Returns a baseline, which is the same for all variants, over seeds."""
    return _entry(
        {_seed(r): _figure(r.metrics["baselines"][protocol].get(key, {})) for r in runs}
    )


def _macro_f1(runs: Sequence[OneOfSeveral], share: str) -> Entry | None:
    found = {
        _seed(r): r.metrics.get("node_classification", {}).get(share) for r in runs
    }
    return _entry(
        {
            seed: (own["macro_f1"], own["std"]["macro_f1"])
            for seed, own in found.items()
            if own
        }
    )


def _figure(figures: Mapping[str, Any]) -> Figure:
    return figures.get("auc"), figures.get("std_error")


def _seed(run: OneOfSeveral) -> int:
    return int(run.settings["seed"])
