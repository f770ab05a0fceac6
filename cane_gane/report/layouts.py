"""Lays out methods by training ratio for readers: a page, Markdown, LaTeX."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from cane_gane.evaluation.protocols import PROTOCOLS
from cane_gane.evaluation.results import Difference
from cane_gane.evaluation.show import percent
from cane_gane.progress import duration
from cane_gane.report.formats import Layout
from cane_gane.report.links import difference_text
from cane_gane.report.page import memory_text
from cane_gane.report.paired import Gap
from cane_gane.report.ratios import Cost, Ratios
from cane_gane.report.repeats import Entry, OneRun
from cane_gane.report.sheets import GAPS, Sheet, sheets
from cane_gane.report.titles import method_title, predicts


def layout(found: Ratios, sheet: Sheet) -> Layout:
    """Lays out a sheet, with its rows grouped by kind."""
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
    """Lays out the cost of fitting each method: time and memory."""
    costs = {
        key: {ratio: found.cost(key, ratio) for ratio in found.ratios}
        for key in found.variants
    }
    ratios = [r for r in found.ratios if any(own[r] for own in costs.values())]
    rows = [
        (method_title(key), *(_cost(own[ratio]) for ratio in ratios))
        for key, own in costs.items()
        if any(own.values())
    ]
    header = ("edges for training", *(f"{100 * ratio:g} %" for ratio in ratios))
    notes = [
        "Wall-clock seconds, mean over seeds, with as many runs at once as --jobs "
        "allowed; peak memory of a run's process, libraries included."
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


def progress(found: Ratios) -> str:
    """Returns how many runs are finished, and how long they took."""
    all_of = f"{len(found.runs)} of {found.count} runs are finished"
    if len(found.runs) == found.count:
        all_of = f"All {found.count} runs are finished"
    taken = duration(found.seconds)
    return f"{all_of}; they took {taken} to train and evaluate, added up."


def _cost(own: Cost | None) -> str:
    if own is None:
        return "–"
    return f"{duration(own.seconds)}, {memory_text(own.memory)}"


def _text(own: Entry | None, seeds: int) -> str:
    """Returns a figure in % with its spread and its marks.

    Args:
        own: The figure, or None if there is none.
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
    """Returns whether runs are missing, or ± has another meaning than elsewhere."""
    return 0 < len(own.seeds) < seeds or own.std_error is not None


def _notes(found: Ratios, sheet: Sheet) -> list[str]:
    entries = [own for _, _, own in sheet.entries]
    seeds, gap = _spelled(found.seeds), sheet.measure in GAPS
    partial = any(_partial(own, len(found.seeds)) for own in entries)
    single = f"; (1): ± is the {sheet.error}" if sheet.error else ""
    about = PROTOCOLS[sheet.protocol].about if sheet.protocol in PROTOCOLS else ""
    notes = {
        about: bool(sheet.protocol and not predicts(sheet.protocol)),
        "On the same edges; 95 % interval by paired bootstrap over edges, which treats "
        "seeds as independent. ↑ or ↓: the whole interval is above or below 0.": gap,
        f"Mean {'' if gap else '± standard deviation '}over seeds {seeds}.":
            len(found.seeds) > 1,
        f"One run each, with seed {seeds}.": len(found.seeds) == 1,
        f"(n): n runs only{single}.": partial,
        f"No run yet: {', '.join(map(method_title, found.missing))}.":
            bool(found.missing),
        "A model's pair score ranks a random sample of the edges; a baseline "
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
    """Returns whether a run ranked only some of its scored edges."""
    own = run.evaluation.link_prediction.get(protocol or "")
    return bool(own and own.ranked_edges and own.ranked_edges < own.scored)


def _spelled(seeds: Sequence[int]) -> str:
    first, last = seeds[0], seeds[-1]
    if len(seeds) > 3 and list(seeds) == list(range(first, last + 1)):
        return f"{first} to {last}"
    return ", ".join(map(str, seeds))
