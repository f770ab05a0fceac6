"""What a training will need: memory and time from its sizes, before it begins.

The numbers are fitted on measurements (docs/performance.md), and are meant to be right
within a factor of about two: enough to refuse what cannot end.
"""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from cane_gane.data.tokens import EncodedTexts
from cane_gane.errors import InputError
from cane_gane.models.settings import ModelSettings
from cane_gane.models.start.similar import SEARCHED
from cane_gane.models.start.tables import LARGE
from cane_gane.progress import duration, say

_BASE = 0.75e9  # TensorFlow itself
_CELL = 25.0  # bytes that a step holds for two words of a pair
_CHUNK = 12  # pairs that are padded to the longest among them
_COLUMNS = 800  # of the walks


@dataclass(frozen=True)
class Forecast:
    """What a training needs.

    Attributes:
        memory: Bytes at the peak, by stage.
        start: Seconds until the first step, on two cores.
        epoch: Seconds of an epoch.
    """

    memory: dict[str, float]
    start: float
    epoch: float

    @property
    def peak(self) -> float:
        """Bytes at the peak."""
        return max(self.memory.values())


def forecast(
    texts: EncodedTexts, words: int, edges: int, settings: ModelSettings
) -> Forecast:
    """Returns what a training on these sizes needs.

    Args:
        texts: The texts, already cut at the maximum length.
        words: The number of distinct words.
        edges: Training edges.
        settings: The settings.
    """
    lengths = np.minimum(texts.lengths, settings.max_length).astype(np.float64)
    return _forecast(lengths, words, edges, settings)


def _forecast(
    lengths: npt.NDArray[np.float64], words: int, edges: int, settings: ModelSettings
) -> Forecast:
    nodes, tokens, wide = len(lengths), lengths.sum(), settings.dimension
    mean = tokens / max(nodes, 1)
    # values, two moments, and a copy while they are set; texts as strings and ids
    held = _BASE + 4 * wide * (words + nodes) * 3 + 30 * tokens + 300 * nodes
    pairs = settings.batch_size * (1 + settings.negatives)
    drawn = min(settings.edges_per_epoch or edges, edges)
    high = float(np.quantile(lengths, 0.99)) if nodes else 0.0
    cells = pairs * mean**2 + _CHUNK * lengths.max(initial=0) * high
    memory = {"an epoch": held + _CELL * cells}
    started = settings.start != "random" or settings.places != "random"
    if started and nodes >= LARGE:
        size = max(wide, SEARCHED)
        memory["LSA"] = held + 48 * size * words + 24 * tokens + 4 * size * nodes
        memory["similar texts"] = held + 4 * 5.5 * size * nodes
        memory["walks"] = held + (2 * _COLUMNS + 600 + 8 * wide) * nodes + 0.7e9
        start = 9e-6 * tokens + 1e-4 * words + 4e-5 * nodes * np.log2(nodes)
    else:
        memory["the start"] = held + (1.2e9 if nodes > 5_000 else 2e5 * nodes)
        start = (3e-7 * nodes**2 + 3e-3 * nodes) * started
    steps = drawn / settings.batch_size
    step = (0.02 + 3e-4 * mean + 1.1e-6 * mean**2) * pairs / 128
    return Forecast(memory, float(start), float(steps * step))


def check(
    texts: EncodedTexts,
    words: int,
    edges: int,
    settings: ModelSettings,
    room: float | None = None,
) -> None:
    """Says what a training will need.

    Args:
        texts: The texts.
        words: The number of distinct words.
        edges: Training edges.
        settings: The settings.
        room: Bytes that there are; by default what the system says.

    Raises:
        InputError: It needs more memory than there is.
    """
    needed = forecast(texts, words, edges, settings)
    room = available_memory() if room is None else room
    if needed.peak > room:
        stage = max(needed.memory, key=lambda name: needed.memory[name])
        raise InputError(
            f"found {room / 1e9:.1f} GB of free memory; expected about "
            f"{needed.peak / 1e9:.1f} GB for {stage}: "
            f"{_remedy(texts, words, edges, settings, room)}"
        )
    epochs = f"{settings.epochs} epochs of {duration(needed.epoch)} at most"
    say(
        f"about {needed.peak / 1e9:.1f} GB of memory; on two idle cores "
        f"{duration(needed.start)} until the first step, {epochs}"
    )


def _remedy(
    texts: EncodedTexts, words: int, edges: int, settings: ModelSettings, room: float
) -> str:
    """Returns the setting that would make it fit."""

    def fits(**changed: Any) -> bool:
        other = dataclasses.replace(settings, **changed)
        return forecast(texts, words, edges, other).peak <= room

    for name, lowest in (("max_length", 20), ("batch_size", 8), ("dimension", 10)):
        size = min(
            getattr(settings, name), texts.width if name == "max_length" else 9**9
        )
        while size // 2 >= lowest:
            size //= 2
            if size % settings.groups == 0 and fits(**{name: size}):
                return f"--{name}={size} would fit"
    return "take a larger machine, or tables on servers (docs/distributed.md)"


def available_memory() -> float:
    """Returns the bytes that this process may use in all, infinite where unknown."""
    found = [float("inf")]
    table = Path("/proc/meminfo")
    if table.is_file():
        free = re.search(r"MemAvailable:\s+(\d+) kB", table.read_text())
        found += [1024.0 * int(free[1])] if free else []
    limit = Path("/sys/fs/cgroup/memory.max")
    used = Path("/sys/fs/cgroup/memory.current")
    if limit.is_file() and used.is_file() and limit.read_text().strip().isdigit():
        found.append(float(limit.read_text()) - float(used.read_text()))
    status = Path("/proc/self/status")
    own = (
        re.search(r"VmRSS:\s+(\d+) kB", status.read_text()) if table.is_file() else None
    )
    return min(found) + (1024.0 * int(own[1]) if own else 0.0)
