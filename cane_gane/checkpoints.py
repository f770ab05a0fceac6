"""All values of a model and its optimizer in one file, and back."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import keras
import numpy as np

from cane_gane.files import write_atomically

State = dict[str, Any]


def save_checkpoint(path: Path, model: keras.Model, state: State) -> None:
    """Writes every variable of the model and its optimizer, and `state`, whole."""
    values = {f"value_{i}": v.numpy() for i, v in enumerate(_variables(model))}
    content = io.BytesIO()
    np.savez(content, state=np.array(json.dumps(state)), **values)
    write_atomically(path, content.getvalue())


def load_checkpoint(path: Path, model: keras.Model) -> State:
    """Sets every variable to what `save_checkpoint` wrote; returns the state."""
    with np.load(path) as content:
        for i, variable in enumerate(_variables(model)):
            variable.assign(content[f"value_{i}"])
        state: State = json.loads(str(content["state"]))
    return state


def _variables(model: keras.Model) -> list[keras.Variable]:
    # Metrics start anew with each epoch.
    return [*model.trainable_variables, *model.optimizer.variables]
