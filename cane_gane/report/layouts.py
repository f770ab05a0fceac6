"""Methods by training ratio, laid out for readers, and as CSV and JSON for programs."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import Any

from cane_gane.evaluation.show import percent
from cane_gane.progress import duration
from cane_gane.report.formats import Layout
from cane_gane.report.ratios import Ratios, Row
from cane_gane.report.several import Entry
from cane_gane.report.titles import protocol_title

_COLUMNS = (
    "measure", "protocol", "kind", "key", "ratio", "labels", "mean", "std",
    "std_error", "seeds", "below", "reached",
)  # fmt: skip


@dataclass(frozen=True)
class Sheet:
    """One table of a measure.

    Attributes:
        protocol: The protocol of AUC; None for Macro-F1.
        caption: What it shows.
        heading: What its columns are.
        columns: Training ratios, or shares of the labels.
        rows: Its rows.
        error: What the error of a single run is.
    """

    protocol: str | None
    caption: str
    heading: str
    columns: Sequence[float]
    rows: Sequence[Row]
    error: str

    @property
    def entries(self) -> list[tuple[Row, float, Entry]]:
        """Its figures, each with its row and its column."""
        return [(row, c, own) for row in self.rows for c, own in row.entries.items()]


def sheets(found: Ratios) -> list[Sheet]:
    """Returns a sheet for each protocol and, where there are labels, for Macro-F1."""
    made = [
        Sheet(name, f"{found.dataset}: AUC in %, {protocol_title(name)}",
              "edges for training", found.ratios, found.auc_rows(name),
              "standard error over test edges")
        for name in found.protocols
    ]  # fmt: skip
    labels = Sheet(
        None, f"{found.dataset}: Macro-F1 of node classification in %",
        "labels for training", list(map(float, found.shares)), found.label_rows(),
        "standard deviation over draws of the labels",
    )  # fmt: skip
    return [*made, labels] if labels.rows else made


def layout(found: Ratios, sheet: Sheet) -> Layout:
    """Lays a sheet out, its rows in groups of one kind."""
    seeds = len(found.seeds)
    groups = [
        [(row.title, *(_text(row.entries.get(c), seeds) for c in sheet.columns))
         for row in group]
        for _, group in groupby(sheet.rows, lambda row: row.kind)
    ]  # fmt: skip
    header = (sheet.heading, *(f"{100 * column:g} %" for column in sheet.columns))
    return Layout(sheet.caption, header, groups, _notes(found, sheet))


def as_markdown(found: Ratios) -> str:
    """Returns all tables in Markdown."""
    tables = [layout(found, sheet).markdown() for sheet in sheets(found)]
    return "\n\n".join([*tables, progress(found)])


def as_latex(found: Ratios) -> str:
    """Returns all tables in LaTeX."""
    return "\n\n".join(layout(found, sheet).latex() for sheet in sheets(found))


def as_csv(found: Ratios) -> str:
    """Returns a line for each figure, in %."""
    file = io.StringIO()
    writer = csv.DictWriter(file, _COLUMNS, lineterminator="\n")
    writer.writeheader()
    for sheet in sheets(found):
        for row, column, own in sheet.entries:
            where: dict[str, Any] = {"measure": "macro_f1", "labels": column}
            if sheet.protocol:
                where = {"measure": "auc", "protocol": sheet.protocol, "ratio": column}
            line = {"kind": row.kind, "key": row.key, "ratio": row.ratio, **where}
            for key in ("mean", "std", "std_error"):
                share = getattr(own, key)
                line[key] = "" if share is None else f"{100 * share:.4f}"
            line["seeds"] = " ".join(map(str, own.seeds))
            marks = {"below": int(own.below), "reached": int(own.reached)}
            writer.writerow({**line, **marks})
    return file.getvalue()


def as_json(found: Ratios) -> str:
    """Returns all figures as one JSON object; docs/evaluation.md lists its keys."""
    nested: dict[str | None, Any] = {None: {}}
    for sheet in sheets(found):
        kinds = nested.setdefault(sheet.protocol, {})
        for row, column, own in sheet.entries:
            place = kinds.setdefault(row.kind, {}).setdefault(row.key, {})
            if row.ratio is not None:
                place = place.setdefault(f"{row.ratio:g}", {})
            place[f"{column:g}"] = asdict(own)
    content = {
        "dataset": found.dataset,
        "variants": list(found.variants),
        "ratios": list(found.ratios),
        "seeds": list(found.seeds),
        "runs": {"finished": len(found.runs), "all": found.count},
        "seconds": found.seconds,
        "auc": nested,
        "macro_f1": nested.pop(None),
    }
    return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False)


def progress(found: Ratios) -> str:
    """Says how many runs are finished, and what they took."""
    return (
        f"{len(found.runs)} of {found.count} runs are finished; they took "
        f"{duration(found.seconds)} to train and evaluate, added up."
    )


def _text(own: Entry | None, seeds: int) -> str:
    """Returns a figure in % with its spread and its marks.

    Args:
        own: The figure, or None where there is none.
        seeds: How many seeds there will be.
    """
    if own is None:
        return "–"
    count = f" ({len(own.seeds)})" if _partial(own, seeds) else ""
    marks = (" ↓" if own.below else "") + (" †" if own.reached else "")
    spread = own.std_error if own.std is None else own.std
    return percent(own.mean, spread) + count + marks


def _partial(own: Entry, seeds: int) -> bool:
    return 0 < len(own.seeds) < max(seeds, 2)


def _notes(found: Ratios, sheet: Sheet) -> list[str]:
    entries = [own for _, _, own in sheet.entries]
    seeds = _spelled(found.seeds)
    partial = any(_partial(own, len(found.seeds)) for own in entries)
    notes = {
        f"Mean ± standard deviation over seeds {seeds}.": len(found.seeds) > 1,
        f"One run each, with seed {seeds}.": len(found.seeds) == 1,
        f"(n): n runs only; (1): ± is the {sheet.error}.": partial,
        "↓ below a baseline that learns nothing.": any(own.below for own in entries),
        "† at or above the paper's figure of the same model.":
            any(own.reached for own in entries),
    }  # fmt: skip
    return [note for note, applies in notes.items() if applies]


def _spelled(seeds: Sequence[int]) -> str:
    first, last = seeds[0], seeds[-1]
    if len(seeds) > 3 and list(seeds) == list(range(first, last + 1)):
        return f"{first} to {last}"
    return ", ".join(map(str, seeds))
