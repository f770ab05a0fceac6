"""The page of several runs, side by side and with the paper's figures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import methodcaller
from pathlib import Path

from cane_gane.evaluation import protocols
from cane_gane.evaluation.outcomes import differences
from cane_gane.evaluation.results import Difference
from cane_gane.evaluation.show import SHOWN, TITLES, link_rows, percent
from cane_gane.report import charts, figures, paper
from cane_gane.report.figures import Drawn
from cane_gane.report.links import Table, difference_table, figure_cell, row_title
from cane_gane.report.page import Cell, link, memory_text, time_text, write_page
from cane_gane.report.paired import same_edges, why_not
from cane_gane.report.repeats import OneRun, over_repeats, points
from cane_gane.report.titles import method_title, ordered, predicts, protocol_title

Cells = Sequence[object]


def write_several(runs: Sequence[OneRun], output: Path) -> None:
    """Writes report.html and its figures.

    Args:
        runs: The runs, in the order of the columns.
        output: The folder.
    """
    names = folder_names([run.path for run in runs])
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


def folder_names(paths: Sequence[Path]) -> list[str]:
    """Returns names of folders, with as many parents as make them distinct."""
    parts = [path.resolve().parts for path in paths]
    for depth in range(1, max(map(len, parts)) + 1):
        names = ["/".join(own[-depth:]) for own in parts]
        if len({*names}) == len({*parts}):
            break
    return names


def _known(rows: Iterable[Cells]) -> list[Cells]:
    """Returns the rows that do not consist of dashes."""
    return [row for row in rows if {getattr(v, "text", v) for v in row[1:]} != {"–"}]


def _link_tables(runs: Sequence[OneRun], columns: Sequence[Cell]) -> list[Table]:
    """Returns AUC, MRR and Hits@10 in each protocol, with published figures."""
    found = [{row.key: row for row in link_rows(run.evaluation)} for run in runs]
    titles: dict[str, str] = {}
    for own in found:
        titles = {key: row_title(row) for key, row in own.items()} | titles
    names = (name for run in runs for name in run.evaluation.link_prediction)
    published = [
        ("published, same model and ratio",
         *(_published(run, paper.row_of(run.method)) for run in runs)),
        ("CANE's README, same ratio",
         *(_published(run, paper.README) for run in runs)),
    ]  # fmt: skip
    tables = []
    for name in ordered(names):
        rows: list[Cells] = []
        for figure in SHOWN:
            group: list[Cells] = [
                (f"{title}", *(figure_cell(own[key], name, figure)
                                 if key in own else "–" for own in found))
                for key, title in titles.items()
            ]  # fmt: skip
            if figure == "auc" and name in paper.PROTOCOLS:
                group += published
            if group := _known(group):
                rows += [(TITLES[figure],), *group]
        header = (f"{protocol_title(name)}, %", *columns)
        known = protocols.PROTOCOLS.get(name)
        tables.append(Table(header, rows, known.about if known else ""))
    return tables


def _paired(
    runs: Sequence[OneRun], titles: Sequence[str]
) -> tuple[list[Table], list[str]]:
    """Compares the first run with each of the others on the same edges.

    Args:
        runs: The runs.
        titles: Their names.

    Returns:
        A table for each protocol that tests prediction, and the runs that are in none,
        with the reason.
    """
    first = runs[0]
    found: dict[str, list[tuple[str, Mapping[str, Difference]]]] = {}
    left = []
    for run, title in zip(runs[1:], titles[1:], strict=True):
        names = filter(predicts, first.outcomes)
        same = [name for name in names if same_edges(first, run, name)]
        for name in same:
            own = differences(
                first.outcomes[name][1], run.outcomes[name][1], first.seed
            )
            found.setdefault(name, []).append((f"minus {title}", own))
        if not same:
            left.append(f"{title} ({why_not(first, run)})")
    return [difference_table(name, found[name]) for name in ordered(found)], left


def _published(run: OneRun, row: str | None) -> object:
    return paper.auc(run.published, row, run.ratio) or "–"


def _labels(runs: Sequence[OneRun]) -> Iterator[Cells]:
    """Yields Macro-F1 by the share of labels, ours and the paper's."""
    shares = (own for run in runs for own in run.evaluation.node_classification or {})
    theirs = [paper.macro_f1(run.published, paper.row_of(run.method)) for run in runs]
    for share in dict.fromkeys(shares):
        title = f"{100 * float(share):.0f} % of the labels"
        yield title, *(percent(*run.macro_f1(share)) for run in runs)
        yield f"{title}, paper", *(own.get(share, "–") for own in theirs)


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
) -> list[tuple[str, dict[str, Drawn]]]:
    """Draws AUC by ratio for each data set with something to compare.

    Returns:
        The name of each data set, and its figures by protocol.
    """
    groups: dict[tuple[str | None, str], list[OneRun]] = {}
    for run in runs:
        # A folder called `cora` is kept separate from the paper's cora.
        key = (run.published, run.published or str(run.settings["dataset"]))
        groups.setdefault(key, []).append(run)
    drawn: list[tuple[str, dict[str, Drawn]]] = []
    for (published, _), inside in groups.items():
        name = inside[0].dataset
        same = sum(other == name for other, _ in drawn)
        file = f"ratios_{name}" + (f"_{same + 1}" if same else "")
        theirs = paper.titled_curves(published, (run.method for run in inside))
        made = {}
        for protocol in paper.PROTOCOLS:
            ours = _curves(inside, protocol)
            if ours and (theirs or sum(map(len, ours.values())) > 1):
                chart = charts.ratio_chart(theirs, ours)
                made[protocol] = figures.save(chart, folder, f"{file}_{protocol}")
        if made:
            drawn.append((name, made))
    return drawn


def _curves(
    runs: Sequence[OneRun], protocol: str
) -> dict[str, list[tuple[float, float, float]]]:
    """Returns the points of each method, each over its runs at a ratio."""
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
