"""The table of an evaluation, which terminal, notebook and page share."""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cane_gane.evaluation.protocols import PROTOCOLS

if TYPE_CHECKING:
    from cane_gane.evaluation.results import Evaluation, Figures

# The figures of a score under a protocol that a model is compared with baselines by.
TITLES = {
    "auc": "AUC",
    "mrr": "MRR",
    "hits_at_10": "Hits@10",
    "average_precision": "average precision",
}

_RED, _PLAIN = "\033[31m", "\033[0m"
_WIDTH = 22
_NOTE = "↓ below a baseline that learns nothing"


@dataclass(frozen=True)
class Row:
    """One line of the table.

    Attributes:
        key: The name that metrics.json has for it.
        title: What it is; for a baseline its key.
        learned: Whether it is of the model; else it is a baseline.
        figures: The figures of each protocol.
        above: For each protocol and each name of `TITLES`, the baselines that are
            above it, best first.
    """

    key: str
    title: str
    learned: bool
    figures: Mapping[str, Figures]
    above: Mapping[str, Mapping[str, tuple[str, ...]]]

    def below(self, protocol: str, figure: str = "auc") -> tuple[str, ...]:
        """Returns the baselines that are above this row, best first."""
        return self.above.get(protocol, {}).get(figure, ())


def link_rows(found: Evaluation) -> list[Row]:
    """Returns the rows of link prediction: the model's scores, then baselines."""
    rows = []
    links = found.link_prediction
    first = next(iter(links.values()))
    scored_by_pairs = first.score == "pairs"

    def add(key: str, title: str, figures: Mapping[str, Figures], model: bool) -> None:
        above = {
            name: {what: _above(own, what, found, name) for what in TITLES}
            for name, own in figures.items()
        }
        rows.append(Row(key, title, model, figures, above if model else {}))

    add("model", "model, pair by pair" if scored_by_pairs else first.score, links, True)
    for kind in reversed(list(first.vectors)):  # all columns, then the parts
        parts = {name: own.vectors[kind] for name, own in links.items()}
        add(f"vectors.{kind}", f"averaged vectors, {kind}", parts, True)
    for key in next(iter(found.baselines.values()), {}):
        own = {name: baselines[key] for name, baselines in found.baselines.items()}
        add(key, key, own, False)
    return rows


def percent(value: float | None, error: float | None = None) -> str:
    """Returns a share in percent, with its error where it has one."""
    if value is None:
        return "–"
    return f"{100 * value:.1f}" + ("" if error is None else f" ± {100 * error:.1f}")


def summary(found: Evaluation, colour: bool = False) -> str:
    """Lays the main figures out for a terminal; a model below a baseline is marked.

    Args:
        found: The evaluation.
        colour: Whether the marked figures are red, too.
    """
    head, *body, scored = _cells(found)
    lines = [_line(head[0], [text for text, _ in head[1]])]
    for title, cells in (*body, scored):
        shown = [
            f"{_RED}{text:>{_WIDTH}}{_PLAIN}" if low and colour else text
            for text, low in cells
        ]
        lines.append(_line(title, shown))
    marked = any(low for _, cells in body for _, low in cells)
    return "\n".join([*lines, _NOTE] if marked else lines)


def html_summary(found: Evaluation) -> str:
    """Lays the same table out as HTML, for a notebook."""

    def cell(text: str, low: bool) -> str:
        style = ' style="color: #b00020"' if low else ""
        return f"<td{style}>{html.escape(text)}</td>"

    rows = "".join(
        f"<tr><th>{html.escape(title.strip())}</th>"
        f"{''.join(cell(*own) for own in cells)}</tr>"
        for title, cells in _cells(found)
    )
    return f"<table>{rows}</table>"


Cells = list[tuple[str, bool]]  # the text of each cell, and whether it is marked


def _cells(found: Evaluation) -> list[tuple[str, Cells]]:
    """Returns the title and the cells of each line."""
    names = list(found.link_prediction)
    titles = [PROTOCOLS[name].title if name in PROTOCOLS else name for name in names]
    lines: list[tuple[str, Cells]] = [("AUC, %", [(title, False) for title in titles])]
    for row in link_rows(found):
        cells = []
        for name in names:
            text = percent(row.figures[name].auc, row.figures[name].std_error)
            low = bool(row.below(name))
            cells.append((text + (" ↓" if low else ""), low))
        lines.append((row.title if row.learned else f"  {row.key}", cells))
    links = found.link_prediction.values()
    scored = [(f"{own.scored:,} of {own.edges:,}", False) for own in links]
    return [*lines, ("test edges scored", scored)]


def _line(title: str, cells: list[str]) -> str:
    return f"{title:<32}{''.join(f'{cell:>{_WIDTH}}' for cell in cells)}"


def _above(
    own: Figures, what: str, found: Evaluation, protocol: str
) -> tuple[str, ...]:
    value = getattr(own, what)
    if value is None:
        return ()
    rivals = {
        key: getattr(figures, what) or 0
        for key, figures in found.baselines.get(protocol, {}).items()
    }
    higher = [key for key, rival in rivals.items() if rival > value]
    return tuple(sorted(higher, key=lambda key: -rivals[key]))
