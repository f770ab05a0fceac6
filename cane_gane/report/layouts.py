"""Methods by training ratio, laid out for readers, and as CSV and JSON for programs."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import Any

from cane_gane.evaluation.protocols import PROTOCOLS
from cane_gane.evaluation.results import Difference
from cane_gane.evaluation.show import SHOWN, TITLES, percent
from cane_gane.progress import duration
from cane_gane.report.formats import Layout
from cane_gane.report.links import difference_text
from cane_gane.report.page import memory_text
from cane_gane.report.ratios import Cost, Gap, Ratios, Row
from cane_gane.report.several import Entry, OneRun
from cane_gane.report.titles import MAIN, method_title, predicts, protocol_title

GAP = "mrr_difference"  # the measure of a method less the best baseline
_MEASURES = (*SHOWN, GAP, "macro_f1")
_COLUMNS = (
    "measure", "protocol", "kind", "key", "ratio", "labels", "mean", "std",
    "std_error", "seeds", "below", "reached", "low", "high", "rival",
)  # fmt: skip


@dataclass(frozen=True)
class Sheet:
    """One table of a measure.

    Attributes:
        measure: The name that CSV and JSON have for it.
        protocol: The protocol; None for Macro-F1.
        title: What it shows.
        heading: What its columns are.
        columns: Training ratios, or shares of the labels.
        rows: Its rows.
        error: What the error of a single run is, where it has one.
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
    """Returns the sheets that there are figures for, a measure and a protocol each."""
    made = [
        Sheet(key, name, f"{TITLES[key]} in %, {protocol_title(name)}",
              "edges for training", found.ratios, found.link_rows(name, key),
              "standard error over edges" if key == "auc" else "")
        for name in found.protocols
        for key in SHOWN
    ]  # fmt: skip
    made += [
        Sheet(
            GAP, MAIN, "MRR less that of the best baseline, in points, "
            f"{protocol_title(MAIN)}",
            "edges for training", found.ratios, found.gap_rows(),
        ),
        Sheet(
            "macro_f1", None, "Macro-F1 of node classification in %",
            "labels for training", list(map(float, found.shares)), found.label_rows(),
            "standard deviation over draws of the labels",
        ),
    ]  # fmt: skip
    return [sheet for sheet in made if sheet.rows]


def layout(found: Ratios, sheet: Sheet) -> Layout:
    """Lays a sheet out, its rows in groups of one kind."""
    seeds = len(found.seeds)
    groups = [
        [(row.title, *(_text(row.entries.get(c), seeds) for c in sheet.columns))
         for row in group]
        for _, group in groupby(sheet.rows, lambda row: row.kind)
    ]  # fmt: skip
    header = (sheet.heading, *(f"{100 * column:g} %" for column in sheet.columns))
    return Layout(
        f"{found.dataset}: {sheet.title}", header, groups, _notes(found, sheet)
    )


def cost_layout(found: Ratios) -> Layout:
    """Lays out what it takes to fit each method: time and memory."""
    rows = [
        (method_title(key), *(_cost(found.cost(key, ratio)) for ratio in found.ratios))
        for key in found.variants
    ]
    header = ("edges for training", *(f"{100 * ratio:g} %" for ratio in found.ratios))
    notes = [
        "Seconds by the clock on the wall, the mean over seeds, with as many runs at "
        "once as --jobs said; the most memory of a run's process, its libraries "
        "included."
    ]
    return Layout(f"{found.dataset}: time and memory to fit", header, [rows], notes)


def as_markdown(found: Ratios) -> str:
    """Returns all tables in Markdown."""
    tables = [layout(found, sheet).markdown() for sheet in sheets(found)]
    return "\n\n".join([*tables, cost_layout(found).markdown(), progress(found)])


def as_latex(found: Ratios) -> str:
    """Returns all tables in LaTeX."""
    tables = [layout(found, sheet).latex() for sheet in sheets(found)]
    return "\n\n".join([*tables, cost_layout(found).latex()])


def as_csv(found: Ratios) -> str:
    """Returns a line for each figure, in %."""
    file = io.StringIO()
    writer = csv.DictWriter(file, _COLUMNS, lineterminator="\n")
    writer.writeheader()
    for sheet in sheets(found):
        for row, column, own in sheet.entries:
            line: dict[str, Any] = {"measure": sheet.measure, "kind": row.kind,
                                    "key": row.key}  # fmt: skip
            if sheet.protocol:
                line |= {"protocol": sheet.protocol, "ratio": column}
            else:
                line |= {"ratio": row.ratio, "labels": column}
            shares = {"mean": own.mean, "std": own.std, "std_error": own.std_error}
            if isinstance(own, Gap):
                shares |= dict(zip(("low", "high"), own.interval, strict=True))
                line["rival"] = own.rival
            for key, share in shares.items():
                line[key] = "" if share is None else f"{100 * share:.4f}"
            line["seeds"] = " ".join(map(str, own.seeds))
            marks = {"below": int(own.below), "reached": int(own.reached)}
            writer.writerow({**line, **marks})
    return file.getvalue()


def as_json(found: Ratios) -> str:
    """Returns all figures as one JSON object; docs/evaluation.md lists its keys."""
    nested: dict[str, Any] = {measure: {} for measure in _MEASURES}
    for sheet in sheets(found):
        kinds = nested[sheet.measure]
        if sheet.protocol:
            kinds = kinds.setdefault(sheet.protocol, {})
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
        "cost": {key: _costs(found, key) for key in found.variants},
        **nested,
    }
    return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False)


def progress(found: Ratios) -> str:
    """Says how many runs are finished, and what they took."""
    return (
        f"{len(found.runs)} of {found.count} runs are finished; they took "
        f"{duration(found.seconds)} to train and evaluate, added up."
    )


def _costs(found: Ratios, key: str) -> dict[str, Any]:
    known = ((ratio, found.cost(key, ratio)) for ratio in found.ratios)
    return {f"{ratio:g}": asdict(own) for ratio, own in known if own}


def _cost(own: Cost | None) -> str:
    if own is None:
        return "–"
    return f"{duration(own.seconds)}, {memory_text(own.memory)}"


def _text(own: Entry | None, seeds: int) -> str:
    """Returns a figure in % with its spread and its marks.

    Args:
        own: The figure, or None where there is none.
        seeds: How many seeds there will be.
    """
    if own is None:
        return "–"
    count = f" ({len(own.seeds)})" if _partial(own, seeds) else ""
    if isinstance(own, Gap):
        return difference_text(Difference(own.mean, own.interval)) + count
    marks = (" ↓" if own.below else "") + (" †" if own.reached else "")
    spread = own.std_error if own.std is None else own.std
    return percent(own.mean, spread) + count + marks


def _partial(own: Entry, seeds: int) -> bool:
    """Returns whether runs are missing, or ± is not what it is elsewhere."""
    return 0 < len(own.seeds) < seeds or own.std_error is not None


def _notes(found: Ratios, sheet: Sheet) -> list[str]:
    entries = [own for _, _, own in sheet.entries]
    seeds, gap = _spelled(found.seeds), sheet.measure == GAP
    partial = any(_partial(own, len(found.seeds)) for own in entries)
    single = f"; (1): ± is the {sheet.error}" if sheet.error else ""
    about = PROTOCOLS[sheet.protocol].about if sheet.protocol in PROTOCOLS else ""
    notes = {
        about: bool(sheet.protocol and not predicts(sheet.protocol)),
        "On the same edges; 95 % interval by the paired bootstrap over edges, that of "
        "several seeds taken as independent. ↑ or ↓: it is above or below 0.": gap,
        f"Mean {'' if gap else '± standard deviation '}over seeds {seeds}.":
            len(found.seeds) > 1,
        f"One run each, with seed {seeds}.": len(found.seeds) == 1,
        f"(n): n runs only{single}.": partial,
        "A model's pair score ranks some of the edges, drawn by chance; a baseline "
        "ranks all of them.": sheet.measure in ("mrr", "hits_at_10") and any(
            _drawn(run, sheet.protocol) for run in found.runs),
        "↓ below a baseline.": not gap and any(own.below for own in entries),
        "† at or above the paper's figure of the same model.":
            any(own.reached for own in entries),
        "The paper does not name its negatives, so its figures may be of this protocol "
        "or of another.": bool(sheet.protocol)
            and any(row.kind == "paper" for row in sheet.rows),
    }  # fmt: skip
    return [note for note, applies in notes.items() if applies]


def _drawn(run: OneRun, protocol: str | None) -> bool:
    """Returns whether a run ranked some of its scored edges only."""
    own = run.evaluation.link_prediction.get(protocol or "")
    return bool(own and own.ranked_edges and own.ranked_edges < own.scored)


def _spelled(seeds: Sequence[int]) -> str:
    first, last = seeds[0], seeds[-1]
    if len(seeds) > 3 and list(seeds) == list(range(first, last + 1)):
        return f"{first} to {last}"
    return ", ".join(map(str, seeds))
