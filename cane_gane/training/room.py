"""Refuses what needs more memory than there is, and suggests what would fit."""

from __future__ import annotations

import contextlib
import dataclasses
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from cane_gane.config import Settings
from cane_gane.errors import InputError


def check_room(
    memory: Callable[[Any], float], settings: Settings, room: float | None = None
) -> None:
    """Refuses settings that need more memory than there is.

    Args:
        memory: The least bytes that a method needs, as a function of its settings.
        settings: The settings.
        room: Available memory in bytes; by default what the system reports.

    Raises:
        InputError: The settings need more memory than there is.
    """
    room = available_memory() if room is None else room
    needed = memory(settings)
    if needed > room:
        names = [
            own.name
            for own in settings.fields()
            if (less := _halved(settings, [own.name])) and memory(less) < needed
        ]
        found = smaller(settings, names, lambda other: memory(other) <= room)
        raise too_large(room, needed, "this training", found or "take a larger machine")


def too_large(room: float, needed: float, stage: str, remedy: str) -> InputError:
    """Builds the message of a refusal."""
    return InputError(
        f"found {room / 1e9:.1f} GB of free memory; expected about "
        f"{needed / 1e9:.1f} GB for {stage}: {remedy}"
    )


def smaller(
    settings: Settings, names: Sequence[str], fits: Callable[[Any], bool]
) -> str | None:
    """Returns the first integer setting that, halved often enough, makes it fit.

    If no single setting does, all are halved together.

    Args:
        settings: The settings that do not fit.
        names: The settings to try, in this order.
        fits: Whether given settings fit.
    """
    for chosen in (*([name] for name in names), names):
        less = _halved(settings, chosen)
        while less is not None:
            if fits(less):
                new = {name: vars(less)[name] for name in chosen}
                flags = [
                    f"--{name}={size}"
                    for name, size in new.items()
                    if size != vars(settings)[name]
                ]
                return f"{' '.join(flags)} would fit"
            less = _halved(less, chosen)
    return None


def _halved(settings: Settings, names: Sequence[str]) -> Settings | None:
    """Returns settings with some of them halved; None if none can be."""
    sizes = {name: vars(settings)[name] for name in names}
    for name, size in sizes.items():
        if isinstance(size, bool) or not isinstance(size, int):
            continue
        with contextlib.suppress(InputError):  # too small, or in conflict with others
            settings = dataclasses.replace(settings, **{name: size // 2})
    changed = any(vars(settings)[name] != size for name, size in sizes.items())
    return settings if changed else None


def available_memory() -> float:
    """Returns the bytes that this process may use in total; infinite if unknown."""
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
