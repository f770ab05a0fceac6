"""What a job says while it runs: lines, durations, and the time of its parts."""

from __future__ import annotations

import contextlib
import os
import re
import resource
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, ClassVar

from cane_gane.errors import harmless

EVERY = 30.0  # seconds between two lines on a stage
_QUIET = "CANE_GANE_QUIET"  # a variable, so that child processes are quiet, too
LOUD = {_QUIET: ""}  # for those that are not


def say(line: str) -> None:
    """Prints a line on standard error, at once, unless the job is quiet."""
    if not is_quiet():
        warn(line)


def warn(line: str) -> None:
    """Prints a line on standard error, at once, even if the job is quiet."""
    print(harmless(line), file=sys.stderr, flush=True)


def is_quiet() -> bool:
    """Whether nothing is said of the progress."""
    return bool(os.environ.get(_QUIET))


@contextlib.contextmanager
def quietly() -> Iterator[None]:
    """Says nothing of the progress inside, here and in child processes."""
    before = os.environ.get(_QUIET, "")
    os.environ[_QUIET] = "1"
    try:
        yield
    finally:
        os.environ[_QUIET] = before


def has_bar() -> bool:
    """Whether somebody watches a bar on standard error."""
    return sys.stderr.isatty() and not is_quiet()


def has_colour() -> bool:
    """Whether standard output shows colours (https://no-color.org)."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return sys.stdout.isatty() and not plain


RED, PLAIN = "\x1b[31m", "\x1b[0m"  # the only colours that are printed
_COLOURS = re.compile(f"({re.escape(RED)}|{re.escape(PLAIN)})")


class Terminal:
    """A terminal that shows what is printed, whatever files and names hold.

    Escapes, bells and turns of the direction of writing become signs; our own colours
    and the carriage return of a bar pass.
    """

    def __init__(self, stream: Any) -> None:
        """Takes the stream to print on."""
        self._stream = stream

    def write(self, text: str) -> int:
        """Prints a text."""
        parts = _COLOURS.split(text)
        parts[::2] = [harmless(part, "\n\t\r") for part in parts[::2]]
        self._stream.write("".join(parts))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Prints several."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def duration(seconds: float) -> str:
    """Returns a time as a person would say it."""
    if seconds < 90:
        return f"{seconds:.1f} s"
    if seconds < 5400:
        return f"{seconds / 60:.1f} min"
    return f"{seconds / 3600:.1f} h"


def peak_memory() -> int:
    """Returns the most bytes of memory that this process has had.

    What Linux tells of a process's use counts the memory of the parent that it was
    forked from, so that its status file is better where there is one.
    """
    status = Path("/proc/self/status")
    if status.is_file():
        found = re.search(r"VmHWM:\s+(\d+) kB", status.read_text())
        if found:
            return 1024 * int(found[1])
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return used if sys.platform == "darwin" else 1024 * used


class Stopwatch:
    """Adds up the seconds of named parts.

    Attributes:
        seconds: The time of each part so far.
        memory: The most memory up to the end of training, in bytes, where known.
    """

    def __init__(self) -> None:
        """Starts with no part."""
        self.seconds: dict[str, float] = {}
        self.memory: int | None = None

    @contextlib.contextmanager
    def __call__(self, part: str) -> Iterator[None]:
        """Times what is done inside, as a part or more of it; reports a long one."""
        start = time.perf_counter()
        try:
            with Progress(part):
                yield
        finally:
            taken = time.perf_counter() - start
            self.seconds[part] = self.seconds.get(part, 0.0) + taken

    def rounded(self) -> dict[str, float]:
        """Returns the parts in tenths of a second, ready for JSON."""
        return {part: round(taken, 1) for part, taken in self.seconds.items()}


class Progress:
    """Says every half minute how far a stage has come, and how long it will take.

    Nothing is said of a stage that ends sooner, nor while a stage inside it speaks.
    """

    _open: ClassVar[list[Progress]] = []  # all that are running, outer ones first

    def __init__(
        self, stage: str, total: int = 0, done: int = 0, *, silent: bool = False
    ) -> None:
        """Takes what the stage is called, and how many parts it has, where known.

        Args:
            stage: Its name.
            total: How many parts it has; 0 if that is not known.
            done: How many an earlier start has done.
            silent: Whether nothing is said of it, such as where a bar shows it.
        """
        self._silent = silent
        self._stage, self._total, self._done = stage, total, done
        self._before = done
        self._over = threading.Event()
        self._teller = threading.Thread(target=self._tell, daemon=True)

    def __enter__(self) -> Progress:
        return self.begin()

    def __exit__(self, *error: object) -> None:
        self.end()

    def begin(self) -> Progress:
        """Starts the clock."""
        self._start = time.perf_counter()
        self._open.append(self)
        self._teller.start()
        return self

    def end(self) -> None:
        """Says no more."""
        self._open.remove(self)
        self._over.set()
        self._teller.join()

    def add(self, parts: int = 1) -> None:
        """Counts parts as done."""
        self._done += parts

    def line(self) -> str:
        """Returns the stage, the share that is done and the time left."""
        taken = time.perf_counter() - self._start
        done = self._done - self._before
        if not done or not self._total:
            return f"  {self._stage}: {duration(taken)} so far"
        share = min(self._done / self._total, 1.0)
        left = taken / done * max(self._total - self._done, 0)
        return f"  {self._stage}: {100 * share:.0f} %, {duration(left)} left"

    def _tell(self) -> None:
        while not self._over.wait(EVERY):
            if self._open[-1] is self and not self._silent:
                say(self.line())


def counted(stage: str, total: int) -> Iterator[int]:
    """Counts from 0 on, as `range` does, as the progress of a stage.

    Args:
        stage: Its name.
        total: How many parts it has.

    Yields:
        The number of each part, which is done when the next one is asked for.
    """
    with Progress(stage, total) as progress:
        for part in range(total):
            yield part
            progress.add()
