"""The page of several runs side by side, with the paper's figures."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from matplotlib.figure import Figure

from cane_gane.report import figures, paper
from cane_gane.report.links import figure_cell
from cane_gane.report.markup import Markup, join, picture, table, tag
from cane_gane.report.page import Page
from cane_gane.report.sections import duration
from cane_gane.report.tables import PROTOCOLS, link_rows, percent


@dataclass(frozen=True)
class OneOfSeveral:
    """One run among others.

    Attributes:
        path: Its folder.
        settings: Its settings.
        metrics: Its metrics.json.
    """

    path: Path
    settings: Mapping[str, Any]
    metrics: Mapping[str, Any]

    @property
    def dataset(self) -> str:
        """The name of its data set."""
        name = self.settings["dataset"]
        return paper.known(name) or Path(name).name

    @property
    def model(self) -> str:
        """The name that the paper has for its model."""
        return paper.NAMES[self.settings["variant"]]


def write_several(runs: Sequence[OneOfSeveral], output: Path) -> None:
    """Writes report.html and its figures.

    Args:
        runs: The runs, in the order of the columns.
        output: The folder.
    """
    page = Page(f"{len(runs)} runs", "Side by side, with the paper's figures.")
    page.section("link-prediction", "Link prediction, AUC in %", _links(runs, output))
    for dataset in dict.fromkeys(run.dataset for run in runs):
        inside = [run for run in runs if run.dataset == dataset]
        drawn = figures.save(
            _curves(dataset, inside), output / "figures" / f"ratios_{dataset}"
        )
        page.section(
            f"ratios-{dataset}", f"AUC against the training ratio: {dataset}",
            picture(
                drawn, f"AUC against the training ratio on {dataset}",
                "Upstream's protocol. Several runs of a model at a ratio are averaged, "
                "± one standard deviation; a single one has its standard error.",
            ),
        )  # fmt: skip
    if any(run.metrics.get("node_classification") for run in runs):
        page.section(
            "classification", "Node classification, Macro-F1 in %", _labels(runs)
        )
    page.section("settings", "What differs in the settings", _differences(runs))
    page.section("time", "Time", _times(runs))
    page.write(output / "report.html")


def _columns(
    runs: Sequence[OneOfSeveral],
    rows: Sequence[tuple[str, Callable[[OneOfSeveral], object]]],
    home: Path | None = None,
) -> Markup:
    """Builds a table with a column for each run."""

    def head(run: OneOfSeveral) -> object:
        name = run.path.resolve().name
        if home is None or not (run.path / "report.html").is_file():
            return name
        target = os.path.relpath(run.path / "report.html", home)
        return tag("a", name, href=Path(target).as_posix())

    body = [(title, *map(value, runs)) for title, value in rows]
    return table(("", *map(head, runs)), body)


def _links(runs: Sequence[OneOfSeveral], output: Path) -> Markup:
    rows: list[tuple[str, Callable[[OneOfSeveral], object]]] = []
    keys = dict.fromkeys(
        (row.key, row.title) for run in runs for row in link_rows(run.metrics)
    )
    for name in PROTOCOLS:
        rows.append((f"{name} protocol:", lambda run: ""))
        for key, title in keys:
            rows.append((f"· {title}", _cell(key, name)))
    rows += [
        ("published, same model and ratio", _published),
        ("CANE's README, same ratio", lambda run: _one_decimal(
            paper.auc(run.dataset, "upstream", run.settings["ratio"]))),
    ]  # fmt: skip
    note = (
        "Red and ↓: below a baseline that learns nothing. The paper does not tell its "
        "negatives; upstream's protocol is the nearest."
    )
    return join([_columns(runs, rows, output), tag("p", note, class_="note")])


def _cell(key: str, name: str) -> Callable[[OneOfSeveral], object]:
    def cell(run: OneOfSeveral) -> object:
        for row in link_rows(run.metrics):
            if row.key == key:
                return figure_cell(row.figures[name], row.below[name])
        return "–"

    return cell


def _published(run: OneOfSeveral) -> str:
    return _one_decimal(
        paper.auc(run.dataset, run.settings["variant"], run.settings["ratio"])
    )


def _one_decimal(value: float | None) -> str:
    return "–" if value is None else f"{value:.1f}"


def _curves(dataset: str, runs: Sequence[OneOfSeveral]) -> Figure:
    """Draws the runs of a data set, repeats averaged, and the paper's curves."""
    found: dict[str, dict[float, tuple[list[float], float]]] = defaultdict(dict)
    for run in runs:
        own = run.metrics["link_prediction"]["upstream"]
        if own["auc"] is not None:
            fresh: tuple[list[float], float] = ([], 100 * (own["std_error"] or 0))
            at = found[run.model].setdefault(run.settings["ratio"], fresh)
            at[0].append(100 * own["auc"])
    ours = {
        model: [
            (ratio, mean(values), stdev(values) if len(values) > 1 else error)
            for ratio, (values, error) in by_ratio.items()
        ]
        for model, by_ratio in found.items()
    }
    return figures.ratio_curves(paper.named_curves(dataset), ours)


def _labels(runs: Sequence[OneOfSeveral]) -> Markup:
    def ours(ratio: str) -> Callable[[OneOfSeveral], object]:
        def cell(run: OneOfSeveral) -> object:
            own = run.metrics.get("node_classification", {}).get(ratio)
            return percent(own["macro_f1"], own["std"]["macro_f1"]) if own else "–"

        return cell

    def theirs(ratio: str) -> Callable[[OneOfSeveral], object]:
        return lambda run: _one_decimal(
            paper.macro_f1(run.dataset, run.settings["variant"]).get(ratio)
        )

    rows = []
    for ratio in paper.LABEL_RATIOS:
        share = f"{100 * float(ratio):.0f} % of the labels"
        rows += [(share, ours(ratio)), (f"· {share}, paper", theirs(ratio))]
    return _columns(runs, rows)


def _differences(runs: Sequence[OneOfSeveral]) -> Markup:
    names = dict.fromkeys(name for run in runs for name in run.settings)
    rows: list[tuple[str, Callable[[OneOfSeveral], object]]] = [
        (name, lambda run, name=name: str(run.settings.get(name)))  # type: ignore[misc]
        for name in names
        if len({str(run.settings.get(name)) for run in runs}) > 1
    ]
    return _columns(runs, rows) if rows else tag("p", "Nothing.")


def _times(runs: Sequence[OneOfSeveral]) -> Markup:
    def cell(part: str) -> Callable[[OneOfSeveral], object]:
        return lambda run: duration(run.metrics["time"].get(part) or 0)

    rows = [("training", cell("train")), ("evaluation", cell("evaluate"))]
    best = ("best epoch", lambda run: run.metrics.get("best_epoch", "–"))
    return _columns(runs, [*rows, best])
