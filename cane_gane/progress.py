"""What a job prints while it runs, the time of its parts, and the memory it holds."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import re
import resource
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from cane_gane.errors import harmless

Item = TypeVar("Item")

EVERY = 30.0  # seconds between two lines about a stage
_QUIET = "CANE_GANE_QUIET"  # a variable, so that child processes are also quiet
LOUD = {_QUIET: ""}  # for those that are not


def say(line: str) -> None:
    """Prints a line on standard error, at once, unless the job is quiet."""
    if not is_quiet():
        warn(line)


def warn(line: str) -> None:
    """Prints a line on standard error, at once, even if the job is quiet."""
    print(harmless(line), file=sys.stderr, flush=True)


def is_quiet() -> bool:
    """Whether progress is not shown."""
    return bool(os.environ.get(_QUIET))


@contextlib.contextmanager
def quietly() -> Iterator[None]:
    """Shows no progress inside a `with` block, here and in child processes."""
    before = os.environ.get(_QUIET, "")
    os.environ[_QUIET] = "1"
    try:
        yield
    finally:
        os.environ[_QUIET] = before


def has_bar() -> bool:
    """Whether standard error is a terminal that can show a progress bar."""
    return sys.stderr.isatty() and not is_quiet()


def has_colour() -> bool:
    """Whether standard output shows colours (https://no-color.org)."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return sys.stdout.isatty() and not plain


RED, PLAIN = "\x1b[31m", "\x1b[0m"  # the only colour codes that are printed
_COLOURS = re.compile(f"({re.escape(RED)}|{re.escape(PLAIN)})")


class Terminal:
    """A terminal that prints text safely, whatever files and names hold.

    Escapes, bells and changes of the text direction are replaced by visible characters;
    our own colours and the carriage return of a progress bar pass.
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
        """Prints several texts."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def duration(seconds: float) -> str:
    """Returns a duration as readable text."""
    if seconds < 90:
        return f"{seconds:.1f} s"
    if seconds < 5400:
        return f"{seconds / 60:.1f} min"
    return f"{seconds / 3600:.1f} h"


def peak_memory() -> int:
    """Returns the peak memory of this process in bytes.

    On Linux, getrusage includes the memory of the parent that the process was forked
    from, so the process's status file is used if it exists.
    """
    status = Path("/proc/self/status")
    if status.is_file():
        found = re.search(r"VmHWM:\s+(\d+) kB", status.read_text())
        if found:
            return 1024 * int(found[1])
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return used if sys.platform == "darwin" else 1024 * used


def release_memory() -> None:
    """Returns freed memory to the system, which the C library keeps otherwise."""
    gc.collect()
    library = ctypes.CDLL(None)
    if hasattr(library, "malloc_trim"):  # glibc's
        library.malloc_trim(0)


class Stopwatch:
    """Adds up the seconds of named parts.

    Attributes:
        seconds: The time of each part so far.
        memory: The peak memory up to the end of training, in bytes, if known.
    """

    def __init__(self) -> None:
        """Starts without any parts."""
        self.seconds: dict[str, float] = {}
        self.memory: int | None = None

    @contextlib.contextmanager
    def __call__(self, part: str) -> Iterator[None]:
        """Adds the time of a `with` block to a part; reports its progress if long."""
        start = time.perf_counter()
        try:
            with Progress(part):
                yield
        finally:
            taken = time.perf_counter() - start
            self.seconds[part] = self.seconds.get(part, 0.0) + taken

    def rounded(self) -> dict[str, float]:
        """Returns the seconds of the parts, rounded to tenths, ready for JSON."""
        return {part: round(taken, 1) for part, taken in self.seconds.items()}


class Progress:
    """Prints every half minute how far a stage is, and how long it will take.

    Nothing is printed for a stage that ends sooner, or while a stage inside it prints.
    """

    _open: ClassVar[list[Progress]] = []  # running stages, the outermost first

    def __init__(
        self, stage: str, total: int = 0, done: int = 0, *, silent: bool = False
    ) -> None:
        """Takes the name of the stage, and its number of parts if known.

        Args:
            stage: The name of the stage.
            total: How many parts it has; 0 if unknown.
            done: How many an earlier start has done.
            silent: Whether to print nothing, such as when a bar shows the stage.
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
        """Stops printing."""
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


def followed(stage: str, items: Sequence[Item]) -> Iterator[Item]:
    """Yields items, and shows the progress of a stage.

    Args:
        stage: The name of the stage.
        items: Its parts; each is done when the next one is requested.
    """
    with Progress(stage, len(items)) as progress:
        for item in items:
            yield item
            progress.add()


def counted(stage: str, total: int) -> Iterator[int]:
    """Counts from 0, like `range`, and shows the progress of a stage.

    Args:
        stage: The name of the stage.
        total: How many parts it has.

    Returns:
        The number of each part, which is done when the next one is requested.
    """
    return followed(stage, range(total))
