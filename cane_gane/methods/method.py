"""The interface of a method: key, title, settings, and how it is fitted and opened."""

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
        cluster: All workers, and which one this is.
        device: The device that it computes on.
        folder: The folder of the chief's state; None for the others.
        tell: Called with `joined` when all workers are connected, and with `epoch N`
            when that epoch is kept.
    """

    cluster: Cluster
    device: str
    folder: Path | None
    tell: Callable[[str], None]


@dataclass(frozen=True)
class Method:
    """A way to score pairs of nodes, learned from training edges.

    Attributes:
        key: Its name in commands.
        title: Its name for readers.
        about: One line on what it does.
        fit: Learns from `split.train`; no test edge may be used. Takes the split, the
            settings, the seed, and a folder for its state, or None.
        open: Reads what `Fitted.save` wrote. Takes the folder, the split and the
            settings.
        settings: The type of its settings.
        paper: The key of its row in the paper's tables, if it has one.
        check: Raises InputError for settings that conflict.
        start: Sets up what it computes with, such as TensorFlow, before `fit` or
            `open`. Takes the settings and the device.
        calls_second: Whether `fit` calls the second process for something that it needs
            before anything else does. Takes the settings.
        join: Fits as one of several workers, if the method supports that; `fit` in the
            same folder then finds the work done. Takes the split, the settings, the
            seed, and the worker.
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
    calls_second: Callable[[Any], bool] = lambda settings: False
    join: Callable[[Split, Any, int, Worker], None] | None = None
