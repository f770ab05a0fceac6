"""What a job says while it runs: lines, durations, and the time of its parts."""

from __future__ import annotations

import contextlib
import re
import resource
import sys
import time
from collections.abc import Iterator
from pathlib import Path


def say(line: str) -> None:
    """Prints a line on standard error, at once."""
    print(line, file=sys.stderr, flush=True)


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
        """Times what is done inside, as a part or more of it."""
        start = time.perf_counter()
        try:
            yield
        finally:
            taken = time.perf_counter() - start
            self.seconds[part] = self.seconds.get(part, 0.0) + taken

    def rounded(self) -> dict[str, float]:
        """Returns the parts in tenths of a second, ready for JSON."""
        return {part: round(taken, 1) for part, taken in self.seconds.items()}
