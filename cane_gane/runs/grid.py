"""Runs that differ in a few settings, several in parallel, each in its own process."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from cane_gane.errors import InputError
from cane_gane.evaluation.show import percent
from cane_gane.progress import duration, is_quiet, say
from cane_gane.runs.cell import Cell, Child
from cane_gane.runs.folder import RunFolder
from cane_gane.runs.signals import ends_as_interrupts
from cane_gane.training.runtime import core_count

_POLL_SECONDS = 0.1
_PAUSE = 20  # times as long as the last update took: pages of many runs take seconds
_THREADS = ("TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS", "OMP_NUM_THREADS")


class CellError(InputError):
    """Some runs failed; a line for each was printed before."""


class Grid:
    """All runs of a grid. Finished runs are not repeated, interrupted ones continue.

    Attributes:
        jobs: How many run in parallel.

    Example:
        >>> grid = Grid(cells, Path("runs/table-cora"), jobs=2)
        >>> error = grid.run(lambda: print(len(grid.finished)))
    """

    def __init__(
        self,
        cells: Sequence[Cell],
        home: Path,
        *,
        jobs: int | None = None,
        device: str = "auto",
        weigh: Callable[[Cell], float] = lambda cell: 1.0,
    ) -> None:
        """Takes the runs.

        Args:
            cells: The runs, in the order in which they start.
            home: The folder above all of theirs.
            jobs: How many run in parallel; by default as many as there are cores.
            device: The device they compute on.
            weigh: The relative duration of a run, to estimate the time that is left.

        Raises:
            InputError: A folder has a run with other settings or data.
        """
        cores = core_count()
        self._cells = cells
        self._home = home
        self.jobs = min(jobs or cores, len(cells))
        self._device = device
        self._threads = max(1, cores // self.jobs)
        self._failed: list[Cell] = []
        self._weigh = weigh
        self._seconds = self._weight = 0.0  # of the runs that finished here
        for cell in cells:
            cell.folder.check(cell.config, "choose another --output")

    @property
    def finished(self) -> list[Cell]:
        """The finished runs, in the order of `cells`."""
        return [cell for cell in self._cells if cell.folder.finished]

    def run(self, on_change: Callable[[], None]) -> CellError | None:
        """Runs all unfinished runs; Ctrl-C, or a signal to end, ends them all.

        Args:
            on_change: Called at the start if there are finished runs, when others have
                finished, and at the end. A slow one is called less often.

        Returns:
            An error for the failed runs, to be raised after other output; None if none
            failed.

        Raises:
            CellError: All runs failed.
        """
        waiting = [cell for cell in self._cells if not cell.folder.finished]
        self._say_start(len(waiting))
        changed = len(waiting) < len(self._cells)
        running: list[Child] = []
        due = 0.0
        try:
            with ends_as_interrupts():
                while waiting or running or changed:
                    while waiting and len(running) < self.jobs:
                        running.append(self._start(waiting.pop(0)))
                    # Now that the cores are busy again.
                    if changed and (time.monotonic() >= due or not running):
                        begun = time.monotonic()
                        on_change()
                        changed = False
                        due = time.monotonic() + _PAUSE * (time.monotonic() - begun)
                    time.sleep(_POLL_SECONDS)
                    ended = [child for child in running if self._has_ended(child)]
                    for child in ended:
                        running.remove(child)
                        self._say_end(child, waiting, running)
                    changed = changed or any(child.well for child in ended)
        except KeyboardInterrupt:
            finished = f"{len(self.finished)} of {len(self._cells)} runs are finished"
            raise KeyboardInterrupt(
                f"{finished} in {self._home}; the same command continues from there"
            ) from None
        finally:
            _stop(running)
        error = self._error()
        if error and not self.finished:
            raise error
        return error

    def _start(self, cell: Cell) -> Child:
        # By --jobs, not by what is left: a continued run has the same number of
        # threads.
        shared = dict.fromkeys(_THREADS, str(self._threads)) if self.jobs > 1 else {}
        return Child(cell, self._device, shared)

    def _has_ended(self, child: Child) -> bool:
        ended = child.poll()
        if self.jobs == 1 and not is_quiet():
            print(child.news(), end="", file=sys.stderr, flush=True)
        return ended

    def _say_end(
        self, child: Child, waiting: Sequence[Cell], running: Sequence[Child]
    ) -> None:
        """Prints how a run ended, and how long the others may take."""
        if child.well:
            self._seconds += child.seconds
            self._weight += self._weigh(child.cell)
        else:
            self._failed.append(child.cell)
        left = self._left(waiting, running)
        ended = len(self._cells) - len(waiting) - len(running)
        parts = [
            f"{ended}/{len(self._cells)}",
            str(child.cell.folder.path.relative_to(self._home)),
            _aucs(child.cell.folder) if child.well else f"FAILED: {child.reason()}",
            duration(child.seconds),
            f"about {duration(left)} left" if left else "",
        ]
        say("  ".join(filter(None, parts)))

    def _left(self, waiting: Sequence[Cell], running: Sequence[Child]) -> float | None:
        """Estimates the remaining seconds from the runs that finished."""
        if not self._weight or not (waiting or running):
            return None
        unit = self._seconds / self._weight
        later = sum(unit * self._weigh(cell) for cell in waiting)
        for child in running:
            # A run that takes longer than expected need not be close to its end.
            expected = unit * self._weigh(child.cell)
            later += max(expected / 10, expected - child.seconds)
        return later / min(self.jobs, len(waiting) + len(running))

    def _say_start(self, waiting: int) -> None:
        there = len(self._cells) - waiting
        if waiting:
            say(
                f"{len(self._cells)} runs, {there} of them finished before; "
                f"{self.jobs} at once; each has its log.txt below {self._home}"
            )

    def _error(self) -> CellError | None:
        if not self._failed:
            return None
        return CellError(
            f"{self._home}: found {len(self._failed)} of {len(self._cells)} runs "
            "failed (see FAILED above); expected all to succeed: the same "
            "command tries them again"
        )


def _stop(running: Sequence[Child]) -> None:
    for child in running:
        child.terminate()
    for child in running:
        child.wait()


def _aucs(folder: RunFolder) -> str:
    links = folder.evaluation().link_prediction
    known = {name: own.auc for name, own in links.items() if own.auc is not None}
    shown = (f"{percent(auc)} {name}" for name, auc in known.items())
    return f"AUC {', '.join(shown)}"
