"""The files of a table of all methods and ratios, including the page."""

from __future__ import annotations

from pathlib import Path
from statistics import fmean

from cane_gane.evaluation.show import TITLES
from cane_gane.files import write_atomically
from cane_gane.report import charts, figures, layouts, paper
from cane_gane.report.exports import as_csv, as_json
from cane_gane.report.figures import Chart, Drawn
from cane_gane.report.formats import Layout
from cane_gane.report.page import Cell, link, write_page
from cane_gane.report.ratios import Ratios, Row
from cane_gane.report.repeats import points
from cane_gane.report.sheets import GAPS, Sheet, sheets
from cane_gane.report.titles import method_title


def write_overview(found: Ratios, output: Path) -> None:
    """Writes table.md, table.csv, table.tex, table.json, report.html and figures."""
    texts = {
        "table.md": layouts.as_markdown(found),
        "table.csv": as_csv(found),
        "table.tex": layouts.as_latex(found),
        "table.json": as_json(found),
    }
    for name, text in texts.items():
        content = (text.rstrip("\n") + "\n").encode(errors="replace")
        write_atomically(output / name, content)
    write_page(
        "table.html",
        output / "report.html",
        title=f"{found.dataset}: methods by training ratio",
        subtitle=f"{layouts.progress(found)} Models are scored by their own score, "
        "pair by pair.",
        tables=[
            (sheet, layout := layouts.layout(found, sheet), _rows(sheet, layout),
             sheet.measure in TITLES and _draw(found, sheet, output))
            for sheet in sorted(sheets(found), key=lambda own: own.measure not in GAPS)
        ],
        done=(len(found.runs), found.count),
        cost=layouts.cost_layout(found),
        ratios=[f"{100 * ratio:g} %" for ratio in found.ratios],
        runs=_links(found, output),
    )  # fmt: skip


def _rows(sheet: Sheet, layout: Layout) -> list[list[Cell]]:
    """Returns the rows of a table; figures below a baseline are red."""
    plain = "soft" if sheet.measure in GAPS else ""

    def cell(text: str) -> Cell:
        if "↓" in text:
            return Cell(text, "below a baseline")
        return Cell(text, kind="good" if "↑" in text else plain)

    return [list(map(cell, row)) for group in layout.groups for row in group]


def _draw(found: Ratios, sheet: Sheet, output: Path) -> Drawn:
    """Draws our methods with baselines and the paper's figures."""
    chart = _bars(sheet) if len(sheet.columns) == 1 else _curves(found, sheet)
    name = f"ratios_{sheet.protocol}_{sheet.measure}"
    return figures.save(chart, output / "figures", name)


def _bars(sheet: Sheet) -> Chart:
    """Draws all rows of a table with one column."""
    kinds = {"paper": "published", "readme": "published", "start": "baselines"}
    bars = [
        charts.Bar(row.title, *own[0][1:], kinds.get(row.kind, row.kind))
        for row in sheet.rows
        if (own := points(row.entries))
    ]
    return charts.bar_chart(bars, TITLES[sheet.measure])


def _curves(found: Ratios, sheet: Sheet) -> Chart:
    """Draws our methods and the best baseline, with the paper's curves behind."""
    baselines = [row for row in sheet.rows if row.kind == "baselines"]
    best = sorted(baselines, key=_mean)[-1:]
    ours = [row for row in sheet.rows if row.kind == "ours"] + best
    curves = {row.title: points(row.entries) for row in ours}
    beside = sheet.measure == "auc" and sheet.protocol in paper.PROTOCOLS
    shown = {*curves, "CANE's README"} if beside else set()
    published = paper.titled_curves(found.published, found.variants).items()
    return charts.ratio_curves(
        {k: v for k, v in published if k in shown}, curves, TITLES[sheet.measure]
    )


def _mean(row: Row) -> float:
    return fmean(own.mean for own in row.entries.values())


def _links(found: Ratios, output: Path) -> list[list[object]]:
    """Returns, for each method and ratio, links to the pages of its runs."""
    return [
        [method_title(variant)] + [
            [Cell(str(run.seed), href=link(run.path / "report.html", output))
             for run in found.at(ratio, variant)]
            for ratio in found.ratios
        ]
        for variant in found.variants if variant not in found.missing
    ]  # fmt: skip
