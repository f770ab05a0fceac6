"""What a method is: a key, a title, settings, and how it is fitted and opened."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cane_gane.config import Settings
from cane_gane.data.splits import Split
from cane_gane.evaluation.fitted import Fitted


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
