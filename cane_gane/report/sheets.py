"""The tables of methods by training ratio: one for each measure and protocol."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from cane_gane.evaluation.show import SHOWN, TITLES
from cane_gane.report.ratios import Ratios, Row
from cane_gane.report.repeats import Entry
from cane_gane.report.titles import MAIN, protocol_title

GAP = "mrr_difference"  # the measure of a method minus the best baseline
PAIRED = "mrr_paired"  # the measure of a method minus the best method
GAPS = (GAP, PAIRED)
MEASURES = (*SHOWN, *GAPS, "macro_f1")


@dataclass(frozen=True)
class Sheet:
    """One table of a measure.

    Attributes:
        measure: Its name in CSV and JSON.
        protocol: The protocol; None for Macro-F1.
        title: What it shows.
        heading: What its columns stand for.
        columns: Training ratios, or shares of the labels.
        rows: Its rows.
        error: The meaning of a single run's error, if it has one.
    """

    measure: str
    protocol: str | None
    title: str
    heading: str
    columns: Sequence[float]
    rows: Sequence[Row]
    error: str = ""

    @property
    def entries(self) -> list[tuple[Row, float, Entry]]:
        """Its figures, each with its row and its column."""
        return [(row, c, own) for row in self.rows for c, own in row.entries.items()]


def sheets(found: Ratios) -> list[Sheet]:
    """Returns the sheets that have figures, one per measure and protocol."""
    made = [
        Sheet(key, name, f"{TITLES[key]} in %, {protocol_title(name)}",
              "edges for training", found.ratios, found.link_rows(name, key),
              "standard error over edges" if key == "auc" else "")
        for name in found.protocols
        for key in SHOWN
    ]  # fmt: skip
    made += [
        Sheet(
            GAP, MAIN, "MRR minus that of the best baseline, in points, "
            f"{protocol_title(MAIN)}",
            "edges for training", found.ratios, found.gap_rows(),
        ),
        Sheet(
            PAIRED, MAIN, "MRR minus that of the best method, in points, "
            f"{protocol_title(MAIN)}",
            "edges for training", found.ratios, found.paired_rows,
        ),
        Sheet(
            "macro_f1", None, "Macro-F1 of node classification in %",
            "labels for training", list(map(float, found.shares)), found.label_rows(),
            "standard deviation over draws of the labels",
        ),
    ]  # fmt: skip
    return [_without_empty(sheet) for sheet in made if sheet.rows]


def _without_empty(sheet: Sheet) -> Sheet:
    """Returns a sheet without its empty columns."""
    there = {column for row in sheet.rows for column in row.entries}
    return replace(sheet, columns=[own for own in sheet.columns if own in there])
