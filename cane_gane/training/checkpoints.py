"""Saves and restores all values of a model and its optimizer, on disk or in memory."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import keras
import numpy as np
import numpy.typing as npt

from cane_gane.errors import InputError, fault
from cane_gane.files import write_atomically
from cane_gane.progress import warn

State = dict[str, Any]
Values = dict[str, npt.NDArray[Any]]

KEPT = 3  # checkpoints: a damaged one costs an epoch, not the training
_NAME = re.compile(r"epoch-(\d+)(?:-step-(\d+))?\.npz")
_OLD = ("last.npz", "best.npz")  # files of earlier versions
_RECORD, _CHECKSUM = "record", "checksum"
_REMEDY = "one of this run: put back a copy, or --overwrite trains it again"


class Place(NamedTuple):
    """The progress of a training: whole epochs, and steps of the next one."""

    epochs: int
    steps: int = 0

    @property
    def file(self) -> str:
        """The name of its checkpoint."""
        steps = f"-step-{self.steps:06}" if self.steps else ""
        return f"epoch-{self.epochs:04}{steps}.npz"


class Checkpoints:
    """The checkpoints of the last three places of a training, and the best of each.

    Every checkpoint has a checksum of its content, and a key of what it was trained on.

    Attributes:
        folder: The folder; None keeps only the last checkpoint, in memory.
    """

    def __init__(self, folder: Path | None, key: str = "") -> None:
        """Takes the folder.

        Args:
            folder: The folder, which need not exist yet.
            key: What the training depends on. Checkpoints of another key are refused.
        """
        self.folder = folder
        self._key = key
        self._kept: dict[Place, bytes] = {}

    def places(self) -> list[Place]:
        """Returns the places that are kept, the newest first.

        Raises:
            InputError: There are checkpoints of an earlier version.
        """
        if self.folder is None:
            return sorted(self._kept, reverse=True)
        names = [path.name for path in self.folder.glob("*.npz")]
        found = [match for match in map(_NAME.fullmatch, names) if match]
        if not found and set(_OLD) & set(names):
            raise fault(
                self.folder,
                None,
                "checkpoints of an earlier version (last.npz)",
                "those of this one: end the run with the version that began it, or "
                "--overwrite trains it again",
            )
        return sorted((Place(int(m[1]), int(m[2] or 0)) for m in found), reverse=True)

    def path(self, place: Place) -> Path:
        """Returns the file of a checkpoint."""
        return (self.folder or Path("memory")) / place.file

    def save(
        self, place: Place, model: keras.Model, state: State, best: Place | None = None
    ) -> None:
        """Keeps every variable of the model and its optimizer, atomically.

        Args:
            place: The progress of the training.
            model: The model.
            state: Further state of the training, as JSON values.
            best: The place of the best values so far, which is kept together with this
                one.
        """
        values = {
            path: variable.numpy() for path, variable in variables_of(model).items()
        }
        record = json.dumps({"key": self._key, "best": best, "state": state})
        values[_RECORD] = np.array(record)
        values[_CHECKSUM] = np.array(_checksum(values))
        content = BytesIO()
        np.savez(content, **values)
        if self.folder:
            write_atomically(self.path(place), [content.getbuffer()])
        else:
            self._kept[place] = content.getvalue()
        self._prune()

    def load(self, place: Place, model: keras.Model) -> State:
        """Sets every variable to what `save` kept; returns the state.

        Raises:
            InputError: The file is damaged, or belongs to another model.
        """
        values, record = self._read(place)
        variables = variables_of(model)
        expected = {path: tuple(one.shape) for path, one in variables.items()}
        if {path: value.shape for path, value in values.items()} != expected:
            raise self._fault(place, "its variables are those of another model")
        for path, variable in variables.items():
            variable.assign(values[path])
        return record["state"]

    def load_newest(self, model: keras.Model) -> State | None:
        """Loads the newest readable checkpoint, with its best; None without any.

        Raises:
            InputError: There are checkpoints, but none can be read.
        """
        error = None
        for place in self.places():
            try:
                best = self._read(place)[1]["best"]
                if best and Place(*best) != place:
                    self._read(Place(*best))
                state = self.load(place, model)
            except InputError as found:
                error = error or found
            else:
                if error:
                    warn(f"{str(error).split(';')[0]}; going on from {place.file}")
                return state
        if error:
            raise error
        return None

    def _read(self, place: Place) -> tuple[Values, State]:
        """Returns the values and the record of a checkpoint.

        Raises:
            InputError: The file is damaged, or belongs to another run.
        """
        try:
            with self._open(place) as content:
                values = dict(content)
            if str(values.pop(_CHECKSUM)) != _checksum(values):
                raise ValueError("its checksum differs")
            record: State = json.loads(str(values.pop(_RECORD)))
            if record["key"] != self._key:
                raise ValueError("it belongs to another run")
            if not all(np.isfinite(value).all() for value in values.values()):
                raise ValueError("values that are not numbers")
        except Exception as error:  # zipfile, numpy and json raise various errors
            reason = " ".join(str(error).split())[:80] or type(error).__name__
            raise self._fault(place, reason) from None
        return values, record

    @contextmanager
    def _open(self, place: Place) -> Iterator[Any]:
        with (
            open(self.path(place), "rb") if self.folder else BytesIO(self._kept[place])
        ) as file, np.load(file) as content:  # fmt: skip
            yield content

    def _fault(self, place: Place, reason: str) -> InputError:
        found = f"a checkpoint that cannot be used ({reason.replace(';', ',')})"
        return fault(self.path(place), None, found, _REMEDY)

    def _prune(self) -> None:
        """Removes all checkpoints except the last ones and the best of each."""
        last = self.places()[: KEPT if self.folder else 1]
        needed = set(last)
        for place in last:
            with suppress(Exception), self._open(place) as content:  # damaged: no best
                best = json.loads(str(content[_RECORD]))["best"]
                needed |= {Place(*best)} if best else set()
        for place in set(self.places()) - needed:
            if self.folder:
                self.path(place).unlink(missing_ok=True)
            else:
                del self._kept[place]


def variables_of(model: keras.Model) -> dict[str, keras.Variable]:
    """Returns the variables by path, without metrics, which are reset each epoch."""
    both = [*model.trainable_variables, *model.optimizer.variables]
    named = {variable.path: variable for variable in both}
    if len(named) != len(both):
        raise ValueError("two variables have the same path")
    return named


def _checksum(values: Mapping[str, npt.NDArray[Any]]) -> str:
    """Returns the SHA-256 of arrays and their names, types and shapes."""
    hashed = hashlib.sha256()
    for name, value in sorted(values.items()):
        hashed.update(f"{name} {value.dtype.str} {value.shape}\n".encode())
        hashed.update(np.ascontiguousarray(value).tobytes())
    return hashed.hexdigest()
