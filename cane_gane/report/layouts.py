"""Models by training ratio, laid out for readers, and as CSV and JSON for programs."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import asdict
from itertools import groupby
from typing import Any

from cane_gane.report import paper
from cane_gane.report.formats import Layout
from cane_gane.report.ratios import HURDLE, Entry, Ratios, Row
from cane_gane.report.sections import duration
from cane_gane.report.tables import PROTOCOLS, TITLES, percent

_TITLES = {"upstream": "upstream's protocol", "strict": "strict protocol"}
_COLUMNS = (
    "measure", "protocol", "kind", "key", "ratio", "labels", "mean", "std",
    "std_error", "seeds", "below", "reached",
)  # fmt: skip


def auc_layout(found: Ratios, protocol: str) -> Layout:
    """Lays out the AUC of a protocol."""
    return _layout(
        found,
        found.auc_rows(protocol),
        found.ratios,
        (f"{found.dataset}: AUC in %, {_TITLES[protocol]}", "edges for training"),
        "standard error over test edges",
    )


def label_layout(found: Ratios) -> Layout | None:
    """Lays out Macro-F1; None without labels."""
    rows = found.label_rows()
    if not rows:
        return None
    return _layout(
        found,
        rows,
        [float(share) for share in paper.LABEL_RATIOS],
        (f"{found.dataset}: Macro-F1 of node classification in %",
         "labels for training"),
        "standard deviation over draws of the labels",
    )  # fmt: skip


def layouts(found: Ratios) -> list[Layout]:
    """Returns all tables that there are."""
    tables = [auc_layout(found, protocol) for protocol in PROTOCOLS]
    labels = label_layout(found)
    return [*tables, labels] if labels else tables


def as_markdown(found: Ratios) -> str:
    """Returns all tables in Markdown."""
    return "\n\n".join([*(one.markdown() for one in layouts(found)), progress(found)])


def as_latex(found: Ratios) -> str:
    """Returns all tables in LaTeX."""
    return "\n\n".join(one.latex() for one in layouts(found))


def as_csv(found: Ratios) -> str:
    """Returns a line for each figure, in %."""
    file = io.StringIO()
    writer = csv.DictWriter(file, _COLUMNS, lineterminator="\n")
    writer.writeheader()
    for protocol in PROTOCOLS:
        for row in found.auc_rows(protocol):
            for ratio, own in row.entries.items():
                where = {"measure": "auc", "protocol": protocol, "ratio": ratio}
                writer.writerow({**where, **_cells(row, own)})
    for row in found.label_rows():
        for share, own in row.entries.items():
            where = {"measure": "macro_f1", "ratio": row.ratio, "labels": share}
            writer.writerow({**where, **_cells(row, own)})
    return file.getvalue()


def as_json(found: Ratios) -> str:
    """Returns all figures as one JSON object; docs/evaluation.md lists its keys."""

    def entries(rows: Sequence[Row]) -> dict[str, Any]:
        nested: dict[str, Any] = {}
        for row in rows:
            place = nested.setdefault(row.kind, {}).setdefault(row.key, {})
            if row.ratio is not None:
                place = place.setdefault(f"{row.ratio:g}", {})
            place.update({f"{c:g}": asdict(own) for c, own in row.entries.items()})
        return nested

    content = {
        "dataset": found.dataset,
        "variants": list(found.variants),
        "ratios": list(found.ratios),
        "seeds": list(found.seeds),
        "runs": {"finished": len(found.runs), "all": found.count},
        "seconds": found.seconds,
        "auc": {name: entries(found.auc_rows(name)) for name in PROTOCOLS},
        "macro_f1": entries(found.label_rows()),
    }
    return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False)


def progress(found: Ratios) -> str:
    """Says how many runs are finished, and what they took."""
    return (
        f"{len(found.runs)} of {found.count} runs are finished; they took "
        f"{duration(found.seconds)} to train and evaluate, added up."
    )


def entry_text(own: Entry | None, seeds: int) -> str:
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


def _layout(
    found: Ratios,
    rows: Sequence[Row],
    columns: Sequence[float],
    titles: tuple[str, str],
    error: str,
) -> Layout:
    seeds = len(found.seeds)
    groups = [
        [
            (row.title, *(entry_text(row.entries.get(c), seeds) for c in columns))
            for row in group
        ]
        for _, group in groupby(rows, lambda row: row.kind)
    ]
    caption, heading = titles
    header = (heading, *(f"{100 * column:g} %" for column in columns))
    return Layout(caption, header, groups, _notes(found, rows, error))


def _notes(found: Ratios, rows: Sequence[Row], error: str) -> list[str]:
    entries = [own for row in rows for own in row.entries.values()]
    seeds = _spelled(found.seeds)
    several = len(found.seeds) > 1
    notes = {
        f"Mean ± standard deviation over seeds {seeds}.": several,
        f"One run each, with seed {seeds}.": not several,
        f"(n): n runs only; (1): ± is the {error}.": any(
            _partial(own, len(found.seeds)) for own in entries
        ),
        f"↓ below {TITLES[HURDLE]}, which learns nothing.": any(
            own.below for own in entries
        ),
        "† at or above the paper's figure of the same model.": any(
            own.reached for own in entries
        ),
    }
    return [note for note, applies in notes.items() if applies]


def _spelled(seeds: Sequence[int]) -> str:
    first, last = seeds[0], seeds[-1]
    if len(seeds) > 3 and list(seeds) == list(range(first, last + 1)):
        return f"{first} to {last}"
    return ", ".join(map(str, seeds))


def _cells(row: Row, own: Entry) -> dict[str, Any]:
    """Returns the cells of CSV that an entry fills."""

    def shown(share: float | None) -> str:
        return "" if share is None else f"{100 * share:.4f}"

    return {
        "kind": row.kind,
        "key": row.key,
        "mean": shown(own.mean),
        "std": shown(own.std),
        "std_error": shown(own.std_error),
        "seeds": " ".join(map(str, own.seeds)),
        "below": int(own.below),
        "reached": int(own.reached),
    }
