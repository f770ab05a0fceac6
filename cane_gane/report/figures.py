"""Figures of runs, drawn by matplotlib: colour-blind safe and legible in grey."""

from __future__ import annotations

import io
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from cane_gane.files import write_atomically

# Okabe and Ito's colours; shapes and dashes tell the same in grey.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
MARKERS = ("o", "^", "s", "D", "v", "P", "X", "<", ">", "*")
DASHES: tuple[Any, ...] = (
    "-", (0, (5, 2)), (0, (1, 1.5)), (0, (5, 1.5, 1, 1.5)), (0, (2, 4)),
)  # fmt: skip
GREY = "#8a8f98"

_STYLE: dict[Any, Any] = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e6e8eb",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "axes.edgecolor": "#5a6472",
    "legend.frameon": False,
    "lines.linewidth": 1.6,
    "svg.hashsalt": "cane_gane",  # the same figure gives the same file
}
_SIZE = (5.6, 3.6)


def chart(
    size: tuple[float, float] = _SIZE, rows: int = 1, columns: int = 1
) -> tuple[Figure, Any]:
    """Makes an empty figure, without any window or global state."""
    with matplotlib.rc_context(_STYLE):
        figure = Figure(figsize=size, layout="constrained")
        return figure, figure.subplots(rows, columns, sharex=rows > 1)


def save(figure: Figure, path: Path) -> bytes:
    """Writes a figure as PNG and SVG.

    Args:
        figure: The figure.
        path: The files without their endings.

    Returns:
        The SVG.
    """
    content = {}
    with matplotlib.rc_context(_STYLE), warnings.catch_warnings():
        # A word in a script that the font lacks is drawn as a box.
        warnings.filterwarnings("ignore", "Glyph .* missing from")
        for kind in ("png", "svg"):
            buffer = io.BytesIO()
            metadata = {"Date": None} if kind == "svg" else {}
            figure.savefig(buffer, format=kind, metadata=metadata, dpi=160)
            content[kind] = buffer.getvalue()
            write_atomically(path.with_suffix(f".{kind}"), content[kind])
    return content["svg"]


def plain(text: str) -> str:
    """Returns text that matplotlib neither reads as maths nor hides."""
    return (
        f" {text}".replace("$", r"\$") if text[:1] == "_" else text.replace("$", r"\$")
    )


def learning_curve(history: Sequence[Mapping[str, Any]], best_epoch: int) -> Figure:
    """Draws loss and validation AUC over the epochs, the best one marked."""
    figure, (loss, auc) = chart((5.6, 4.2), rows=2)
    epochs = [row["epoch"] for row in history]
    loss.plot(epochs, [row["loss"] for row in history], color=COLOURS[0], marker=".")
    loss.set_ylabel("loss")
    judged = [row for row in history if row["validation_auc"] is not None]
    if judged:
        values = [100 * row["validation_auc"] for row in judged]
        auc.plot([row["epoch"] for row in judged], values, color=COLOURS[1], marker=".")
    auc.set_ylabel("validation AUC, %")
    auc.set_xlabel("epoch")
    auc.xaxis.set_major_locator(MaxNLocator(integer=True))
    for axes in (loss, auc):
        axes.axvline(best_epoch, color=GREY, linestyle=":", linewidth=1.2)
    auc.annotate(
        f"epoch {best_epoch}", (best_epoch, 0.03), xycoords=("data", "axes fraction"),
        xytext=(-4, 0), textcoords="offset points", ha="right", color="#5a6472",
    )  # fmt: skip
    return figure


def roc_curves(curves: Mapping[str, Mapping[str, Any]], title: str) -> Figure:
    """Draws ROC curves, each with its area in the legend."""
    figure, axes = chart((4.6, 4.2))
    axes.plot([0, 1], [0, 1], color=GREY, linewidth=0.8)
    for place, (name, curve) in enumerate(curves.items()):
        axes.plot(
            curve["false_positives"], curve["true_positives"],
            color=COLOURS[place % len(COLOURS)], linestyle=DASHES[place % len(DASHES)],
            label=f"{plain(name)}: {100 * curve['area']:.1f}",
        )  # fmt: skip
    axes.set(xlabel="false positive rate", ylabel="true positive rate", title=title)
    axes.set_aspect("equal")
    axes.legend(loc="lower right", title="area, %", alignment="left", frameon=False)
    return figure


def node_map(places: Mapping[str, Any]) -> Figure:
    """Draws nodes in the plane, a colour and a shape for each label."""
    figure, axes = chart((5.6, 4.6))
    labels = places["labels"] or [None] * len(places["nodes"])
    counts = {label: labels.count(label) for label in set(labels) if label is not None}
    named = sorted(counts, key=lambda label: (-counts[label], label))[: len(MARKERS)]
    named = sorted(named, key=lambda label: (len(label), label))
    for label in [None, *named]:
        inside = [
            place for place, own in enumerate(labels)
            if own == label or (label is None and own not in named)
        ]  # fmt: skip
        if not inside:
            continue
        style: dict[str, Any] = {"color": "#c3c8cf", "marker": ".", "label": "other"}
        if label is not None:
            at = named.index(label)
            style = {"color": COLOURS[at % len(COLOURS)], "marker": MARKERS[at],
                     "label": plain(label)}  # fmt: skip
        elif not named:
            style["label"] = None
            style["color"] = COLOURS[0]
        axes.scatter(
            [places["x"][i] for i in inside], [places["y"][i] for i in inside],
            s=11, linewidths=0.25, edgecolors="white" if label is not None else None,
            alpha=0.9, **style,
        )  # fmt: skip
    axes.set(xticks=[], yticks=[])
    axes.spines[["left", "bottom"]].set_visible(False)
    axes.set_aspect("equal", adjustable="datalim")
    if named:
        axes.legend(
            loc="center left", bbox_to_anchor=(1, 0.5), markerscale=1.8, frameon=False
        )
    return figure


def heat_maps(pair: Mapping[str, Any], titles: Mapping[str, str], limit: int) -> Figure:
    """Draws how the words of a pair of texts are matched, in one way or more.

    Args:
        pair: Has `source_words`, `target_words` and the weights.
        titles: The title of each map, by the key that its weights have in `pair`.
        limit: How many words of each text are shown.
    """
    rows, columns = pair["source_words"][:limit], pair["target_words"][:limit]
    height = max(3.0, 0.16 * len(rows) + 1.4)
    width = max(3.4, 0.16 * len(columns) + 1.4)
    figure, _ = chart((width * len(titles), height), columns=len(titles))
    for own, (key, title) in zip(figure.axes, titles.items(), strict=True):
        weights = [row[:limit] for row in pair[key][:limit]]
        own.imshow(weights, cmap="Blues", aspect="auto", vmin=0)
        own.set_xticks(
            range(len(columns)), columns, rotation=90, fontsize=7, parse_math=False
        )
        own.set_yticks(range(len(rows)), rows, fontsize=7, parse_math=False)
        own.grid(visible=False)
        own.set_title(title.replace(": ", "\n", 1), fontsize=9)
    return figure


def ratio_curves(
    paper: Mapping[str, Sequence[tuple[float, float]]],
    ours: Mapping[str, Sequence[tuple[float, float, float]]],
) -> Figure:
    """Draws AUC against the training ratio: ours, and the paper's behind.

    Args:
        paper: (ratio, AUC in %) of each name.
        ours: (ratio, AUC in %, its error) of each name.

    Returns:
        The figure. A name has one colour and one dash on both sides.
    """
    figure, axes = chart((5.6, 4.0))
    names = list(dict.fromkeys([*paper, *ours]))
    for place, name in enumerate(names):
        colour = COLOURS[place % len(COLOURS)]
        dash = DASHES[place % len(DASHES)]
        if paper.get(name):
            ratios, values = zip(*paper[name], strict=True)
            axes.plot(
                ratios, values, color=colour, linestyle=dash, linewidth=1.2, alpha=0.7,
                label=f"{name}, published",
            )  # fmt: skip
        if ours.get(name):
            ratios, values, errors = zip(*sorted(ours[name]), strict=True)
            axes.errorbar(
                ratios, values, errors, color=colour, linestyle=dash, capsize=2.5,
                marker=MARKERS[place % len(MARKERS)], markersize=6,
                markeredgecolor="black", markeredgewidth=0.6, label=f"{name}, here",
            )  # fmt: skip
    axes.set(xlabel="share of the edges for training", ylabel="AUC, %")
    axes.legend(fontsize=7.5, ncols=2, loc="lower right", frameon=False)
    return figure


def window_curve(windows: Mapping[int, Mapping[str, Sequence[float]]]) -> Figure:
    """Draws AUC against the window, the mean of repeats with each of them.

    Args:
        windows: For each window, the AUC in % of each repeat by protocol.
    """
    figure, axes = chart()
    for place, name in enumerate(("upstream", "strict")):
        known = {window: found[name] for window, found in windows.items()}
        colour = COLOURS[place]
        for window, values in known.items():
            axes.plot([window] * len(values), values, ".", color=colour, alpha=0.45)
        axes.plot(
            list(known), [sum(v) / len(v) for v in known.values()], color=colour,
            linestyle=DASHES[place], marker=MARKERS[place], label=f"{name} protocol",
        )  # fmt: skip
    axes.set(xlabel="window of the parsing convolution, in words", ylabel="AUC, %")
    axes.set_xticks(list(windows))
    axes.legend(frameon=False)
    return figure
