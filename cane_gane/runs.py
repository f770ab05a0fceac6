"""The folder of a run: its lock, its settings, its files, each written whole."""

from __future__ import annotations

import contextlib
import csv
import dataclasses
import fcntl
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from cane_gane.config import Config
from cane_gane.errors import InputError, fault
from cane_gane.files import write_atomically

README = """\
A run of cane_gane. What each file is:

config.json            every setting, versions, digests of the data, command line
graph.txt              training edges, two node ids a line (upstream CANE's format)
test_graph.txt         test edges
history.csv            loss and validation AUC of each epoch
metrics.json           the figures of the final evaluation
log.txt                what the run said, where another command started it
report.html            all of them to look at, in one file
figures/               its figures as PNG and SVG
examples.json          what it shows of single nodes: a pair, missing edges, a map
embed.txt              a vector a line for node 0, 1, …: text and structure (upstream's
                       format; a blank line for a node without a training edge)
embed_text.txt         the text half of it, averaged over the node's training edges
embed_structure.txt    the structure half, which is what upstream's auc.py scores
embeddings.word2vec    embed.txt with names, in word2vec text format (gensim reads it)
vocabulary.txt         the word with id i in line i, counted from 0
checkpoints/           the last and the best epoch, to go on from
saved_model/           the trained model; docs/saved-model.md shows how to use it
"""


class RunFolder:
    """One run's folder."""

    def __init__(self, path: Path) -> None:
        """Takes the folder, which need not exist yet."""
        self.path = path

    @classmethod
    def of(cls, config: Config, runs_dir: Path) -> RunFolder:
        """Returns `runs_dir/DATASET-RATIO-VARIANT-seedN`."""
        name = f"{Path(config.dataset).name}-{config.ratio:g}-{config.variant}"
        return cls(runs_dir / f"{name}-seed{config.seed}")

    @property
    def checkpoints(self) -> Path:
        """Where the last and the best epoch are kept."""
        return self.path / "checkpoints"

    @property
    def finished(self) -> bool:
        """Whether the run has been trained and evaluated."""
        return (self.path / "metrics.json").is_file()

    @contextlib.contextmanager
    def opened(self, config: Config, *, overwrite: bool = False) -> Iterator[None]:
        """Holds the folder for one process, with the settings of `config`.

        Raises:
            InputError: Another process holds it, or it has other settings.
        """
        self.path.mkdir(parents=True, exist_ok=True)
        with self.held():
            if overwrite:
                self._clear()
            self._check_settings(config)
            try:
                yield
            finally:
                self._leave_if_empty()

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Holds the folder for one process.

        Raises:
            InputError: Another process holds it.
        """
        with open(self.path / ".lock", "a+") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                lock.seek(0)
                raise InputError(
                    f"{self.path}: found it in use by process {lock.read().strip()}; "
                    "expected no other run there: wait, or choose another --runs_dir"
                ) from None
            lock.truncate(0)
            lock.write(str(os.getpid()))
            lock.flush()
            yield

    def _clear(self) -> None:
        for entry in self.path.iterdir():
            if entry.is_dir():
                shutil.rmtree(entry)
            elif entry.name != ".lock":
                entry.unlink()

    def _leave_if_empty(self) -> None:
        """Removes the folder of a run that failed before it wrote anything."""
        if [entry.name for entry in self.path.iterdir()] == [".lock"]:
            (self.path / ".lock").unlink()
            self.path.rmdir()

    def _check_settings(self, config: Config) -> None:
        if changed := self.changes(config):
            raise InputError(
                f"{self.path}: found a run with {', '.join(changed)}; expected the "
                "same settings: add --overwrite, or choose another --runs_dir"
            )

    def changes(self, config: Config) -> list[str]:
        """Returns the settings that differ from those of the run that is there."""
        known = self.read_json("config.json")
        if known is None:
            return []
        # A setting that is newer than the run had its default then.
        before = {**dataclasses.asdict(Config()), **known["settings"]}
        return [
            f"{name} {before[name]} (now {value})"
            for name, value in dataclasses.asdict(config).items()
            if before[name] != value
        ]

    def read_json(self, name: str) -> Any:
        """Returns the content of a JSON file, or None where there is none.

        Raises:
            InputError: The file holds no JSON.
        """
        path = self.path / name
        if not path.is_file():
            return None
        try:
            return json.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            line = getattr(error, "lineno", None)
            raise fault(path, line, "no JSON", "what a run wrote there") from None

    def record(self) -> dict[str, Any]:
        """Returns config.json.

        Raises:
            InputError: There is none, or it holds no settings.
        """
        record = self.read_json("config.json")
        if not isinstance(record, dict) or not isinstance(record.get("settings"), dict):
            found = "no such file" if record is None else "no settings"
            expected = "the record of a run: name a folder that bash run.sh trained"
            raise fault(self.path / "config.json", None, found, expected)
        return record

    def history(self) -> list[dict[str, Any]]:
        """Returns history.csv as a dict for each epoch; empty cells are None."""
        path = self.path / "history.csv"
        if not path.is_file():
            return []
        try:
            with open(path, encoding="utf-8", newline="") as file:
                return [
                    {key: float(cell) if cell else None for key, cell in row.items()}
                    for row in csv.DictReader(file)
                ]
        except (ValueError, TypeError):
            raise fault(path, None, "no number", "what a run wrote there") from None

    def metrics(self) -> dict[str, Any]:
        """Returns metrics.json.

        Raises:
            InputError: There is none, or it holds no figures.
        """
        metrics = self.read_json("metrics.json")
        if not isinstance(metrics, dict) or "link_prediction" not in metrics:
            found = "no such file" if metrics is None else "no figures"
            expected = "those of a finished run: start its command again"
            raise fault(self.path / "metrics.json", None, found, expected)
        return metrics

    def write_json(self, name: str, content: Mapping[str, Any]) -> None:
        """Writes a JSON file whole."""
        text = json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False)
        write_atomically(self.path / name, (text + "\n").encode())

    def write_text(self, name: str, text: str) -> None:
        """Writes a text file whole."""
        write_atomically(self.path / name, text.encode())
