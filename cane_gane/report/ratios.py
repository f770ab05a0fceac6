"""Figures of methods by training ratio, over seeds, with published figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import methodcaller
from statistics import fmean

from cane_gane.evaluation.results import Difference
from cane_gane.report import paper
from cane_gane.report.paired import Gap, gap_of, paired_gap
from cane_gane.report.repeats import Entry, OneRun, over_repeats
from cane_gane.report.titles import MAIN, baseline_title, method_title, ordered

START = "start"  # the only baseline that differs between methods


@dataclass(frozen=True)
class Cost:
    """The cost of fitting a method.

    Attributes:
        seconds: The mean over repeats.
        memory: The maximum over repeats, in bytes, if known.
    """

    seconds: float
    memory: int | None


@dataclass(frozen=True)
class Row:
    """One line of a table.

    Attributes:
        kind: `ours`, `start`, `baselines`, `paper` or `readme`.
        key: The method or the baseline.
        title: Its name for readers.
        entries: Its figures, by column.
        ratio: The training ratio, if columns are something else.
    """

    kind: str
    key: str
    title: str
    entries: Mapping[float, Entry]
    ratio: float | None = None


@dataclass(frozen=True)
class Ratios:
    """The runs of a data set: each method at each ratio with each seed.

    Attributes:
        dataset: The data set's name.
        variants: The methods.
        ratios: The training ratios.
        seeds: The seeds.
        runs: The finished runs.
    """

    dataset: str
    variants: Sequence[str]
    ratios: Sequence[float]
    seeds: Sequence[int]
    runs: Sequence[OneRun]

    @property
    def count(self) -> int:
        """The total number of runs."""
        return len(self.variants) * len(self.ratios) * len(self.seeds)

    @property
    def seconds(self) -> float:
        """The time that the finished runs took to train and evaluate."""
        times = [run.evaluation.time for run in self.runs]
        return sum((own.train or 0) + (own.evaluate or 0) for own in times)

    @property
    def protocols(self) -> list[str]:
        """The keys of the protocols that the runs have."""
        found = (name for run in self.runs for name in run.evaluation.link_prediction)
        return ordered(found)

    @property
    def shares(self) -> list[str]:
        """The shares of labels for which the runs have Macro-F1."""
        found = (run.evaluation.node_classification or {} for run in self.runs)
        return list(dict.fromkeys(share for own in found for share in own))

    @property
    def published(self) -> str | None:
        """The paper's name of the data set, if all runs had the paper's data."""
        names = {run.published for run in self.runs}
        return names.pop() if len(names) == 1 else None

    def link_rows(self, protocol: str, figure: str) -> list[Row]:
        """Returns our methods, the baselines and, for AUC, the paper.

        Columns are training ratios. If no method has the figure, there are no rows.
        """
        rows = [
            Row("ours", key, method_title(key),
                _known({r: self._method(key, r, protocol, figure)
                        for r in self.ratios}))
            for key in self.variants
        ]  # fmt: skip
        if not any(row.entries for row in rows):
            return []
        rows += [
            Row("start", key, f"{method_title(key)}, before training",
                _known({r: _baseline(self.at(r, key), protocol, figure, START)
                        for r in self.ratios}))
            for key in self.variants
        ]  # fmt: skip
        rows += [
            Row("baselines", key, baseline_title(key),
                _known({r: _baseline(self.at(r), protocol, figure, key)
                        for r in self.ratios}))
            for key in _baselines(self.runs, protocol) if key != START
        ]  # fmt: skip
        if figure == "auc" and protocol in paper.PROTOCOLS:
            rows += [
                Row("paper", key, f"{method_title(key)}, paper",
                    self._published(paper.row_of(key)))
                for key in self.variants
            ]  # fmt: skip
            title = "CANE, upstream's README"
            rows.append(Row("readme", "cane", title, self._published(paper.README)))
        return [row for row in rows if row.entries]

    def gap_rows(self) -> list[Row]:
        """Returns our methods minus the best baseline by MRR, in the main protocol.

        Columns are training ratios; a row has those at which its baseline is the best.
        """
        rows: dict[tuple[str, str], dict[float, Entry]] = {}
        for key in self.variants:
            for ratio in self.ratios:
                if own := _gap(self.at(ratio, key)):
                    rows.setdefault((key, own.rival), {})[ratio] = own
        return [
            Row("ours", key, f"{method_title(key)} minus {baseline_title(rival)}", own)
            for (key, rival), own in rows.items()
        ]

    @cached_property
    def paired_rows(self) -> list[Row]:
        """Returns our methods minus the best of them by MRR, on the same edges.

        Columns are training ratios. Empty if no two methods have the same edges.
        """
        means = {
            row.key: (len(row.entries), fmean(own.mean for own in row.entries.values()))
            for row in self.link_rows(MAIN, "mrr")
            if row.kind == "ours"
        }
        best = max(means, key=lambda key: means[key], default="")
        found: dict[str, dict[float, Entry]] = {key: {} for key in means if key != best}
        for ratio in self.ratios:  # runs with the same edges follow each other
            first = self.at(ratio, best)
            for key, own in found.items():
                if gap := paired_gap(self.at(ratio, key), first, MAIN, "mrr", best):
                    own[ratio] = gap
        return [
            Row("ours", key, f"{method_title(key)} minus {method_title(best)}", own)
            for key, own in found.items()
            if own
        ]

    @property
    def missing(self) -> list[str]:
        """The methods without finished runs."""
        there = {run.method for run in self.runs}
        return [key for key in self.variants if key not in there]

    def cost(self, variant: str, ratio: float) -> Cost | None:
        """Returns the cost of fitting a method, over seeds, if known."""
        times = [run.evaluation.time for run in self.at(ratio, variant)]
        seconds = [own.train for own in times if own.train is not None]
        memory = [own.memory for own in times if own.memory is not None]
        if not seconds:
            return None
        return Cost(fmean(seconds), max(memory, default=None))

    def label_rows(self) -> list[Row]:
        """Returns Macro-F1 of our methods, and of the paper below each.

        Columns are shares of the labels. Without labels there are no rows.
        """
        rows = []
        for key in self.variants:
            name = method_title(key)
            for ratio in self.ratios:
                found = {
                    float(share): over_repeats(
                        self.at(ratio, key), methodcaller("macro_f1", share)
                    )
                    for share in self.shares
                }
                title = f"{name}, {100 * ratio:g} % of the edges"
                rows.append(Row("ours", key, title, _known(found), ratio))
            published = paper.macro_f1(self.published, paper.row_of(key)).items()
            theirs = {float(share): Entry(own / 100) for share, own in published}
            rows.append(Row("paper", key, f"{name}, paper", theirs))
        rows = [row for row in rows if row.entries]
        return rows if any(row.kind == "ours" for row in rows) else []

    def at(self, ratio: float, variant: str | None = None) -> list[OneRun]:
        """Returns the finished runs at a ratio, of one method or of all."""
        runs = [run for run in self.runs if run.ratio == ratio]
        return [run for run in runs if variant in (None, run.method)]

    def _method(
        self, variant: str, ratio: float, protocol: str, figure: str
    ) -> Entry | None:
        runs = self.at(ratio, variant)
        own = over_repeats(runs, methodcaller("figure", protocol, figure))
        if own is None:
            return None
        keys = _baselines(runs, protocol)
        rivals = [_baseline(runs, protocol, figure, key) for key in keys]
        theirs = None
        if figure == "auc" and protocol in paper.PROTOCOLS:
            theirs = paper.auc(self.published, paper.row_of(variant), ratio)
        return replace(
            own,
            below=any(rival is not None and own.mean < rival.mean for rival in rivals),
            reached=theirs is not None and round(100 * own.mean, 1) >= theirs,
        )

    def _published(self, row: str | None) -> dict[float, Entry]:
        found = {ratio: paper.auc(self.published, row, ratio) for ratio in self.ratios}
        return {r: Entry(own / 100) for r, own in found.items() if own is not None}


def _known(found: Mapping[float, Entry | None]) -> dict[float, Entry]:
    return {column: own for column, own in found.items() if own is not None}


def _baselines(runs: Sequence[OneRun], protocol: str) -> list[str]:
    """Returns the keys of the baselines that runs have."""
    found = (key for run in runs for key in run.evaluation.baselines.get(protocol, {}))
    return list(dict.fromkeys(found))


def _baseline(
    runs: Sequence[OneRun], protocol: str, figure: str, key: str
) -> Entry | None:
    """Returns a baseline over seeds; for a seed, it is the same for all methods."""
    by_seed = {run.seed: run for run in runs}
    return over_repeats(
        list(by_seed.values()), methodcaller("figure", protocol, figure, key)
    )


def _gap(runs: Sequence[OneRun]) -> Gap | None:
    """Returns the runs of a method minus the best baseline that they all have."""
    stored: dict[str, list[tuple[int, float, Difference]]] = {}
    for run in runs:
        for key, own in run.evaluation.baselines.get(MAIN, {}).items():
            if own.mrr is not None and own.difference and "mrr" in own.difference:
                known = (run.seed, own.mrr, own.difference["mrr"])
                stored.setdefault(key, []).append(known)
    if not stored:
        return None
    rival = max(
        stored, key=lambda k: (len(stored[k]), fmean(m for _, m, _ in stored[k]))
    )
    return gap_of({seed: gap for seed, _, gap in stored[rival]}, rival)
