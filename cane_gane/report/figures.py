"""Matplotlib figures in one style, colour-blind safe and legible in grey."""

from __future__ import annotations

import io
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib
from matplotlib.figure import Figure

from cane_gane.files import write_atomically

# Okabe and Ito's colours; shapes and dashes distinguish the same in grey.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
MARKERS = ("o", "^", "s", "D", "v", "P", "X", "<", ">", "*")
DASHES: tuple[Any, ...] = (
    "-", (0, (5, 2)), (0, (1, 1.5)), (0, (5, 1.5, 1, 1.5)), (0, (2, 4)),
)  # fmt: skip
GREY = "#8a8f98"
PALE = "#c3c8cf"
GRID = "#e6e8eb"
EDGE = "#5a6472"

LETTERS = 24  # characters of a name in a figure
_STYLE: dict[Any, Any] = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": GRID,
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "axes.edgecolor": EDGE,
    "svg.fonttype": "none",  # text stays text, in any script
    "svg.hashsalt": "cane_gane",  # the same figure gives the same file
}


class Chart(NamedTuple):
    """A figure, and its description in words."""

    figure: Figure
    alt: str


class Drawn(NamedTuple):
    """The same as an SVG with a transparent background."""

    svg: bytes
    alt: str


def save(own: Chart, folder: Path, name: str) -> Drawn:
    """Writes a figure as PNG and SVG.

    Args:
        own: The figure.
        folder: The folder for both files.
        name: Their name, without the suffix.

    Returns:
        The SVG.
    """
    content = {kind: drawn(own.figure, kind) for kind in ("png", "svg")}
    for kind, file in content.items():
        write_atomically(folder / f"{name.replace('/', '_')}.{kind}", file)
    return Drawn(content["svg"], own.alt)


def drawn(figure: Figure, kind: str = "svg") -> bytes:
    """Returns a figure as a file: `png`, or `svg` on a transparent background."""
    options: dict[str, Any] = {"metadata": {"Date": None}} if kind == "svg" else {}
    with matplotlib.rc_context(_STYLE), warnings.catch_warnings():
        # Characters that the font lacks are drawn as boxes.
        warnings.filterwarnings("ignore", "Glyph .* missing from")
        buffer, clear = io.BytesIO(), kind == "svg"
        figure.savefig(buffer, format=kind, dpi=160, transparent=clear, **options)
    return buffer.getvalue()


def chart(
    size: tuple[float, float], rows: int = 1, columns: int = 1
) -> tuple[Figure, Any]:
    """Makes an empty figure, without a window or global state."""
    with matplotlib.rc_context(_STYLE):
        figure = Figure(figsize=size, layout="constrained")
        return figure, figure.subplots(rows, columns, sharex=rows > 1)


def line(place: int) -> dict[str, Any]:
    """Returns the colour and the dash of line number `place`."""
    colour, dash = COLOURS[place % len(COLOURS)], DASHES[place % len(DASHES)]
    return {"color": colour, "linestyle": dash}


def cut(text: str, letters: int = LETTERS) -> str:
    """Returns the beginning of a text."""
    return text if len(text) <= letters else f"{text[: letters - 1]}…"


def plain(text: str, letters: int = LETTERS) -> str:
    """Returns a short text that matplotlib neither parses as maths nor hides."""
    short = cut(text, letters).replace("$", r"\$")
    return f" {short}" if short[:1] == "_" else short
