"""Trains GANE-AP with several windows; plots AUC."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from absl import flags

from cane_gane.commands.flags import (
    chosen_settings,
    define_jobs,
    define_settings,
    parse_numbers,
    parse_ratio,
)
from cane_gane.data.catalog import canonical_name, find_dataset

if TYPE_CHECKING:
    from cane_gane.report.repeats import OneRun

USAGE = ("DATASET", "RATIO")
_FIXED = ("dataset", "ratio", "method", "window", "seed")


def define(values: flags.FlagValues) -> None:
    """Defines the windows and repeats, and a flag for each other setting."""
    define_settings(values, without=_FIXED)
    flags.DEFINE_list(
        "windows",
        ["1", "5", "11", "21", "31", "41"],
        "widths to compare",
        flag_values=values,
    )
    flags.DEFINE_integer(
        "repeats",
        3,
        "runs for each width, with seeds 1, 2, …",
        1,
        1000,
        flag_values=values,
    )
    flags.DEFINE_string(
        "output",
        None,
        "folder for runs, figure and page (default: runs/ablation-DATASET-RATIO)",
        flag_values=values,
    )
    define_jobs(values)


def run(arguments: list[str], values: flags.FlagValues) -> None:
    """Runs the command; cells that are finished are not run again."""
    from cane_gane.report.ablation import ablation_table, write_ablation
    from cane_gane.runs.cell import Cell
    from cane_gane.runs.grid import Grid

    dataset, ratio = canonical_name(arguments[0]), parse_ratio(arguments[1])
    find_dataset(dataset)  # before any run starts
    default = f"runs/ablation-{Path(dataset).name}-{ratio:g}"
    output = Path(values.output or default)
    cells = [
        Cell.of(
            {"dataset": dataset, "ratio": ratio, "method": "ap", "window": window,
             "seed": seed, **chosen_settings(values)}, output / f"window-{window}",
        )
        for seed in range(1, values.repeats + 1)
        for window in parse_numbers(values.windows, "windows")
    ]  # fmt: skip
    grid = Grid(cells, output, jobs=values.jobs, device=values.device)

    def found() -> dict[int, list[OneRun]]:
        by_window: dict[int, list[OneRun]] = {}
        for cell in grid.finished:
            window: int = cell.config.settings.window  # type: ignore[attr-defined]
            by_window.setdefault(window, []).append(cell.folder.one_run())
        return by_window

    # After each cell, so that the page shows all results so far.
    title = f"{dataset}, {ratio:g}"
    error = grid.run(lambda: write_ablation(title, found(), output, len(cells)))
    print(ablation_table(found()))
    print(f"\n{output / 'report.html'}")
    if error:
        raise error
