"""The files of a table of all models and ratios, the page among them."""

from __future__ import annotations

import os
from pathlib import Path

from cane_gane.files import write_atomically
from cane_gane.report import figures, layouts, paper
from cane_gane.report.formats import Layout
from cane_gane.report.markup import Markup, join, picture, table, tag
from cane_gane.report.page import Page
from cane_gane.report.ratios import HURDLE, Ratios
from cane_gane.report.tables import PROTOCOLS

_ABOUT = (
    "Models are scored by their own score, pair by pair. The paper does not tell its "
    "negatives; upstream's protocol is the nearest."
)


def write_overview(found: Ratios, output: Path) -> None:
    """Writes table.md, table.csv, table.tex, table.json, report.html and figures."""
    texts = {
        "table.md": layouts.as_markdown(found),
        "table.csv": layouts.as_csv(found),
        "table.tex": layouts.as_latex(found),
        "table.json": layouts.as_json(found),
    }
    for name, text in texts.items():
        write_atomically(output / name, (text.rstrip("\n") + "\n").encode())
    page = Page(f"{found.dataset}: models by training ratio", layouts.progress(found))
    for name in PROTOCOLS:
        layout = layouts.auc_layout(found, name)
        page.section(
            name, layout.caption, _table(layout), _curves(found, name, output),
            _ABOUT if name == "upstream" else None,
        )  # fmt: skip
    if labels := layouts.label_layout(found):
        page.section("classification", labels.caption, _table(labels))
    page.section("runs", "Runs, by seed", _links(found, output))
    page.write(output / "report.html")


def _table(layout: Layout) -> Markup:
    """Builds a table with its notes; what is below the baseline is red."""
    rows = [
        [tag("td", cell, class_="bad" if "↓" in cell else None) if place else cell
         for place, cell in enumerate(row)]
        for group in layout.groups for row in group
    ]  # fmt: skip
    notes = (tag("p", note, class_="note") for note in layout.notes)
    return join([table(layout.header, rows), *notes])


def _curves(found: Ratios, protocol: str, output: Path) -> Markup:
    """Draws our models and the best baseline, with the paper's curves behind."""
    ours = {
        row.title: [
            (ratio, 100 * own.mean, 100 * (own.std or own.std_error or 0))
            for ratio, own in row.entries.items()
        ]
        for row in found.auc_rows(protocol)
        if row.entries and (row.kind == "ours" or row.key == HURDLE)
    }
    shown = {*ours, "CANE's README"} if protocol == "upstream" else set()
    published = paper.named_curves(found.dataset).items()
    drawn = figures.save(
        figures.ratio_curves({k: v for k, v in published if k in shown}, ours),
        output / "figures" / f"ratios_{protocol}",
    )
    return picture(
        drawn,
        f"AUC against the training ratio on {found.dataset}, {protocol} protocol",
        "AUC against the training ratio; bars are what ± is in the table.",
    )


def _links(found: Ratios, output: Path) -> Markup:
    """Builds a table of links to the pages of the runs."""

    def pages(variant: str, ratio: float) -> Markup:
        return join(
            [
                tag(
                    "a",
                    run.settings["seed"],
                    href=Path(os.path.relpath(run.path, output), "report.html"),
                )
                for run in found.at(ratio, variant)
            ],
            " ",
        )

    return table(
        ("edges for training", *(f"{100 * ratio:g} %" for ratio in found.ratios)),
        [
            (paper.NAMES[variant], *(pages(variant, r) for r in found.ratios))
            for variant in found.variants
        ],
    )
