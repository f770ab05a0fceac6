"""The progress of an upstream run: its printed lines as epochs and time left."""

from __future__ import annotations

import re
import time

from cane_gane.progress import duration, say

_EPOCH = re.compile(r"epoch:\s+(\d+)\s+loss:\s+(\S+)")
_RECENT = 5


class Progress:
    """Prints the progress of upstream's epochs on standard error."""

    def __init__(self, name: str, done: int, epochs: int) -> None:
        """Takes how many epochs are done and how many there are in all."""
        self._name = name
        self._done = done
        self._epochs = epochs
        self._times = [time.monotonic()]

    def line(self, printed: str) -> None:
        """Takes a line of upstream's output."""
        found = parse_epoch(printed)
        if found is None:
            if printed.startswith("start training"):
                self._times = [time.monotonic()]  # until now it has only loaded data
            return
        number, loss = found
        self._times = [*self._times[-_RECENT:], time.monotonic()]
        mean = (self._times[-1] - self._times[0]) / (len(self._times) - 1)
        # A resumed run counts from 1 again.
        left = self._epochs - self._done - number
        parts = [
            f"{self._name}  epoch {self._done + number:>3}/{self._epochs}",
            f"loss {loss:.1f}",
            f"{self._times[-1] - self._times[-2]:.1f} s",
            f"{duration(left * mean)} left" if left else "",
        ]
        say("  ".join(filter(None, parts)))


def parse_epoch(printed: str) -> tuple[int, float] | None:
    """Returns the number and the loss of the epoch that a line reports."""
    found = _EPOCH.match(printed)
    return (int(found[1]), float(found[2])) if found else None
