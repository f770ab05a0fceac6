"""The runs behind the paper's tables and figures, and how long they will take."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from statistics import fmean
from typing import Any

from cane_gane.evaluation.results import Timing
from cane_gane.methods.registry import METHODS
from cane_gane.runs.cell import Cell

DATASETS = ("cora", "HepTh")
RATIOS = (0.15, 0.35, 0.55, 0.75, 0.95)
WINDOWS = (1, 5, 11, 21, 31, 41)
SHOWN = 0.55  # the ratio of the runs that figures show
# The rows of the paper's tables, in its order.
ROWS = (
    "mmb", "deepwalk", "line", "node2vec", "naive", "tadw", "cene", "cane", "dmte",
    "wane", "ot", "ap",
)  # fmt: skip
# Seconds of a whole run on cora, with evaluation and report, on two idle cores: a guess
# for methods without finished runs.
_GUESSES = {"cane": 110.0, "wane": 110.0, "ot": 110.0, "ap": 110.0}
_GUESS = 40.0
_SIZE = {"HepTh": 0.5}  # factor of the guess for another data set
_BEGIN = 5.0  # seconds until a process has loaded its libraries


@dataclass(frozen=True)
class Part:
    """A table or a figure of the paper.

    Attributes:
        key: Its name in --only.
        title: Its name for readers.
        cells: Its runs; parts may share runs.
    """

    key: str
    title: str
    cells: Sequence[Cell]

    @property
    def finished(self) -> list[Cell]:
        """Its finished runs."""
        return [cell for cell in self.cells if cell.folder.finished]


def parts(seeds: Sequence[int], output: Path) -> list[Part]:
    """Returns all tables and figures of the paper.

    Args:
        seeds: A split and a run for each.
        output: The folder for all runs.
    """
    made: dict[Path, Cell] = {}

    def cell(folder: str, method: str, **chosen: Any) -> Cell:
        # The paper's systems alone: evidence is not in the paper.
        alone = {"evidence": "none"} if _has_evidence(method) else {}
        built = Cell.of({"method": method, **alone, **chosen}, output / folder)
        return made.setdefault(built.folder.path, built)

    def table(dataset: str, ratios: Sequence[float]) -> list[Cell]:
        methods = [key for key in ROWS if key in METHODS]
        return [
            cell(f"table-{dataset}", dataset=dataset, ratio=r, method=key, seed=seed)
            for seed in seeds for r in ratios for key in methods
        ]  # fmt: skip

    shown = cell("table-cora", dataset="cora", ratio=SHOWN, method="ot", seed=seeds[0])
    windows = [
        cell(f"ablation/window-{window}", dataset="cora", ratio=SHOWN, method="ap",
             window=window, seed=seed)
        for seed in seeds for window in WINDOWS
    ]  # fmt: skip
    return [
        *(Part(name.lower(), f"Link prediction on {name}", table(name, RATIOS))
          for name in DATASETS),
        Part("classification", "Node classification on cora",
             table("cora", RATIOS[-1:])),
        Part("ablation", "Window of the parsing on cora", windows),
        Part("map", "t-SNE of GANE-OT on cora", [shown]),
        Part("attention", "Attention of WANE and of the plan on cora", [shown]),
    ]  # fmt: skip


def _has_evidence(method: str) -> bool:
    return any(field.name == "evidence" for field in fields(METHODS[method].settings))


def union(chosen: Sequence[Part]) -> list[Cell]:
    """Returns the runs of several parts, each run once, in order."""
    return list(dict.fromkeys(cell for part in chosen for cell in part.cells))


def estimator(cells: Sequence[Cell]) -> Callable[[Cell], float]:
    """Returns a function that estimates the seconds of a run, from start to page.

    If runs of the same method and data set have finished, the estimate is their mean;
    else that of the method's runs on another data set; else a guess, scaled by how long
    finished runs took compared with their guesses.

    Args:
        cells: All runs.
    """
    taken: dict[tuple[str, ...], list[float]] = {}
    seconds = guessed = 0.0
    for cell in cells:
        if cell.folder.finished:
            whole = _whole(cell.folder.evaluation().time)
            seconds, guessed = seconds + whole, guessed + _guess(cell)
            method, dataset = cell.config.method, cell.config.dataset
            for key in ((method, dataset), (method,)):
                taken.setdefault(key, []).append(whole)
    pace = seconds / guessed if guessed else 1.0

    def seconds_of(cell: Cell) -> float:
        method, dataset = cell.config.method, cell.config.dataset
        for key in ((method, dataset), (method,)):
            if key in taken:
                return fmean(taken[key])
        return pace * _guess(cell)

    return seconds_of


def _guess(cell: Cell) -> float:
    seconds = _GUESSES.get(cell.config.method, _GUESS)
    return seconds * _SIZE.get(cell.config.dataset, 1.0)


def _whole(time: Timing) -> float:
    """Returns the seconds of a run with all its parts, including the start."""
    before = [(time.parts or {}).get(part, 0.0) for part in ("prepare", "export")]
    return _BEGIN + sum(before) + (time.train or 0.0) + (time.evaluate or 0.0)
