"""All values of a model and its optimizer, kept in files or in memory, and back."""

from __future__ import annotations

import json
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

import keras
import numpy as np

from cane_gane.errors import fault
from cane_gane.files import write_atomically

State = dict[str, Any]

LAST, BEST = "last", "best"


class Checkpoints:
    """The last and the best epoch of a training.

    Attributes:
        folder: Where they are kept; None keeps them in memory.
    """

    def __init__(self, folder: Path | None) -> None:
        """Takes the folder, which need not exist yet."""
        self.folder = folder
        self._kept: dict[str, bytes] = {}

    def __contains__(self, name: str) -> bool:
        return self.path(name).is_file() if self.folder else name in self._kept

    def path(self, name: str) -> Path:
        """Returns the file of a checkpoint."""
        return (self.folder or Path()) / f"{name}.npz"

    def _open(self, name: str) -> BinaryIO:
        return open(self.path(name), "rb") if self.folder else BytesIO(self._kept[name])

    def save(self, name: str, model: keras.Model, state: State) -> None:
        """Keeps every variable of the model and its optimizer, and `state`, whole."""
        values = {
            key: variable.numpy() for key, variable in variables_of(model).items()
        }
        content = BytesIO()
        np.savez(content, state=np.array(json.dumps(state)), **values)
        if self.folder:
            write_atomically(self.path(name), content.getvalue())
        else:
            self._kept[name] = content.getvalue()

    def load(self, name: str, model: keras.Model) -> State:
        """Sets every variable to what `save` kept; returns the state.

        Raises:
            InputError: The file is damaged, or of another model.
        """
        variables = variables_of(model)
        try:
            with self._open(name) as source, np.load(source) as content:
                values = {key: content[key] for key in variables}
                state: State = json.loads(str(content["state"]))
            if not all(np.isfinite(value).all() for value in values.values()):
                raise ValueError("values that are no numbers")
            for key, variable in variables.items():
                variable.assign(values[key])
        except Exception as error:  # zipfile, numpy and json each have their own
            reason = " ".join(str(error).split())[:80] or type(error).__name__
            raise fault(
                self.path(name),
                None,
                f"a checkpoint that cannot be read ({reason})",
                "one of this model: --overwrite trains it anew",
            ) from None
        return state


def variables_of(model: keras.Model) -> dict[str, keras.Variable]:
    """Returns the variables by their paths; metrics start anew with each epoch."""
    both = [*model.trainable_variables, *model.optimizer.variables]
    named = {variable.path: variable for variable in both}
    if len(named) != len(both):
        raise ValueError("two variables have the same path")
    return named
