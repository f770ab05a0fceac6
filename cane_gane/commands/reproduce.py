"""Reproduces every table and figure of the paper."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from absl import flags

from cane_gane.commands.flags import define_jobs, parse_seeds
from cane_gane.config import suggestion
from cane_gane.errors import InputError

if TYPE_CHECKING:
    from cane_gane.report.reproduction import Reproduction
    from cane_gane.runs.cell import Cell
    from cane_gane.runs.reproduction import Part

USAGE: tuple[str, ...] = ()


def define(values: flags.FlagValues) -> None:
    """Defines the flags for seeds, parts and the output folder."""
    flags.DEFINE_list(
        "seeds",
        ["1", "2", "3"],
        "a split and a run for each, such as 1,2,3 or 1-10",
        flag_values=values,
    )
    flags.DEFINE_list(
        "only",
        [],
        "any of cora, hepth, classification, ablation, map, attention (default: all)",
        flag_values=values,
    )
    flags.DEFINE_string(
        "output", "runs/reproduce", "folder for runs and page", flag_values=values
    )
    define_jobs(values)


def run(arguments: list[str], values: flags.FlagValues) -> None:
    """Runs the command; runs that are finished are not run again."""
    from cane_gane.data.catalog import find_dataset
    from cane_gane.report.reproduction import write_reproduction
    from cane_gane.runs.grid import Grid
    from cane_gane.runs.reproduction import estimator, parts, union

    seeds, output = parse_seeds(values.seeds), Path(values.output)
    chosen = _chosen(parts(seeds, output), values.only)
    cells = union(chosen)
    for dataset in dict.fromkeys(cell.config.dataset for cell in cells):
        find_dataset(dataset)  # before any run starts
    weigh = estimator(cells)
    grid = Grid(cells, output, jobs=values.jobs, device=values.device, weigh=weigh)
    print(_outlook(chosen, grid.jobs, weigh), flush=True)
    error = grid.run(lambda: write_reproduction(_found(chosen, seeds), output))
    print((output / "reproduction.md").read_text(encoding="utf-8"))
    print(output / "report.html")
    if error:
        raise error


def _chosen(known: Sequence[Part], words: Sequence[str]) -> list[Part]:
    """Returns the parts that words name; all parts without words.

    Raises:
        InputError: There is no such part.
    """
    keys = [part.key for part in known]
    wanted = [word.lower() for word in words if word]
    for word in wanted:
        if word not in keys:
            raise InputError(
                f"found --only={word[:40]}; expected some of {', '.join(keys)}"
                f"{suggestion(word, keys)}"
            )
    return [part for part in known if not wanted or part.key in wanted]


def _outlook(chosen: Sequence[Part], jobs: int, weigh: Callable[[Cell], float]) -> str:
    """Returns how many runs each part has, and how long the remaining ones may take."""
    from cane_gane.progress import duration
    from cane_gane.runs.reproduction import union

    def left(cells: Sequence[Cell]) -> str:
        waiting = [cell for cell in cells if not cell.folder.finished]
        seconds = sum(map(weigh, waiting)) / max(1, min(jobs, len(waiting)))
        told = f"about {duration(seconds)}" if waiting else "nothing to do"
        return f"{len(cells):>5} runs, {len(cells) - len(waiting):>4} finished; {told}"

    width = max(len(part.title) for part in chosen)
    lines = [f"{part.title:<{width}} {left(part.cells)}" for part in chosen]
    every = f"{'together':<{width}} {left(union(chosen))}, {jobs} at once"
    return "\n".join([*lines, every])


def _found(chosen: Sequence[Part], seeds: Sequence[int]) -> Reproduction:
    """Collects the results of the finished runs of the parts."""
    from cane_gane.evaluation.results import Examples
    from cane_gane.report.ratios import Ratios
    from cane_gane.report.repeats import OneRun
    from cane_gane.report.reproduction import Reproduction
    from cane_gane.runs.reproduction import DATASETS, ROWS, union

    known = {part.key: part for part in chosen}
    tables = []
    for dataset in DATASETS:
        keys = [dataset.lower(), *(["classification"] if dataset == "cora" else [])]
        cells = union([known[key] for key in keys if key in known])
        runs = [cell.folder.one_run() for cell in cells if cell.folder.finished]
        if runs:
            ratios = sorted({cell.config.ratio for cell in cells})
            tables.append(Ratios(dataset, ROWS, ratios, seeds, runs))
    windows: dict[int, list[OneRun]] = {}
    for cell in known["ablation"].finished if "ablation" in known else []:
        window: int = cell.config.settings.window  # type: ignore[attr-defined]
        windows.setdefault(window, []).append(cell.folder.one_run())
    shown = {
        key: known[key].finished[0].folder.examples()
        for key in ("map", "attention")
        if key in known and known[key].finished
    }
    cells = union(chosen)
    finished = sum(cell.folder.finished for cell in cells)
    return Reproduction(
        (finished, len(cells)),
        tables,
        "classification" in known,
        windows,
        shown.get("map", Examples()).map,
        shown.get("attention", Examples()).matched,
    )
