"""The table of an evaluation, which terminal, notebook and page all show."""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cane_gane.evaluation.protocols import PROTOCOLS

if TYPE_CHECKING:
    from cane_gane.evaluation.results import (
        BaselineFigures,
        Difference,
        Evaluation,
        Figures,
    )
from cane_gane.progress import PLAIN, RED

# The figures by which a model is compared with baselines under a protocol.
TITLES = {
    "auc": "AUC",
    "mrr": "MRR",
    "hits_at_1": "Hits@1",
    "hits_at_10": "Hits@10",
    "hits_at_50": "Hits@50",
    "average_precision": "average precision",
}

_ERRORS = {"auc": "std_error", "mrr": "mrr_error"}
SHOWN = ("auc", "mrr", "hits_at_10")  # the figures that fit into a terminal
# How a model compares with a baseline, by the sign of their difference.
SAID = {1: "better than", 0: "not significantly different from", -1: "worse than"}


@dataclass(frozen=True)
class Row:
    """One line of the table.

    Attributes:
        key: Its name in metrics.json.
        title: Its title; for a baseline, its key.
        learned: Whether it belongs to the model; else it is a baseline.
        figures: The figures of each protocol.
        above: For each protocol and each name of `TITLES`, the baselines that score
            higher, best first.
    """

    key: str
    title: str
    learned: bool
    figures: Mapping[str, Figures]
    above: Mapping[str, Mapping[str, tuple[str, ...]]]

    def below(self, protocol: str, figure: str = "auc") -> tuple[str, ...]:
        """Returns the baselines that score higher than this row, best first."""
        return self.above.get(protocol, {}).get(figure, ())


def link_rows(found: Evaluation) -> list[Row]:
    """Returns the rows of link prediction: the model's scores, then baselines."""
    rows = []
    links, rivals = found.link_prediction, found.baselines
    first = next(iter(links.values()))
    scored_by_pairs = first.score == "pairs"

    def add(key: str, title: str, figures: Mapping[str, Figures], model: bool) -> None:
        above = {
            name: {
                what: _above(own, what, rivals[name], key == "model") for what in TITLES
            }
            for name, own in figures.items()
            if name in rivals
        }
        rows.append(Row(key, title, model, figures, above if model else {}))

    add("model", "model, pair by pair" if scored_by_pairs else first.score, links, True)
    for kind in reversed(list(first.vectors)):  # all columns, then the parts
        parts = {name: own.vectors[kind] for name, own in links.items()}
        add(f"vectors.{kind}", f"averaged vectors, {kind}", parts, True)
    for key in next(iter(rivals.values()), {}):
        own = {name: baselines[key] for name, baselines in rivals.items()}
        add(key, key, own, False)
    return rows


NOT_EVALUATED = "not evaluated: all edges were used for training"


def percent(value: float | None, error: float | None = None) -> str:
    """Returns a share in percent, with its error if it has one."""
    if value is None:
        return "–"
    return f"{100 * value:.1f}" + ("" if error is None else f" ± {100 * error:.1f}")


def summary(found: Evaluation, colour: bool = False) -> str:
    """Lays the main figures out for a terminal; a model below a baseline is marked.

    Args:
        found: The evaluation.
        colour: Whether marked figures are also red.
    """
    if not found.evaluated:
        return NOT_EVALUATED
    columns = _columns(found)
    lines = []
    table = _cells(found, columns)
    down = zip(*(cells for _, cells in table), strict=True)
    wide = [max(len(text) for text, _ in own) for own in down]
    least = [15 if first else 9 for _, _, first in columns]
    widths = [max(own, 1 + most) for own, most in zip(least, wide, strict=True)]
    for title, cells in table:
        shown = [
            f"{RED}{text:>{width}}{PLAIN}" if low and colour else f"{text:>{width}}"
            for (text, low), width in zip(cells, widths, strict=True)
        ]
        lines.append(f"{title:<28}{''.join(shown)}".rstrip())
    return "\n".join([*lines, *_notes(found)])


def html_summary(found: Evaluation) -> str:
    """Lays the same table out as HTML, for a notebook."""
    if not found.evaluated:
        return f"<p>{NOT_EVALUATED}</p>"

    def cell(text: str, low: bool) -> str:
        style = ' style="color: #b00020"' if low else ""
        return f"<td{style}>{html.escape(text)}</td>"

    rows = "".join(
        f"<tr><th>{html.escape(title.strip())}</th>"
        f"{''.join(cell(*own) for own in cells)}</tr>"
        for title, cells in _cells(found, _columns(found))
    )
    return f"<table>{rows}</table>"


Column = tuple[str, str, bool]  # protocol, figure, whether it is the protocol's first
Cells = list[tuple[str, bool]]  # the text of each cell, and whether it is marked


def _columns(found: Evaluation) -> list[Column]:
    """Returns the columns of the table: the figures that the model has."""
    shown = {
        name: [figure for figure in SHOWN if getattr(own, figure) is not None]
        for name, own in found.link_prediction.items()
    }
    return [
        (name, figure, figure == own[0])
        for name, own in shown.items()
        for figure in own
    ]


def _cells(found: Evaluation, columns: list[Column]) -> list[tuple[str, Cells]]:
    """Returns the title and the cells of each line."""
    links = found.link_prediction
    scored = {name: f"{own.scored:,} of {own.edges:,}" for name, own in links.items()}
    lines: list[tuple[str, Cells]] = [
        ("protocol", [(name if first else "", False) for name, _, first in columns]),
        ("figure, %", [(TITLES[figure], False) for _, figure, _ in columns]),
    ]
    for row in link_rows(found):
        cells = []
        for name, figure, _ in columns:
            own = row.figures[name]
            error = getattr(own, _ERRORS[figure]) if figure in _ERRORS else None
            low = bool(row.below(name, figure))
            text = percent(getattr(own, figure), error)
            cells.append((text + (" ↓" if low else ""), low))
        lines.append((row.title if row.learned else f"  {row.key}", cells))
    counts = [(scored[name] if first else "", False) for name, _, first in columns]
    return [*lines, ("edges scored", counts)]


def _notes(found: Evaluation) -> list[str]:
    """Returns notes for reading the figures: marks, differences, warnings."""
    notes = [f"{key}: {why}" for key, why in (found.left_out or {}).items()]
    shown = _columns(found)
    if any(row.below(*own[:2]) for row in link_rows(found) for own in shown):
        notes.append("↓ below a baseline")
    for name, own in found.link_prediction.items():
        if not own.scored:
            notes.append(f"{name}: no edge is scored")
        if name in PROTOCOLS and not PROTOCOLS[name].predicts:
            notes.append(
                f"{name}: not a test of prediction, training edges are scored too"
            )
        if own.of_sources is not None:
            notes.append(
                f"{name}: {own.sources:,} of {own.of_sources:,} sources, drawn at "
                "random; ± is the error of that"
            )
        if own.ranked_edges is not None and own.ranked_edges < own.scored:
            notes.append(f"{name}: the model's ranks are of {own.ranked_edges:,} edges")
    notes += [text for name in found.link_prediction if (text := verdict(found, name))]
    return [*notes, *trust(found)]


def trust(found: Evaluation) -> list[str]:
    """Returns how far recommendations can be trusted, as lines."""
    notes = []
    if stage := found.first_stage:
        notes.append(
            f"recommend: the first stage finds {percent(stage.recall)} % of the "
            f"{stage.top} best {_among(stage.among)} ({stage.candidates:.0f} "
            f"candidates; of {stage.sources} nodes)"
        )
    if chances := found.reliability:
        notes.append(
            f"probabilities: off by {100 * chances.error:.1f} points on average "
            f"({chances.pairs:,} candidates, {chances.edges:,} of them test edges)"
        )
    return notes


def _among(count: int | None) -> str:
    return "nodes" if count is None else f"of the {count:,} nearest nodes"


def best_rival(
    found: Evaluation, protocol: str, figure: str = "mrr"
) -> tuple[str, Difference] | None:
    """Returns the best compared baseline, and the model's lead over it.

    Args:
        found: The evaluation.
        protocol: The protocol's key.
        figure: The figure to compare: a name from `TITLES`.
    """
    rivals = {
        key: own
        for key, own in found.baselines.get(protocol, {}).items()
        if getattr(own, figure) is not None and figure in (own.difference or {})
    }
    if not rivals:
        return None
    best = max(rivals, key=lambda key: getattr(rivals[key], figure))
    return best, (rivals[best].difference or {})[figure]


def verdict(found: Evaluation, protocol: str) -> str:
    """Returns how the model compares with the best baseline by MRR, with interval."""
    best = best_rival(found, protocol)
    if best is None:
        return ""
    key, gap = best
    low, high = (100 * end for end in gap.interval)
    return (
        f"{protocol}: {SAID[gap.sign]} {key} in MRR: {100 * gap.mean:+.1f} "
        f"(95 % interval {low:+.1f} to {high:+.1f})"
    )


def _above(
    own: Figures, what: str, baselines: Mapping[str, BaselineFigures], paired: bool
) -> tuple[str, ...]:
    """Returns the baselines that exceed a score of the model, best first.

    A slow score may have ranked only some edges. Then use `paired`: it compares by the
    differences from the baselines, which are over the same edges.
    """
    value = getattr(own, what)
    rivals = {key: getattr(rival, what) or 0 for key, rival in baselines.items()}
    gaps = {key: value - rival for key, rival in rivals.items() if value is not None}
    if paired:
        known = {key: rival.difference or {} for key, rival in baselines.items()}
        gaps |= {key: gap[what].mean for key, gap in known.items() if what in gap}
    return tuple(sorted((k for k in gaps if gaps[k] < 0), key=lambda k: -rivals[k]))
