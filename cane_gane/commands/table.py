"""Trains methods at several ratios; makes tables."""

from __future__ import annotations

from pathlib import Path

from absl import flags

from cane_gane.commands.flags import (
    chosen_settings,
    define_jobs,
    define_methods,
    define_settings,
    method_settings,
    parse_methods,
    parse_ratio,
    parse_seeds,
)
from cane_gane.data.catalog import canonical_name, find_dataset
from cane_gane.errors import InputError
from cane_gane.methods.registry import METHODS

USAGE = ("DATASET",)
_FIXED = ("dataset", "ratio", "method", "seed")


def define(values: flags.FlagValues) -> None:
    """Defines what the table has, and a flag for each other setting."""
    define_settings(values, without=_FIXED)
    define_methods(values, list(METHODS), "methods")
    flags.DEFINE_list(
        "ratios",
        ["0.15", "0.35", "0.55", "0.75", "0.95"],
        "shares of the edges for training",
        flag_values=values,
    )
    flags.DEFINE_list(
        "seeds",
        ["1", "2", "3"],
        "a split and a run for each, such as 1,2,3 or 1-10",
        flag_values=values,
    )
    flags.DEFINE_string(
        "output",
        None,
        "folder for runs, tables and page (default: runs/table-DATASET)",
        flag_values=values,
    )
    define_jobs(values)


def run(arguments: list[str], values: flags.FlagValues) -> None:
    """Runs the command; cells that are finished are not run again."""
    from cane_gane.report.layouts import as_markdown
    from cane_gane.report.overview import write_overview
    from cane_gane.report.ratios import Ratios
    from cane_gane.runs.cell import Cell
    from cane_gane.runs.grid import Grid

    dataset = canonical_name(arguments[0])
    methods = parse_methods(values.methods, list(METHODS))
    ratios = list(dict.fromkeys(map(parse_ratio, values.ratios)))
    seeds = parse_seeds(values.seeds)
    for name, chosen in (("methods", methods), ("ratios", ratios)):
        if not chosen:
            raise InputError(f"found no {name}; expected --{name}= with at least one")
    name = Path(dataset).resolve().name
    output = Path(values.output or f"runs/table-{name}")
    # Seed by seed, so that an early table already has all its cells.
    settings = method_settings(chosen_settings(values), methods)
    cells = [
        Cell.of(
            {"dataset": dataset, "ratio": ratio, "method": method, "seed": seed,
             **settings[method]}, output,
        )
        for seed in seeds for ratio in ratios for method in methods
    ]  # fmt: skip
    find_dataset(dataset)  # before any run starts
    grid = Grid(cells, output, jobs=values.jobs, device=values.device)

    def found() -> Ratios:
        runs = [cell.folder.one_run() for cell in grid.finished]
        return Ratios(runs[0].dataset, methods, ratios, seeds, runs)

    error = grid.run(lambda: write_overview(found(), output))
    print(as_markdown(found()))
    print(f"\n{output / 'report.html'}")
    if error:
        raise error
