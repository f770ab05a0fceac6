"""Trains GANE-AP with several windows and draws AUC."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from absl import flags

from cane_gane.catalog import find_dataset
from cane_gane.cells import Cell
from cane_gane.commands.parsing import parse_ratio
from cane_gane.commands.train import chosen_settings, define_jobs, define_settings
from cane_gane.errors import InputError
from cane_gane.grid import Grid

USAGE = ("DATASET", "RATIO")
_FIXED = ("dataset", "ratio", "variant", "window", "seed")


def define(values: flags.FlagValues) -> None:
    """Defines the windows and repeats, and a flag for each other setting."""
    define_settings(values, without=_FIXED)
    flags.DEFINE_list(
        "windows",
        ["1", "5", "11", "21", "31", "41"],
        "widths to try",
        flag_values=values,
    )
    flags.DEFINE_integer(
        "repeats", 3, "runs for each width, with seeds 1, 2, …", 1, flag_values=values
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
    dataset, ratio = arguments[0], parse_ratio(arguments[1])
    find_dataset(dataset)  # before anything is begun
    default = f"runs/ablation-{Path(dataset).name}-{ratio:g}"
    output = Path(values.output or default)
    cells = [
        Cell.of(
            {"dataset": dataset, "ratio": ratio, "variant": "ap", "window": window,
             "seed": seed, **chosen_settings(values)}, output / f"window-{window}",
        )
        for seed in range(1, values.repeats + 1)
        for window in _windows(values.windows)
    ]  # fmt: skip
    grid = Grid(cells, output, jobs=values.jobs, device=values.device)
    from cane_gane.report.ablation import ablation_table, write_ablation

    def found() -> dict[int, list[dict[str, Any]]]:
        by_window: dict[int, list[dict[str, Any]]] = {}
        for cell in grid.finished:
            by_window.setdefault(cell.config.window, []).append(cell.folder.metrics())
        return by_window

    # After each cell, so that a look in between shows what there is.
    error = grid.run(lambda: write_ablation(f"{dataset}, {ratio:g}", found(), output))
    print(ablation_table(found()))
    print(f"\n{output / 'report.html'}")
    if error:
        raise error


def _windows(words: list[str]) -> list[int]:
    windows = [int(word) for word in words if word.strip().isdigit()]
    if len(windows) != len(words) or not windows or min(windows) < 1:
        raise InputError(
            f"found --windows={','.join(words)}; expected numbers from 1 on, such as "
            "1,5,11,21"
        )
    return sorted(set(windows))
