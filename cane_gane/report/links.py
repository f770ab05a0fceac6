"""The figures of link prediction as cells and tables; one below a baseline is red."""

from __future__ import annotations

from collections.abc import Sequence

from cane_gane.evaluation.results import Evaluation
from cane_gane.evaluation.show import TITLES, Row, link_rows, percent
from cane_gane.report.page import Cell, time_text
from cane_gane.report.titles import baseline_title, protocol_title

Table = tuple[Sequence[object], list[Sequence[object]]]  # a header and rows

_RANKING = [name for name in TITLES if name != "auc"]


def row_title(row: Row) -> str:
    """Returns what readers call a row."""
    return row.title if row.learned else baseline_title(row.key)


def figure_cell(row: Row, protocol: str, figure: str = "auc") -> Cell:
    """Builds the cell of a figure: AUC with its error, red where a baseline is above.

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


def tiles(found: Evaluation) -> list[tuple[str, Cell, str]]:
    """Returns the figures that a reader looks for first: name, figure, note."""
    model = link_rows(found)[0]
    shown = []
    for name, own in found.link_prediction.items():
        rivals = (rival.auc for rival in found.baselines.get(name, {}).values())
        best = max((auc for auc in rivals if auc is not None), default=None)
        error = "" if own.std_error is None else f"± {percent(own.std_error)}; "
        cell = _marked(percent(own.auc), model, name)
        note = f"{error}best baseline {percent(best)}"
        shown.append((f"AUC, {protocol_title(name)}, %", cell, note))
    if labels := (found.node_classification or {}).get("0.5"):
        note = f"Macro-F1 {percent(labels.macro_f1)}, half of the labels"
        shown.append(("Micro-F1 of labels, %", Cell(percent(labels.micro_f1)), note))
    if found.time.train is not None:
        note = f"{time_text(found.time.evaluate)} to evaluate"
        shown.append(("training", Cell(time_text(found.time.train)), note))
    return shown


def verdicts(found: Evaluation) -> list[str]:
    """Says below which baselines the model's AUC is, in each protocol where it is."""
    below = {name: _below(link_rows(found)[0], name) for name in found.link_prediction}
    return [f"{text} ({protocol_title(name)})" for name, text in below.items() if text]


def link_table(found: Evaluation) -> Table:
    """Returns the AUC of each protocol and of its draws, and what each one scored."""
    names = list(found.link_prediction)
    titles = [protocol_title(name) for name in names]
    rows: list[Sequence[object]] = [
        (row_title(row), *(figure_cell(row, name) for name in names),
         *(_draws(row, name) for name in names))
        for row in link_rows(found)
    ]  # fmt: skip
    links = found.link_prediction.values()
    counts = {
        "test edges scored": [f"{own.scored:,} of {own.edges:,}" for own in links],
        "of them self-loops": [f"{own.self_loops:,}" for own in links],
        "of them reversed training edges": [f"{own.reversed:,}" for own in links],
    }
    rows += [(key, *own, *[""] * len(names)) for key, own in counts.items()]
    return ("AUC, %", *titles, *(f"20 draws, {title}" for title in titles)), rows


def ranking_tables(found: Evaluation) -> list[Table]:
    """Returns the figures of ranking of each protocol that has them."""
    tables: list[Table] = []
    for name in found.link_prediction:
        rows: list[Sequence[object]] = [
            (row_title(row), *(figure_cell(row, name, figure) for figure in _RANKING))
            for row in link_rows(found)
            if name in row.figures and row.figures[name].mrr is not None
        ]
        header = (f"{protocol_title(name)}, %", *(TITLES[key] for key in _RANKING))
        if rows:
            tables.append((header, rows))
    return tables


def _below(row: Row, protocol: str, figure: str = "auc") -> str:
    above = row.below(protocol, figure)
    return f"below {' and '.join(map(baseline_title, above))}" if above else ""


def _marked(text: str, row: Row, protocol: str, figure: str = "auc") -> Cell:
    below = _below(row, protocol, figure)
    return Cell(f"{text} ↓" if below else text, below)


def _draws(row: Row, protocol: str) -> str:
    own = row.figures.get(protocol)
    return "–" if own is None else percent(own.draws.mean, own.draws.std)
