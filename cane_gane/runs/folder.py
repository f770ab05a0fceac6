"""The folder of a run: its lock, its record, its files, each written whole."""

from __future__ import annotations

import contextlib
import csv
import fcntl
import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from cane_gane.data.catalog import find_dataset
from cane_gane.errors import InputError, fault
from cane_gane.evaluation.results import Evaluation, Examples, from_json
from cane_gane.files import (
    digest,
    read_json,
    sha256,
    sweep,
    working_in,
    write_atomically,
    write_json,
)
from cane_gane.progress import warn
from cane_gane.report.repeats import OneRun
from cane_gane.runs.config import Config, ratio_name

EDGES = "edges.npz"
MODEL = "saved_model"
SERVING = "serving/1"  # the same, as TensorFlow Serving looks for it
CARD = "README.md"
NETWORK = "network"  # the folder of a network that came from Python
_LINK = ("a symbolic link", "no link: remove it, so that the run writes nowhere else")
_COLUMNS = ("epoch", "loss", "seconds")  # of history.csv, never empty
_DATA = {"nodes", "edges", "texts", "labels"}  # what describes a network, at the least
_ANEW = "what a run wrote there: bash run.sh evaluate RUN writes it again"
_KINDS: Mapping[str, type | tuple[type, ...]] = {
    "dataset": str,
    "ratio": (int, float),
    "variant": str,
    "seed": int,
}
README = """\
A run of cane_gane. What each file is:

config.json            every setting, versions, digests of the data, command line
graph.txt              training edges, two node ids a line (upstream CANE's format)
test_graph.txt         test edges
network/               the network itself, where it came from Python
history.csv            loss and validation AUC of each epoch
metrics.json           the figures of the final evaluation
log.txt                what the run said, where another command started it
report.html            all of them to look at, in one file
figures/               its figures as PNG and SVG
edges.npz              what the score makes of each test edge, to compare two runs
start.npy              the vectors of the model before training
evidence.json          what each kind of evidence adds to a score: functions, products
words.txt              the words that evidence counts, in lower case
examples.json          what it shows of single nodes: pairs, missing edges, a map
missing_edges.csv      the likeliest missing edges, best first, with names and texts
embed.txt              a vector a line for node 0, 1, …: text and structure (upstream's
                       format; a blank line for a node without a training edge)
embed_text.txt         the text half of it, averaged over the node's training edges
embed_structure.txt    the structure half, which is what upstream's auc.py scores
embeddings.word2vec    embed.txt with names, in word2vec text format (gensim reads it)
answers/               what recommend, search and explain compute once: index, vectors
vocabulary.txt         the word with id i in line i, counted from 0
names.txt              the names of the nodes, which the SavedModel answers with
checkpoints/           the last three epochs and the best one, to go on from
README.md              a model card: what the model is, how it was made, its figures
serving/               saved_model/ by version, as TensorFlow Serving takes it
saved_model/           the trained model; docs/saved-model.md shows how to use it
"""


# What a run writes: the names above, and what upstream's code and others leave.
_FILES = {
    *re.findall(r"^([\w.]+)  ", README, re.MULTILINE),
    *("README.txt", "upstream.log", "state.npz", "text.npz"),
}
_FOLDERS = {*re.findall(r"^(\w+)/  ", README, re.MULTILINE), "tensorboard", "work"}
_DRAWN = ("*.png", "*.svg")


class RunFolder:
    """One run's folder."""

    def __init__(self, path: Path) -> None:
        """Takes the folder, which need not exist yet."""
        self.path = path

    @classmethod
    def of(cls, config: Config, runs_dir: Path) -> RunFolder:
        """Returns `runs_dir/DATASET-RATIO-METHOD-seedN`."""
        dataset = Path(os.path.abspath(config.dataset)).name  # of the folder ., too
        ratio = ratio_name(config.ratio)
        name = f"{dataset}-{ratio}-{config.method}-seed{config.seed}"
        return cls(runs_dir / name)

    @property
    def finished(self) -> bool:
        """Whether the run has been trained and evaluated."""
        return (self.path / "metrics.json").is_file()

    @contextlib.contextmanager
    def opened(self, config: Config, *, overwrite: bool = False) -> Iterator[None]:
        """Holds the folder for one process, with the settings of `config`.

        Raises:
            InputError: Another process holds it, or it has other settings or data.
        """
        self.path.mkdir(parents=True, exist_ok=True)
        with self.held():
            if overwrite:
                find_dataset(config.dataset)  # before anything is deleted
                self.clear()
            self.check(config, "add --overwrite, or choose another --runs_dir")
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
        lock_file = self.path / ".lock"
        if lock_file.is_symlink():
            raise fault(lock_file, None, *_LINK)
        number = os.open(lock_file, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666)
        with open(number, "r+", errors="replace") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise InputError(
                    f"{self.path}: found it in use by process {lock.read().strip()}; "
                    "expected no other run there: wait, or choose another --runs_dir"
                ) from None
            lock.truncate(0)
            lock.write(str(os.getpid()))
            lock.flush()
            self._refuse_links()
            for place in (self.path, *(self.path / name for name in _FOLDERS)):
                sweep(place)
            with working_in(self.path):
                yield

    def _refuse_links(self) -> None:
        """Refuses folders that lie elsewhere: a run writes to its own alone.

        Raises:
            InputError: A folder of the run is a link.
        """
        for name in sorted(_FOLDERS):
            if (self.path / name).is_symlink():
                raise fault(self.path / name, None, *_LINK)

    def clear(self) -> None:
        """Removes what a run writes; other files stay."""
        for name in _FOLDERS - {"figures"}:
            if (self.path / name).is_dir():
                shutil.rmtree(self.path / name)
        figures = self.path / "figures"
        for path in (path for kind in _DRAWN for path in figures.glob(kind)):
            path.unlink()
        with contextlib.suppress(OSError):  # there is none, or it has other files
            figures.rmdir()
        for name in _FILES:
            (self.path / name).unlink(missing_ok=True)

    def _leave_if_empty(self) -> None:
        """Removes the folder of a run that failed before it wrote anything."""
        if not self.path.is_dir():  # somebody else has removed it
            return
        if [entry.name for entry in self.path.iterdir()] == [".lock"]:
            (self.path / ".lock").unlink()
            self.path.rmdir()

    def check(self, config: Config, remedy: str) -> None:
        """Refuses a run that is there and is not of these settings and this data.

        Args:
            config: The settings.
            remedy: What to do about it, for the message.

        Raises:
            InputError: It has other settings, or its data set has changed.
        """
        if not (self.path / "config.json").is_file():
            return
        record = self.record()
        if changed := config.changes(record["settings"]):
            raise InputError(
                f"{self.path}: found a run with {', '.join(changed)}; expected the "
                f"same settings: {remedy}"
            )
        expected = f"which {self.path} was trained on: {remedy}"
        _check(self.home(config.dataset), record["data"], expected)

    def record(self) -> dict[str, Any]:
        """Returns config.json.

        Raises:
            InputError: There is none, or it is not that of a run.
        """
        path = self.path / "config.json"
        record = read_json(path)
        expected = "the record of a run: name a folder that bash run.sh trained"
        if not isinstance(record, dict):
            found = "no JSON object" if path.is_file() else "no such file"
            raise fault(path, None, found, expected)
        record = {"data": {}, "files": {}, **record}  # older runs have no digests
        parts = [record.get(name) for name in ("settings", "data", "files")]
        if not all(isinstance(part, dict) for part in parts):
            raise fault(path, None, "no settings, data or files", expected)
        for name in ("split", "versions"):  # which older runs lack
            if not isinstance(record.get(name, {}), dict):
                raise fault(path, None, f"no object '{name}'", expected)
        if not record.get("split", {}).keys() <= {"ratio", "rule", "seed"}:
            raise fault(path, None, "another key in 'split'", expected)
        for name, kind in _KINDS.items():
            if not isinstance(record["settings"].get(name), kind):
                raise fault(path, None, f"no {name} in the settings", expected)
        return record

    def config(self) -> Config:
        """Returns the settings of the run.

        Raises:
            InputError: There are none, or some are not of this version.
        """
        settings = self.record()["settings"]
        try:
            return Config.make(**settings)
        except InputError as error:
            raise InputError(
                f"{error}; in {self.path / 'config.json'}: use the version that "
                "trained it"
            ) from None

    def home(self, dataset: str) -> Path:
        """Returns the folder of the run's network: its own, or that of a data set.

        Raises:
            InputError: There is no such data set.
        """
        own = self.path / NETWORK
        return own if own.is_dir() else find_dataset(dataset)

    def data(self, dataset: str | None = None) -> Path:
        """Returns the folder of the run's network, unchanged since it was trained.

        Args:
            dataset: Where it is now, if it has moved.

        Raises:
            InputError: It is missing, or not what the run was trained on.
        """
        record = self.record()
        named = record["settings"]["dataset"]
        home = find_dataset(dataset) if dataset else self.home(named)
        expected = (
            "which the run was trained on: train again with --overwrite, or name where "
            "that data set is with --dataset"
        )
        _check(home, record["data"], expected)
        return home

    def check_files(self) -> None:
        """Refuses settings, a split or a model that are not what the run wrote.

        Raises:
            InputError: A file or a setting has changed.
        """
        record = self.record()
        expected = "which the run wrote: train again with --overwrite"
        known = record.get("settings_sha256")  # runs of earlier versions have none
        if known not in (None, settings_digest(record["settings"])):
            path = self.path / "config.json"
            raise fault(path, None, "settings that were changed", f"those {expected}")
        _check(self.path, record["files"], expected)

    def say_versions(self, now: Mapping[str, str]) -> Mapping[str, str] | None:
        """Says which packages are not those of the run; returns its own if any."""
        if not (self.path / "config.json").is_file():
            return None
        known: Mapping[str, str] = self.record().get("versions") or {}
        changed = [
            f"{name} {known[name]} (now {now.get(name)})"
            for name in known
            if known[name] != now.get(name)
        ]
        if changed:
            warn(f"{self.path} was made with {', '.join(changed)}: figures may differ")
        return known if changed else None

    def history(self) -> list[dict[str, Any]]:
        """Returns history.csv as a dict for each epoch; empty cells are None."""
        path = self.path / "history.csv"
        if not path.is_file():
            return []
        try:
            with open(path, encoding="utf-8", newline="") as file:
                rows = [
                    {key: float(cell) if cell else None for key, cell in row.items()}
                    for row in csv.DictReader(file)
                ]
        except (ValueError, TypeError, csv.Error):
            rows = [{}]
        if any(row.get(key) is None for row in rows for key in _COLUMNS):
            raise fault(path, None, "no row of numbers", "what a run wrote there")
        return rows

    def kept(self, epochs: int | None) -> str:
        """Says what a run that was stopped leaves to go on from.

        Args:
            epochs: How many epochs it was to have at the most, where it has any.
        """
        done = len(self.history())
        if done and epochs:
            return f"{self.path} keeps {done} of {epochs} epochs"
        if (self.path / "config.json").is_file():
            return f"{self.path} keeps its settings and its split, but no epoch yet"
        return "nothing is kept, because no training had started"

    def evaluation(self) -> Evaluation:
        """Returns the results of a finished run.

        Raises:
            InputError: There are none, or they are damaged.
        """
        path = self.path / "metrics.json"
        content = read_json(path)
        if content is None:
            expected = "that of a finished run: start its command again"
            raise fault(path, None, "no such file", expected)
        found = from_json(Evaluation, content, path)
        if found.data is not None and not found.data.keys() >= _DATA:
            raise fault(path, None, "no description of the data", _ANEW)
        return found

    def examples(self) -> Examples:
        """Returns the examples of a finished run.

        Raises:
            InputError: There are none, or they are damaged.
        """
        path = self.path / "examples.json"
        content = read_json(path)
        if content is None and not (self.path / MODEL).is_dir():
            return Examples()  # such as a run of upstream's code
        if content is None:
            expected = (
                f"it beside metrics.json: bash run.sh evaluate {self.path} writes it"
            )
            raise fault(path, None, "no such file", expected)
        return from_json(Examples, content, path)

    def one_run(self) -> OneRun:
        """Returns what a page of several runs needs of this one."""
        record, found = self.record(), self.evaluation()
        if not found.evaluated:
            raise InputError(
                f"{self.path}: found a run on all edges; expected one with test edges, "
                "such as ratio 0.9"
            )
        return OneRun(self.path, record["settings"], found, record["data"])

    def write_json(self, name: str, content: Any) -> None:
        """Writes a JSON file whole."""
        write_json(self.path / name, content)

    def write_text(self, name: str, text: str) -> None:
        """Writes a text file whole."""
        write_atomically(self.path / name, text.encode())


def settings_digest(settings: Mapping[str, Any]) -> str:
    """Returns the SHA-256 of the settings of a record."""
    return sha256(json.dumps(settings, sort_keys=True).encode())


def _check(home: Path, digests: Mapping[str, str], expected: str) -> None:
    """Refuses files that are not those of the digests."""
    for name, known in digests.items():
        found = digest(home / name)
        if found != known:
            raise fault(
                home / name,
                None,
                "no such file" if found is None else f"content {found[:12]}…",
                f"content {str(known)[:12]}…, {expected}",
            )
