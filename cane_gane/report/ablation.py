"""The figure, the table and the page of an ablation of the window."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from cane_gane.files import write_atomically
from cane_gane.report import figures
from cane_gane.report.markup import picture, table
from cane_gane.report.page import Page
from cane_gane.report.tables import PROTOCOLS

Found = Mapping[int, Sequence[Mapping[str, Any]]]


def auc_by_window(found: Found) -> dict[int, dict[str, list[float]]]:
    """Returns the AUC in % of each repeat, by window and protocol.

    Args:
        found: The metrics of each repeat, by window.
    """
    return {
        window: {
            name: [100 * own["link_prediction"][name]["auc"] for own in repeats]
            for name in PROTOCOLS
        }
        for window, repeats in sorted(found.items())
    }


def write_ablation(title: str, found: Found, output: Path) -> None:
    """Writes ablation.json, the figure and the page.

    Args:
        title: What was ablated.
        found: The metrics of each repeat, by window.
        output: The folder.
    """
    windows = auc_by_window(found)
    drawn = figures.save(figures.window_curve(windows), output / "figures" / "ablation")
    text = json.dumps(windows, indent=1) + "\n"
    write_atomically(output / "ablation.json", text.encode())
    page = Page(f"Window of GANE-AP: {title}", "Link prediction, pair by pair.")
    page.section(
        "ablation", "AUC against the window",
        picture(drawn, "AUC against the window", "Lines: means; dots: each repeat."),
        table(("window", "repeats", *PROTOCOLS), _rows(windows)),
    )  # fmt: skip
    page.write(output / "report.html")


def ablation_table(found: Found) -> str:
    """Lays the means and standard deviations out for a terminal."""
    head = f"{'window':>6}{'repeats':>9}" + "".join(f"{p:>16}" for p in PROTOCOLS)
    rows = [f"{a:>6}{b:>9}{c:>16}{d:>16}" for a, b, c, d in _rows(auc_by_window(found))]
    return "\n".join([head, *rows])


def _rows(
    windows: Mapping[int, Mapping[str, Sequence[float]]],
) -> list[tuple[str, ...]]:
    return [
        (str(window), str(len(own["strict"])), *(_spread(own[p]) for p in PROTOCOLS))
        for window, own in windows.items()
    ]


def _spread(values: Sequence[float]) -> str:
    if len(values) < 2:
        return f"{mean(values):.1f}"
    return f"{mean(values):.1f} ± {stdev(values):.1f}"
