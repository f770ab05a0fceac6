"""Link prediction as cells and tables; figures below a baseline are red."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from cane_gane.evaluation.outcomes import COMPARED
from cane_gane.evaluation.results import Difference, Evaluation, Figures
from cane_gane.evaluation.show import SAID, TITLES, Row, best_rival, link_rows, percent
from cane_gane.report.page import Cell, time_text
from cane_gane.report.titles import (
    MAIN,
    baseline_title,
    ordered,
    predicts,
    protocol_title,
)

_RANKING = [name for name in TITLES if name != "auc"]
_LEADING = ("mrr", "hits_at_10", "auc")  # a tile each, in this order
_SIGNS = {1: (" ↑", "good"), 0: ("", "soft"), -1: (" ↓", "bad")}


class Table(NamedTuple):
    """The arguments of the macro `table`."""

    header: Sequence[object]
    rows: Sequence[Sequence[object]]
    caption: str = ""


def row_title(row: Row) -> str:
    """Returns the title of a row for readers."""
    return row.title if row.learned else baseline_title(row.key)


def figure_cell(row: Row, protocol: str, figure: str = "auc") -> Cell:
    """Builds the cell of a figure: AUC with its error, red if a baseline is higher.

    Args:
        row: The row.
        protocol: The protocol's key.
        figure: A name from `TITLES`.
    """
    own = row.figures.get(protocol)
    if own is None:
        return Cell("–")
    error = own.std_error if figure == "auc" else None
    return _marked(percent(getattr(own, figure), error), row, protocol, figure)


def difference_text(own: Difference) -> str:
    """Returns a difference in points, with its interval; an arrow if significant."""
    low, high = (100 * end for end in own.interval)
    return f"{100 * own.mean:+.1f} ({low:+.1f} to {high:+.1f}){_SIGNS[own.sign][0]}"


def difference_table(
    protocol: str, found: Iterable[tuple[str, Mapping[str, Difference]]]
) -> Table:
    """Returns a table of differences: a row per subtrahend, a column per figure."""
    found = list(found)
    shown = [key for key in COMPARED if any(key in own for _, own in found)]

    def cell(own: Difference | None) -> Cell:
        if own is None:
            return Cell("–")
        return Cell(difference_text(own), kind=_SIGNS[own.sign][1])

    rows = [(title, *(cell(own.get(key)) for key in shown)) for title, own in found]
    header = (f"{protocol_title(protocol)}, points", *(TITLES[key] for key in shown))
    return Table(header, rows)


def tiles(found: Evaluation) -> list[tuple[str, Cell, str]]:
    """Returns the figures that a reader wants first: name, figure, note."""
    model = link_rows(found)[0]
    shown = []
    for name in ordered(found.link_prediction)[:1]:
        own = found.link_prediction[name]
        for key in _LEADING:
            value, title = getattr(own, key), TITLES[key]
            if value is not None:
                cell = _marked(percent(value), model, name, key)
                note = _best(found, name, key)
                if key == "auc" and own.std_error is not None:
                    note = f"± {percent(own.std_error)}; {note}"
                shown.append((f"{title}, {protocol_title(name)}, %", cell, note))
    if labels := (found.node_classification or {}).get("0.5"):
        note = f"Macro-F1 {percent(labels.macro_f1)}, half of the labels"
        shown.append(("Micro-F1 of labels, %", Cell(percent(labels.micro_f1)), note))
    if found.time.train is not None:
        note = f"{time_text(found.time.evaluate)} to evaluate"
        shown.append(("training", Cell(time_text(found.time.train)), note))
    return shown


def verdicts(found: Evaluation) -> list[Cell]:
    """Returns how the model compares by MRR, for each protocol except the main one."""
    said = []
    for name in ordered(found.link_prediction):
        best = best_rival(found, name)
        if name == MAIN or not predicts(name) or best is None:
            continue
        key, gap = best
        text = (
            f"{protocol_title(name)}: {SAID[gap.sign]} {baseline_title(key)} in MRR, "
            f"{difference_text(gap)}"
        )
        said.append(Cell(text, kind=_SIGNS[gap.sign][1]))
    return said


def auc_table(found: Evaluation) -> Table:
    """Returns AUC and its draws in each protocol, and the number of scored edges."""
    rows = link_rows(found)
    names = [
        name for name in found.link_prediction
        if _has(rows, name, "auc") or not _has(rows, name, "mrr")
    ]  # fmt: skip
    titles = [protocol_title(name) for name in names]
    body: list[Sequence[object]] = [
        (row_title(row), *(figure_cell(row, name) for name in names),
         *(_draws(row, name) for name in names))
        for row in rows
    ]  # fmt: skip
    links = [found.link_prediction[name] for name in names]
    counts = {
        "edges scored": [f"{own.scored:,} of {own.edges:,}" for own in links],
        "of them self-loops": [f"{own.self_loops:,}" for own in links],
        "of them reversed training edges": [f"{own.reversed:,}" for own in links],
    }
    # An empty row: counts are not figures, and are not sorted among them.
    body += [(), *((key, *own, *[""] * len(names)) for key, own in counts.items())]
    header = ("AUC, %", *titles, *(f"20 draws, {title}" for title in titles))
    return Table(header, body)


def ranking_tables(found: Evaluation) -> list[Table]:
    """Returns the ranking figures of each protocol that has them."""
    tables = []
    for name in ordered(found.link_prediction):
        rows = [row for row in link_rows(found) if _has([row], name, "mrr")]
        shown = [key for key in _RANKING if _has(rows, name, key)]
        body = [
            (row_title(row), *(figure_cell(row, name, key) for key in shown))
            for row in rows
        ]
        header = (f"{protocol_title(name)}, %", *(TITLES[key] for key in shown))
        if rows:
            caption = _how_ranked(found.link_prediction[name])
            tables.append(Table(header, body, caption))
    return tables


def difference_tables(found: Evaluation) -> list[Table]:
    """Returns the model minus each baseline, for protocols that test prediction."""
    tables = (
        difference_table(name, [
            (baseline_title(key), own.difference)
            for key, own in found.baselines.get(name, {}).items() if own.difference
        ])
        for name in ordered(found.link_prediction) if predicts(name)
    )  # fmt: skip
    return [table for table in tables if table.rows]


def _has(rows: Iterable[Row], protocol: str, figure: str) -> bool:
    found = (row.figures.get(protocol) for row in rows)
    return any(own and getattr(own, figure) is not None for own in found)


def _how_ranked(own: Figures) -> str:
    """Returns which edges were ranked, and how the pair score was ranked."""
    text = (
        "Ranks of targets among their negatives, for "
        f"{own.scored:,} of {own.edges:,} test edges."
    )
    if own.mrr is None:
        return f"{text} The pair score is not among them: it was not ranked."
    if own.ranked_edges is None:
        return text
    some, note = "all of them", ""
    if own.ranked_edges < own.scored:
        some = f"{own.ranked_edges:,} of them, whose sources were drawn at random"
        note = " Only the differences below compare it with baselines on these edges."
    return (
        f"{text} The pair score ranks {some}, from {own.ranked_pairs:,} scored pairs: "
        "a first stage finds the candidates, and the "
        f"{percent(own.missed)} % of targets that it misses keep that rank.{note}"
    )


def _best(found: Evaluation, protocol: str, figure: str) -> str:
    values = {
        key: value
        for key, own in found.baselines.get(protocol, {}).items()
        if (value := getattr(own, figure)) is not None
    }
    if not values:
        return "no baseline"
    best = max(values, key=lambda key: values[key])
    return f"best baseline: {baseline_title(best)}, {percent(values[best])}"


def _marked(text: str, row: Row, protocol: str, figure: str) -> Cell:
    above = row.below(protocol, figure)
    if not above:
        return Cell(text)
    return Cell(f"{text} ↓", f"below {' and '.join(map(baseline_title, above))}")


def _draws(row: Row, protocol: str) -> str:
    own = row.figures.get(protocol)
    return "–" if own is None else percent(own.draws.mean, own.draws.std)
