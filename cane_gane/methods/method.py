"""What a method is: a key, a title, settings, and how it is fitted and opened."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cane_gane.config import Settings
from cane_gane.data.splits import Split
from cane_gane.evaluation.fitted import Fitted
from cane_gane.training.workers.cluster import Cluster


@dataclass(frozen=True)
class Worker:
    """One of several processes that fit a method together.

    Attributes:
        cluster: All of them, and which one this is.
        device: Where it computes.
        folder: Where the chief keeps its state; None for the others.
        tell: Is told `joined` when all have come, and `epoch N` when that is kept.
    """

    cluster: Cluster
    device: str
    folder: Path | None
    tell: Callable[[str], None]


@dataclass(frozen=True)
class Method:
    """A way to score pairs of nodes, learned from training edges.

    Attributes:
        key: What commands call it.
        title: What readers call it.
        about: One line on what it does.
        fit: Learns from `split.train`; no test edge may be looked at. Takes the split,
            the settings, the seed, and a folder to keep its state in, or None.
        open: Reads back what `Fitted.save` wrote. Takes the folder, the split and the
            settings.
        settings: The type of its settings.
        paper: The key of its row in the paper's tables, where it has one.
        check: Raises InputError for settings that do not go together.
        start: Sets up what it computes with, such as TensorFlow, before `fit` or
            `open`. Takes the settings, and the device.
        join: Fits as one of several workers, where the method can: `fit` in the same
            folder finds the work done. Takes the split, the settings, the seed, and
            the worker.
    """

    key: str
    title: str
    about: str
    fit: Callable[[Split, Any, int, Path | None], Fitted]
    open: Callable[[Path, Split, Any], Fitted]
    settings: type[Settings] = Settings
    paper: str | None = None
    check: Callable[[Any], None] = lambda settings: None
    start: Callable[[Any, str], None] = lambda settings, device: None
    join: Callable[[Split, Any, int, Worker], None] | None = None
