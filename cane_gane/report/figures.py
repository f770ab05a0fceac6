"""Figures of runs, drawn by matplotlib: colour-blind safe and legible in grey."""

from __future__ import annotations

import io
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import matplotlib
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from cane_gane.evaluation.matching import Match
from cane_gane.evaluation.results import MatchedPair, NodeMap, Reliability, Roc
from cane_gane.files import write_atomically

# Okabe and Ito's colours; shapes and dashes say the same in grey.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
MARKERS = ("o", "^", "s", "D", "v", "P", "X", "<", ">", "*")
DASHES: tuple[Any, ...] = (
    "-", (0, (5, 2)), (0, (1, 1.5)), (0, (5, 1.5, 1, 1.5)), (0, (2, 4)),
)  # fmt: skip
GREY = "#8a8f98"
WORDS = 40  # words of a text that a heat map shows

_CHANCES = ("said", "true")
_LETTERS = 24  # letters of a name in a figure
_STYLE: dict[Any, Any] = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e6e8eb",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "axes.edgecolor": "#5a6472",
    "svg.hashsalt": "cane_gane",  # the same figure gives the same file
}


def save(figure: Figure, folder: Path, name: str) -> bytes:
    """Writes a figure as PNG and SVG.

    Args:
        figure: The figure.
        folder: Where both files go.
        name: Their name, without its ending.

    Returns:
        The SVG, whose background is transparent.
    """
    content = {kind: drawn(figure, kind) for kind in ("png", "svg")}
    for kind, own in content.items():
        write_atomically(folder / f"{name.replace('/', '_')}.{kind}", own)
    return content["svg"]


def drawn(figure: Figure, kind: str = "svg") -> bytes:
    """Returns a figure as a file: `png`, or `svg` on a transparent background."""
    options: dict[str, Any] = {"metadata": {"Date": None}} if kind == "svg" else {}
    with matplotlib.rc_context(_STYLE), warnings.catch_warnings():
        # A word in a script that the font lacks is drawn as a box.
        warnings.filterwarnings("ignore", "Glyph .* missing from")
        buffer, clear = io.BytesIO(), kind == "svg"
        figure.savefig(buffer, format=kind, dpi=160, transparent=clear, **options)
    return buffer.getvalue()


def learning_curve(
    history: Sequence[Mapping[str, Any]], best_epoch: int | None
) -> Figure:
    """Draws the loss, and where edges were held out validation AUC, by epoch."""
    judged = [row for row in history if row.get("validation_auc") is not None]
    panels = {"loss": {row["epoch"]: row["loss"] for row in history}}
    if judged:
        aucs = {row["epoch"]: 100 * row["validation_auc"] for row in judged}
        panels["validation AUC, %"] = aucs
    figure, _ = _chart((5.6, 1.0 + 1.6 * len(panels)), rows=len(panels))
    for place, (axes, name) in enumerate(zip(figure.axes, panels, strict=True)):
        epochs, values = zip(*panels[name].items(), strict=True)
        axes.plot(epochs, values, color=COLOURS[place], marker=".")
        axes.set_ylabel(name)
        if judged and best_epoch is not None:
            axes.axvline(best_epoch, color=GREY, linestyle=":", linewidth=1.2)
    axes.set_xlabel("epoch; dotted: the best" if judged else "epoch")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    return figure


def roc_curves(curves: Mapping[str, Roc], title: str) -> Figure:
    """Draws ROC curves, each with its area in the legend."""
    figure, axes = _chart((4.6, 4.2))
    axes.plot([0, 1], [0, 1], color=GREY, linewidth=0.8)
    for place, (name, curve) in enumerate(curves.items()):
        axes.plot(
            curve.false_positives, curve.true_positives, **_line(place),
            label=f"{_plain(name, 40)}: {100 * (curve.area or 0):.1f}",
        )  # fmt: skip
    axes.set(xlabel="false positive rate", ylabel="true positive rate")
    axes.set_title(_plain(title, 60))
    axes.set_aspect("equal")
    axes.legend(loc="lower right", title="area, %", alignment="left", frameon=False)
    return figure


def reliability(chances: Reliability) -> Figure:
    """Draws what probabilities said against what came true, both in %."""
    figure, axes = _chart((4.6, 4.2))
    said, true = ([100 * getattr(own, key) for own in chances.bins] for key in _CHANCES)
    most = max(1.0, *said, *true) * 1.08
    axes.plot([0, most], [0, most], color=GREY, linewidth=0.8)
    errors = [
        100 * (own.true * (1 - own.true) / own.count) ** 0.5 for own in chances.bins
    ]
    axes.errorbar(said, true, errors, color=COLOURS[0], marker="o", capsize=2)
    for own, x, y in zip(chances.bins, said, true, strict=True):
        axes.annotate(
            f"{own.count:,}", (x, y), (5, -9), textcoords="offset points",
            fontsize=7, color=GREY,
        )  # fmt: skip
    axes.set(xlabel="probability, %", ylabel="of them test edges, %")
    axes.set(xlim=(0, most), ylim=(0, most))
    return figure


def node_map(places: NodeMap) -> Figure:
    """Draws nodes in the plane, a colour and a shape for each frequent label."""
    figure, axes = _chart((5.6, 5.2))
    labels = places.labels or [None] * len(places.nodes)
    counts = Counter(label for label in labels if label is not None)
    frequent = [label for label, _ in counts.most_common(len(MARKERS))]
    named = sorted(frequent, key=lambda label: (len(label), label))
    styles: dict[str | None, dict[str, Any]] = {
        label: {"color": COLOURS[place % len(COLOURS)], "marker": MARKERS[place],
                "label": _plain(label), "edgecolors": "white"}
        for place, label in enumerate(named)
    }  # fmt: skip
    rest = {"color": "#c3c8cf", "label": "other"} if named else {"color": COLOURS[0]}
    for label, style in {None: {"marker": ".", **rest}, **styles}.items():
        inside = [
            place for place, own in enumerate(labels)
            if (own if own in styles else None) == label
        ]  # fmt: skip
        if inside:
            x, y = ([axis[place] for place in inside] for axis in (places.x, places.y))
            axes.scatter(x, y, s=11, linewidths=0.25, alpha=0.9, **style)
    axes.set(xticks=[], yticks=[])
    axes.spines[["left", "bottom"]].set_visible(False)
    axes.set_aspect("equal", adjustable="datalim")
    if named:
        # Below, or long labels would leave the nodes no room.
        columns = 70 // (6 + min(_LETTERS, max(5, *map(len, named))))
        figure.legend(
            loc="outside lower center", ncols=columns, markerscale=1.8, frameon=False
        )
    return figure


def heat_maps(pair: MatchedPair | Match, titles: Mapping[str, str]) -> Figure:
    """Draws how the words of a pair of texts are matched, in one way or more.

    Args:
        pair: The pair.
        titles: The title of each map, by the attribute of `pair` that it shows.
    """
    rows = list(map(_cut, pair.source_words[:WORDS]))
    columns = list(map(_cut, pair.target_words[:WORDS]))
    height = max(3.0, 0.16 * len(rows) + 1.4)
    width = max(3.4, 0.16 * len(columns) + 1.4)
    figure, _ = _chart((width * len(titles), height), columns=len(titles))
    for own, (key, title) in zip(figure.axes, titles.items(), strict=True):
        weights = [row[:WORDS] for row in getattr(pair, key)[:WORDS]]
        own.imshow(weights, cmap="Blues", aspect="auto", vmin=0)
        small: dict[str, Any] = {"fontsize": 7, "parse_math": False}
        own.set_xticks(range(len(columns)), columns, rotation=90, **small)
        own.set_yticks(range(len(rows)), rows, **small)
        own.grid(visible=False)
        own.set_title(_plain(title.replace(": ", "\n", 1), 80), fontsize=9)
    return figure


def ratio_curves(
    published: Mapping[str, Sequence[tuple[float, float]]],
    ours: Mapping[str, Sequence[tuple[float, float, float]]],
    measure: str = "AUC",
) -> Figure:
    """Draws a figure against the training ratio: ours, and what was published behind.

    Args:
        published: (ratio, figure in %) of each name.
        ours: (ratio, figure in %, its error) of each name.
        measure: What the figure is called.

    Returns:
        The figure. A name has one colour and one dash on both sides.
    """
    figure, axes = _chart((5.6, 4.0))
    for place, name in enumerate(dict.fromkeys([*published, *ours])):
        style, label = _line(place), _plain(name, 40)
        if name in published:
            axes.plot(
                *zip(*published[name], strict=True), **style, linewidth=1.2, alpha=0.7,
                label=f"{label}, published",
            )  # fmt: skip
        if name in ours:
            axes.errorbar(
                *zip(*sorted(ours[name]), strict=True), **style, capsize=2.5,
                marker=MARKERS[place % len(MARKERS)], markersize=6,
                markeredgecolor="black", markeredgewidth=0.6, label=f"{label}, here",
            )  # fmt: skip
    axes.set(xlabel="share of the edges for training", ylabel=f"{measure}, %")
    axes.legend(fontsize=7.5, ncols=2, loc="best", frameon=False)
    return figure


def window_curve(windows: Mapping[str, Mapping[int, Sequence[float]]]) -> Figure:
    """Draws AUC against the window, the mean of repeats with each of them.

    Args:
        windows: For each protocol's title, the AUC in % of each repeat by window.
    """
    figure, axes = _chart((5.6, 3.6))
    for place, (title, found) in enumerate(windows.items()):
        style, marker = _line(place), MARKERS[place % len(MARKERS)]
        for window, values in found.items():
            at = [window] * len(values)
            axes.plot(at, values, ".", color=style["color"], alpha=0.45)
        means = list(map(fmean, found.values()))
        axes.plot(list(found), means, **style, marker=marker, label=_plain(title))
        axes.set_xticks(list(found))
    axes.set(xlabel="window of the parsing convolution, in words", ylabel="AUC, %")
    axes.legend(frameon=False)
    return figure


def _chart(
    size: tuple[float, float], rows: int = 1, columns: int = 1
) -> tuple[Figure, Any]:
    """Makes an empty figure, without any window or global state."""
    with matplotlib.rc_context(_STYLE):
        figure = Figure(figsize=size, layout="constrained")
        return figure, figure.subplots(rows, columns, sharex=rows > 1)


def _line(place: int) -> dict[str, Any]:
    colour, dash = COLOURS[place % len(COLOURS)], DASHES[place % len(DASHES)]
    return {"color": colour, "linestyle": dash}


def _cut(text: str, letters: int = _LETTERS) -> str:
    return text if len(text) <= letters else f"{text[: letters - 1]}…"


def _plain(text: str, letters: int = _LETTERS) -> str:
    """Returns a short text that matplotlib neither reads as maths nor hides."""
    short = _cut(text, letters).replace("$", r"\$")
    return f" {short}" if short[:1] == "_" else short
