"""The record of a run: its inputs, versions and digests, and the model behind it."""

from __future__ import annotations

import dataclasses
import platform
import subprocess
from importlib import metadata
from pathlib import Path
from typing import Any

from cane_gane.data.network import TextualNetwork
from cane_gane.data.splits import FILES as SPLIT_FILES
from cane_gane.data.splits import Split, read_split
from cane_gane.evaluation.fitted import Fitted
from cane_gane.files import digest, link_folder
from cane_gane.methods.registry import find_method
from cane_gane.runs.config import Config
from cane_gane.runs.folder import MODEL, README, SERVING, RunFolder, settings_digest
from cane_gane.version import VERSION

_PACKAGES = ("tensorflow", "keras", "numpy", "scipy", "scikit-learn")
# What a model is opened with, beside the SavedModel, where a method has it.
_INPUTS = ("vocabulary.txt", "names.txt", "words.txt", "evidence.json", "start.npy")


def write_inputs(
    config: Config,
    folder: RunFolder,
    split: Split,
    data: Any,
    command: str,
) -> None:
    """Writes the split and the record of a run.

    Args:
        config: The settings.
        folder: The run's folder.
        split: The split.
        data: The digests of the network's files.
        command: The command line.
    """
    folder.write_text("README.txt", README)
    split.write(folder.path)
    before = folder.say_versions(_versions())
    settings = config.flat()
    record = {
        "settings": settings,
        "settings_sha256": settings_digest(settings),
        "command": command,
        "data": data,
        "split": {"ratio": split.ratio, "rule": split.rule, "seed": split.seed},
        "files": {name: digest(folder.path / name) for name in SPLIT_FILES},
        "versions": _versions(),
        "commit": _commit(),
        **({"versions_before": before} if before else {}),
    }
    folder.write_json("config.json", record)


def export(folder: RunFolder, fitted: Fitted) -> None:
    """Writes the SavedModel, also by version; digests of all go into the record."""
    fitted.save(folder.path / MODEL)
    link_folder(folder.path / MODEL, folder.path / SERVING)
    record = folder.record()
    found = {name: digest(folder.path / name) for name in (MODEL, *_INPUTS)}
    record["files"] |= {name: known for name, known in found.items() if known}
    folder.write_json("config.json", record)


def reopen(
    folder: RunFolder, dataset: str | None = None, device: str = "auto"
) -> tuple[Config, Split, Fitted]:
    """Opens the model of a run with the split that it was fitted on.

    Args:
        folder: The run's folder.
        dataset: Where its data set is now, if it has moved.
        device: Where to compute.

    Returns:
        Its settings, its split and the fitted method.

    Raises:
        InputError: Its files or its data set have changed.
    """
    config = folder.config()
    network = TextualNetwork.read(folder.data(dataset), config.dataset)
    folder.check_files()
    folder.say_versions(_versions())
    drawn: dict[str, Any] = {
        "ratio": config.ratio,
        "rule": config.split,
        "seed": config.seed,
    }
    drawn |= folder.record().get("split", {})
    split = dataclasses.replace(read_split(folder.path, network), **drawn)
    method = find_method(config.method)
    method.start(config.settings, device)
    return config, split, method.open(folder.path / MODEL, split, config.settings)


def _versions() -> dict[str, str]:
    found = {name: metadata.version(name) for name in _PACKAGES}
    return {"cane_gane": VERSION, "python": platform.python_version(), **found}


def _commit() -> str | None:
    """Returns the commit of the checkout, with + for changes, or None outside one."""
    home = Path(__file__).resolve().parent

    def git(*words: str) -> str:
        return subprocess.run(
            ["git", *words], cwd=home, capture_output=True, text=True, check=True
        ).stdout.strip()

    try:
        changed = "+" if git("status", "--porcelain", "--", ".") else ""
        return git("rev-parse", "HEAD") + changed
    except (OSError, subprocess.CalledProcessError):
        return None
