"""Opens the answers of a run."""

from __future__ import annotations

from pathlib import Path

from cane_gane.runs.answering import answers_of
from cane_gane.runs.folder import RunFolder
from cane_gane.runs.record import reopen
from cane_gane.serving.answers import Answers


def open_answers(
    path: Path, dataset: str | None = None, device: str = "auto"
) -> Answers:
    """Opens a run to ask it questions.

    Args:
        path: The run's folder.
        dataset: Where its data set is now, if it has moved.
        device: The device to compute on.

    Raises:
        InputError: The folder holds no run, or its files or data have changed.
    """
    folder = RunFolder(path)
    config, split, fitted = reopen(folder, dataset, device)
    return answers_of(split, fitted, config.seed, folder)
