"""Draws the documents' figures that need no run: the plan in start.md."""

from __future__ import annotations

import re

import numpy as np

from tools.site import ROOT

PLAN = ROOT / "docs/figures/plan.svg"
PAGE = ROOT / "docs/start.md"
LEFT, RIGHT, CELL, INK, SHADE = 90, 250, 76, "#1b1f24", "#0a5ca8"


def example() -> tuple[list[str], list[str], np.ndarray]:
    """Runs the example of start.md: both texts, and their plan by our own solver."""
    block = re.search(r"^```python\n(.*?)^```$", PAGE.read_text("utf-8"), re.M | re.S)
    if block is None:
        raise ValueError(f"found no block of Python in {PAGE}; expected the example")
    names: dict[str, object] = {"print": lambda *words, **options: None}
    exec(compile(block[1], str(PAGE), "exec"), names)
    return list(names["source"]), list(names["target"]), np.asarray(names["plan"])


def svg(source: list[str], target: list[str], plan: np.ndarray) -> str:
    """Returns the plan as lines between words, and as a table with a cell per pair."""
    parts = []

    def word(x: float, y: float, said: str, anchor: str, colour: str = INK) -> None:
        parts.append(
            f'<text x="{x}" y="{y + 5}" text-anchor="{anchor}" fill="{colour}">'
            f"{said}</text>"
        )

    rows = [CELL * (i + 1) for i in range(3)]
    for i, y in enumerate(rows):
        for j, end in enumerate(rows):
            parts.append(
                f'<line x1="{LEFT}" y1="{y}" x2="{RIGHT}" y2="{end}" stroke="{SHADE}" '
                f'stroke-width="{48 * plan[i, j]:.1f}" stroke-opacity="0.7"/>'
            )
            x = 430 + CELL * j
            share = 3 * plan[i, j]
            parts.append(
                f'<rect x="{x}" y="{y - CELL / 2}" width="{CELL}" height="{CELL}" '
                f'fill="{SHADE}" fill-opacity="{0.85 * share:.2f}" stroke="#8c959f"/>'
            )
            colour = "#ffffff" if share > 0.6 else INK
            word(x + CELL / 2, y, f"{100 * plan[i, j]:.1f} %", "middle", colour)
    for i, y in enumerate(rows):
        word(LEFT - 10, y, source[i], "end")
        word(RIGHT + 10, y, target[i], "start")
        word(420, y, source[i], "end")
        word(430 + CELL * (i + 0.5), 22, target[i], "middle")
    shown = "\n".join(parts)
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 680 280" width="680" '
        'font-family="sans-serif" font-size="16">\n'
        '<rect width="680" height="280" fill="#ffffff"/>\n'
        f"{shown}\n</svg>\n"
    )


def draw() -> None:
    """Writes the figure of the plan."""
    PLAN.write_text(svg(*example()), encoding="utf-8")
