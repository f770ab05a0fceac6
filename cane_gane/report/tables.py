"""The table of a run's figures, which the terminal and the page share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Metrics = Mapping[str, Any]

PROTOCOLS = ("upstream", "strict")
TITLES = {
    "tfidf": "TF-IDF cosine",
    "tfidf_one_hop": "TF-IDF with training neighbours",
    "common_neighbours": "common neighbours",
    "preferential_attachment": "preferential attachment",
}
_RED, _PLAIN = "\033[31m", "\033[0m"


@dataclass(frozen=True)
class Row:
    """One line of the table.

    Attributes:
        key: The name that metrics.json has for it.
        title: What it is.
        learned: Whether it is a model; else it is a baseline.
        figures: The figures of each protocol.
        below: The baselines that are above it, best first, for each protocol.
    """

    key: str
    title: str
    learned: bool
    figures: Mapping[str, Mapping[str, Any]]
    below: Mapping[str, tuple[str, ...]]


def link_rows(metrics: Metrics) -> list[Row]:
    """Returns the rows of link prediction: the model's scores, then baselines."""
    links, baselines = metrics["link_prediction"], metrics["baselines"]
    rows = []

    def add(key: str, title: str, learned: bool, figures: dict[str, Any]) -> None:
        below = {
            name: _above(figures[name]["auc"], baselines[name]) if learned else ()
            for name in PROTOCOLS
        }
        rows.append(Row(key, title, learned, figures, below))

    whole = {name: links[name] for name in PROTOCOLS}
    pairs = whole["strict"].get("score", "pairs") == "pairs"
    add("model", "model, pair by pair" if pairs else "embed.txt", True, whole)
    for kind in ("both", "text", "structure") if pairs else ():
        vectors = {name: links[name]["vectors"][kind] for name in PROTOCOLS}
        add(f"vectors.{kind}", f"averaged vectors, {kind}", True, vectors)
    for key in baselines["strict"]:
        add(key, TITLES[key], False, {name: baselines[name][key] for name in PROTOCOLS})
    return rows


def _above(auc: float | None, baselines: Mapping[str, Any]) -> tuple[str, ...]:
    if auc is None:
        return ()
    higher = [key for key, own in baselines.items() if (own["auc"] or 0) > auc]
    return tuple(sorted(higher, key=lambda key: -baselines[key]["auc"]))


def percent(value: float | None, error: float | None = None) -> str:
    """Returns a share in percent, with its error where it has one."""
    if value is None:
        return "–"
    return f"{100 * value:.1f}" + ("" if error is None else f" ± {100 * error:.1f}")


def summary(metrics: Metrics, colour: bool = False) -> str:
    """Lays the main figures out for a terminal; a model below a baseline is marked.

    Args:
        metrics: The content of metrics.json.
        colour: Whether the marked figures are red, too.
    """
    head = ("AUC, %", "upstream's protocol", "strict protocol")
    lines = [f"{head[0]:<32}{head[1]:>22}{head[2]:>22}"]
    marked = False
    for row in link_rows(metrics):
        cells = []
        for name in PROTOCOLS:
            figures = row.figures[name]
            text = percent(figures["auc"], figures["std_error"])
            low = bool(row.below[name])
            marked |= low
            cell = f"{text + (' ↓' if low else ''):>22}"
            cells.append(f"{_RED}{cell}{_PLAIN}" if low and colour else cell)
        title = row.title if row.learned else f"  {row.key}"
        lines.append(f"{title:<32}{''.join(cells)}")
    links = metrics["link_prediction"]
    scored = [f"{links[p]['scored']:,} of {links[p]['edges']:,}" for p in PROTOCOLS]
    lines.append(f"{'test edges scored':<32}{scored[0]:>22}{scored[1]:>22}")
    if marked:
        lines.append("↓ below a baseline that learns nothing")
    return "\n".join(lines)
