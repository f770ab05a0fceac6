"""Several runs: figures over repeats, and a page of them beside the paper's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import methodcaller
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import numpy as np

from cane_gane.evaluation import protocols
from cane_gane.evaluation.outcomes import Outcomes, differences, read_outcomes
from cane_gane.evaluation.results import Difference, Evaluation, Figures
from cane_gane.evaluation.show import SHOWN, TITLES, link_rows, percent
from cane_gane.report import figures, paper
from cane_gane.report.links import Table, difference_table, figure_cell, row_title
from cane_gane.report.page import Cell, link, memory_text, time_text, write_page
from cane_gane.report.titles import method_title, ordered, predicts, protocol_title

Share = tuple[float | None, float | None]  # a share from 0 to 1, and its error
Cells = Sequence[object]


@dataclass(frozen=True)
class OneRun:
    """One run among others.

    Attributes:
        path: Its folder.
        settings: Its settings.
        evaluation: Its results.
        data: The digests of its data, as config.json has them.
    """

    path: Path
    settings: Mapping[str, Any]
    evaluation: Evaluation
    data: Mapping[str, str] = field(default_factory=dict)

    @property
    def published(self) -> str | None:
        """The paper's name of its data set, where the paper's figures may be shown."""
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
        """Its scored edges and what its score makes of each, by protocol."""
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
        mean: The mean, or what was published.
        std: The standard deviation over repeats, where there are several.
        std_error: The error of the run itself, where there is a single one.
        seeds: The seeds; none for what was published.
        below: Whether it is below a baseline on the same splits.
        reached: Whether it is at or above the paper's figure, to its one decimal.
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
    """Returns a figure over runs, or None where no run has it."""
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
    """Returns ratio, figure and spread in % of the entries that there are."""
    return [
        (ratio, 100 * own.mean, 100 * (own.std or own.std_error or 0))
        for ratio, own in entries.items()
        if own is not None
    ]


def write_several(runs: Sequence[OneRun], output: Path) -> None:
    """Writes report.html and its figures.

    Args:
        runs: The runs, in the order of the columns.
        output: The folder.
    """
    names = [run.path.resolve().name for run in runs]
    pages = [run.path / "report.html" for run in runs]
    paired, unpaired = _paired(runs, names)
    write_page(
        "several.html",
        output / "report.html",
        title=f"{len(runs)} runs",
        subtitle="Side by side, with the paper's figures.",
        names=names,
        links=_link_tables(runs, [
            Cell(name, href=link(page, output) if page.is_file() else "")
            for name, page in zip(names, pages, strict=True)
        ]),
        paired=paired,
        unpaired=unpaired,
        curves=_draw_curves(runs, output / "figures"),
        labels=_known(_labels(runs)),
        settings=_differences(runs),
        times=_known(_times(runs)),
    )  # fmt: skip


def _known(rows: Iterable[Cells]) -> list[Cells]:
    """Returns the rows that have more than dashes."""
    return [row for row in rows if {getattr(v, "text", v) for v in row[1:]} != {"–"}]


def _link_tables(runs: Sequence[OneRun], columns: Sequence[Cell]) -> list[Table]:
    """Returns AUC, MRR and Hits@10 in each protocol, beside what was published."""
    found = [{row.key: row for row in link_rows(run.evaluation)} for run in runs]
    titles: dict[str, str] = {}
    for own in found:
        titles = {key: row_title(row) for key, row in own.items()} | titles
    names = (name for run in runs for name in run.evaluation.link_prediction)
    published = [
        ("· published, same model and ratio",
         *(_published(run, paper.row_of(run.method)) for run in runs)),
        ("· CANE's README, same ratio",
         *(_published(run, paper.README) for run in runs)),
    ]  # fmt: skip
    tables = []
    for name in ordered(names):
        rows: list[Cells] = []
        for figure in SHOWN:
            group: list[Cells] = [
                (f"· {title}", *(figure_cell(own[key], name, figure)
                                 if key in own else "–" for own in found))
                for key, title in titles.items()
            ]  # fmt: skip
            if figure == "auc" and name in paper.PROTOCOLS:
                group += published
            if group := _known(group):
                rows += [(f"{TITLES[figure]}:", *[""] * len(runs)), *group]
        header = (f"{protocol_title(name)}, %", *columns)
        known = protocols.PROTOCOLS.get(name)
        tables.append(Table(header, rows, known.about if known else ""))
    return tables


def _paired(
    runs: Sequence[OneRun], titles: Sequence[str]
) -> tuple[list[Table], list[str]]:
    """Compares the first run with each other one on the same edges.

    Args:
        runs: The runs.
        titles: Their names.

    Returns:
        A table for each protocol that predicts, and which runs are in none, with the
        reason.
    """
    first = runs[0]
    found: dict[str, list[tuple[str, Mapping[str, Difference]]]] = {}
    left = []
    for run, title in zip(runs[1:], titles[1:], strict=True):
        names = filter(predicts, first.outcomes)
        same = [name for name in names if _same_edges(first, run, name)]
        for name in same:
            own = differences(
                first.outcomes[name][1], run.outcomes[name][1], first.seed
            )
            found.setdefault(name, []).append((f"less {title}", own))
        if not same:
            left.append(f"{title} ({_why_not(first, run)})")
    return [difference_table(name, found[name]) for name in ordered(found)], left


def _same_edges(first: OneRun, other: OneRun, protocol: str) -> bool:
    return (
        first.data == other.data
        and protocol in other.outcomes
        and np.array_equal(first.outcomes[protocol][0], other.outcomes[protocol][0])
    )


def _why_not(first: OneRun, other: OneRun) -> str:
    if first.data != other.data:
        return "other data"
    for run in (first, other):
        if not run.outcomes:
            return f"no edges.npz: bash run.sh evaluate {run.path} writes it"
    return "other test edges"


def _published(run: OneRun, row: str | None) -> object:
    return paper.auc(run.published, row, run.ratio) or "–"


def _labels(runs: Sequence[OneRun]) -> Iterator[Cells]:
    """Yields Macro-F1 by the share of labels, ours and the paper's."""
    shares = (own for run in runs for own in run.evaluation.node_classification or {})
    theirs = [paper.macro_f1(run.published, paper.row_of(run.method)) for run in runs]
    for share in dict.fromkeys(shares):
        title = f"{100 * float(share):.0f} % of the labels"
        yield title, *(percent(*run.macro_f1(share)) for run in runs)
        yield f"· {title}, paper", *(own.get(share, "–") for own in theirs)


def _differences(runs: Sequence[OneRun]) -> list[Cells]:
    names = dict.fromkeys(name for run in runs for name in run.settings)
    rows = [(name, *(str(run.settings.get(name)) for run in runs)) for name in names]
    return [row for row in rows if len({*row[1:]}) > 1]


def _times(runs: Sequence[OneRun]) -> Iterator[Cells]:
    found = [run.evaluation for run in runs]
    yield "training", *(time_text(own.time.train) for own in found)
    yield "evaluation", *(time_text(own.time.evaluate) for own in found)
    yield "memory", *(memory_text(own.time.memory) for own in found)
    yield "best epoch", *(own.best_epoch or "–" for own in found)


def _draw_curves(
    runs: Sequence[OneRun], folder: Path
) -> list[tuple[str, dict[str, bytes]]]:
    """Draws AUC against the ratio for each data set that has more than one point.

    Returns:
        The name of each data set, and its figures by protocol.
    """
    groups: dict[tuple[str | None, str], list[OneRun]] = {}
    for run in runs:
        # A folder called `cora` is apart from the paper's cora.
        key = (run.published, run.published or str(run.settings["dataset"]))
        groups.setdefault(key, []).append(run)
    drawn: list[tuple[str, dict[str, bytes]]] = []
    for (published, _), inside in groups.items():
        name = inside[0].dataset
        same = sum(other == name for other, _ in drawn)
        file = f"ratios_{name}" + (f"_{same + 1}" if same else "")
        theirs = paper.titled_curves(published, (run.method for run in inside))
        made = {}
        for protocol in paper.PROTOCOLS:
            ours = _curves(inside, protocol)
            if ours and (theirs or max(map(len, ours.values())) > 1):
                figure = figures.ratio_curves(theirs, ours)
                made[protocol] = figures.save(figure, folder, f"{file}_{protocol}")
        if made:
            drawn.append((name, made))
    return drawn


def _curves(
    runs: Sequence[OneRun], protocol: str
) -> dict[str, list[tuple[float, float, float]]]:
    """Returns the points of each method, over its runs at a ratio."""
    groups: dict[str, dict[float, list[OneRun]]] = {}
    for run in runs:
        ratios = groups.setdefault(method_title(run.method), {})
        ratios.setdefault(run.ratio, []).append(run)
    auc = methodcaller("figure", protocol)
    curves = {
        method: points({ratio: over_repeats(own, auc) for ratio, own in ratios.items()})
        for method, ratios in groups.items()
    }
    return {method: curve for method, curve in curves.items() if curve}
