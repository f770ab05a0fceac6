"""Watches upstream's training from outside: epochs, state, text vectors."""

from __future__ import annotations

import io
import json
import random
import time
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from cane_gane.errors import fault
from cane_gane.files import write_atomically

Row = dict[str, float]


class Watch:
    """Keeps every epoch of upstream, and resumes from the last one kept.

    Attributes:
        version_1: TensorFlow 1's interface.
        done: Epochs that earlier starts have finished.
        session: Upstream's session, once it is made.
        model: Upstream's model, once it is built.
    """

    def __init__(self, version_1: Any, path: Path, seed: int) -> None:
        """Takes the file of the state, and the seed."""
        self.version_1 = version_1
        self.session: Any = None
        self.model: Any = None
        self._path = path
        self._seed = seed
        self._rows = read_rows(path)
        self.done = len(self._rows)
        self._loss = 0.0
        self._started: float | None = None
        self._text: dict[int, list[npt.NDArray[np.float32]]] = {}

    def seed_graph(self) -> None:
        """Seeds the initial values of the graph that is being built."""
        self.version_1.set_random_seed(self._seed)

    def begin(self, data: Any) -> None:
        """Called when batches are requested: an epoch ends, and another begins."""
        if self._started is not None:
            seconds = time.perf_counter() - self._started
            self._rows.append(
                {"epoch": len(self._rows) + 1, "loss": self._loss, "seconds": seconds}
            )
            self._save(data)
        elif self._path.is_file():
            self._restore(data)
        else:
            random.seed(self._seed)  # earlier code may have drawn numbers
            self._save(data)
        self._loss = 0.0
        self._started = time.perf_counter()

    def see(self, fetches: Any, feed: Any, values: Any) -> None:
        """Called with the results of a session run for a list of tensors."""
        found = {id(fetch): value for fetch, value in zip(fetches, values, strict=True)}
        model = self.model
        if id(model.loss) in found:
            self._loss += float(found[id(model.loss)])
        for nodes, text in ((model.Node_a, model.convA), (model.Node_b, model.convB)):
            if id(text) in found:
                for node, vector in zip(feed[nodes], found[id(text)], strict=True):
                    self._text.setdefault(int(node), []).append(vector)

    def write_text_vectors(self, path: Path) -> None:
        """Writes each node's mean text vector, `[nodes, d]`, NaN if it has none."""
        size = len(next(iter(self._text.values()))[0])
        count = 1 + max(self._text)
        means = np.full((count, size), np.nan, np.float32)
        for node, vectors in self._text.items():
            means[node] = np.mean(vectors, axis=0)
        _write(path, vectors=means)

    def _save(self, data: Any) -> None:
        variables = self.version_1.global_variables()
        values = self.session.run(variables)
        kind, numbers, gauss = random.getstate()
        state = {
            "rows": self._rows,
            "random": [kind, list(numbers), gauss],
            "names": [variable.name for variable in variables],
        }
        _write(
            self._path,
            state=np.array(json.dumps(state)),
            edges=np.array(data.edges, np.int64),
            **{f"value_{i}": value for i, value in enumerate(values)},
        )

    def _restore(self, data: Any) -> None:
        with np.load(self._path) as content:
            state = json.loads(str(content["state"]))
            data.edges[:] = content["edges"].tolist()
            for i, variable in enumerate(self.version_1.global_variables()):
                variable.load(content[f"value_{i}"], self.session)
        kind, numbers, gauss = state["random"]
        random.setstate((kind, tuple(numbers), gauss))


def read_rows(path: Path) -> list[Row]:
    """Returns the row of each epoch in a state file: number, loss, seconds.

    Raises:
        InputError: The file is damaged.
    """
    if not path.is_file():
        return []
    rows: list[Row] = json.loads(str(read_array(path, "state")))["rows"]
    return rows


def read_array(path: Path, key: str) -> npt.NDArray[Any]:
    """Returns an array of a file that `Watch` wrote.

    Raises:
        InputError: The file is damaged.
    """
    try:
        with open(path, "rb") as file, np.load(file) as content:
            found: npt.NDArray[Any] = content[key]
            return found
    except Exception:  # zipfile and numpy raise various errors
        expected = "what an earlier start kept: --overwrite starts again"
        raise fault(path, None, f"no array '{key}'", expected) from None


def _write(path: Path, **arrays: npt.NDArray[Any]) -> None:
    content = io.BytesIO()
    np.savez(content, **arrays)  # type: ignore[arg-type]
    write_atomically(path, content.getvalue())
