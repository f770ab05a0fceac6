"""The figure, the table and the page of an ablation of the window."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean, stdev

from cane_gane.evaluation.outcomes import COMPARED
from cane_gane.evaluation.results import Difference
from cane_gane.files import write_atomically
from cane_gane.report import charts, figures
from cane_gane.report.links import Table, difference_table
from cane_gane.report.page import write_page
from cane_gane.report.paired import paired_gap
from cane_gane.report.repeats import OneRun
from cane_gane.report.titles import MAIN, method_title, protocol_title

Found = Mapping[int, Sequence[OneRun]]  # each repeat, by window


def auc_by_window(found: Found) -> dict[int, dict[str, list[float]]]:
    """Returns the AUC in % of each repeat that has one, by window and protocol.

    A protocol without AUC is left out.
    """

    def known(repeats: Sequence[OneRun], name: str) -> list[float]:
        aucs = (run.figure(name)[0] for run in repeats)
        return [100 * auc for auc in aucs if auc is not None]

    everyone = [
        run.evaluation.link_prediction for repeats in found.values() for run in repeats
    ]
    names = [n for n in everyone[0] if any(own[n].auc is not None for own in everyone)]
    return {
        window: {name: known(repeats, name) for name in names}
        for window, repeats in sorted(found.items())
    }


def window_curves(found: Found) -> dict[str, dict[int, list[float]]]:
    """Returns the AUC in % of each repeat, by window, for each protocol's title."""
    windows = auc_by_window(found)
    return {
        protocol_title(name): {w: own[name] for w, own in windows.items() if own[name]}
        for name in next(iter(windows.values()))
    }


def paired_table(found: Found) -> Table | None:
    """Returns each window minus the one with the best mean AUC, on the same edges.

    None if no two windows have runs with the same edges.
    """
    aucs = {window: own.get(MAIN) for window, own in auc_by_window(found).items()}
    means = {window: fmean(own) for window, own in aucs.items() if own}
    best = max(means, key=lambda window: means[window], default=0)
    rows = []
    for window in sorted(means.keys() - {best}):
        gaps = {
            figure: Difference(gap.mean, gap.interval)
            for figure in COMPARED
            if (gap := paired_gap(found[window], found[best], MAIN, figure))
        }
        if gaps:
            rows.append((f"{window} minus {best}", gaps))
    return difference_table(MAIN, rows) if rows else None


def write_ablation(title: str, found: Found, output: Path, count: int) -> None:
    """Writes ablation.json, the figure and the page.

    Args:
        title: What was ablated.
        found: The finished runs, by window.
        output: The folder.
        count: How many runs there will be.
    """
    windows = auc_by_window(found)
    curve = charts.window_curve(window_curves(found))
    text = json.dumps(windows, indent=1) + "\n"
    write_atomically(output / "ablation.json", text.encode())
    write_page(
        "ablation.html",
        output / "report.html",
        title=f"Window of {method_title('ap')}: {title}",
        subtitle="Link prediction, pair by pair.",
        drawn=figures.save(curve, output / "figures", "ablation"),
        rows=window_rows(found),
        paired=paired_table(found),
        done=(sum(map(len, found.values())), count),
    )


def ablation_table(found: Found) -> str:
    """Formats the means and standard deviations for a terminal."""
    rows = window_rows(found)
    widths = [6, 9, *(max(22, len(title) + 3) for title in rows[0][2:])]
    return "\n".join(
        "".join(f"{cell:>{width}}" for cell, width in zip(row, widths, strict=True))
        for row in rows
    )


def window_rows(found: Found) -> list[list[str]]:
    """Returns a header, and a row for each window."""
    windows = auc_by_window(found)
    protocols = map(protocol_title, next(iter(windows.values())))
    return [["window", "repeats", *protocols]] + [
        [str(window), str(len(found[window])), *map(_spread, own.values())]
        for window, own in windows.items()
        if any(own.values())
    ]


def _spread(values: Sequence[float]) -> str:
    if not values:
        return "–"
    spread = f" ± {stdev(values):.1f}" if len(values) > 1 else ""
    return f"{fmean(values):.1f}{spread}"
