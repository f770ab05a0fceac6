"""Compares the CANE model with upstream's own graph, quantity by quantity."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import keras
import numpy as np
import numpy.typing as npt
import tensorflow as tf

from cane_gane.errors import fault
from cane_gane.models.build import build_model
from cane_gane.models.pair_model import PairModel
from cane_gane.models.settings import ModelSettings
from cane_gane.training.compile import compile_model

OUTPUT_TOLERANCE = 1e-6
ADAM_TOLERANCE = 3e-5
ADAM_STEPS = 3

Array = npt.NDArray[Any]
Fixture = Mapping[str, Array]

# Upstream's variables, and the shape of each in terms of the fixture's sizes.
_VARIABLES = {
    "text_embed": ("vocab", "size"),
    "node_embed": ("nodes", "size"),
    "W2": (2, "size", 1, "size"),
    "rand_matrix": ("size", "size"),
}


@dataclass(frozen=True)
class Row:
    """One compared quantity: the largest difference, and what is allowed."""

    quantity: str
    difference: float
    tolerance: float

    @property
    def ok(self) -> bool:
        """Whether the difference is allowed."""
        return self.difference <= self.tolerance


def compare(path: Path) -> list[Row]:
    """Compares the CANE model in upstream mode with a fixture.

    Outputs, losses and gradients are compared relative to the largest value of
    each; variables after three steps of Adam are compared absolutely.

    Args:
        path: An `.npz` file with the keys of upstream's golden fixture, with arrays of
            any sizes.

    Returns:
        A row for each quantity.

    Raises:
        InputError: The file is not such a fixture.
    """
    fixture, rhos = _read(path)
    rows = list(_compare_outputs(fixture, rhos[next(iter(rhos))]))
    for name, rho in rhos.items():
        rows += _compare_training(fixture, name, rho)
    return rows


def _read(path: Path) -> tuple[Fixture, dict[str, str]]:
    """Reads and checks a fixture; returns it with its rho settings by name."""
    if not path.is_file():  # a pipe or a device would never end
        found = "not a regular file" if path.exists() else "no such file"
        raise fault(path, None, found, "an .npz file of arrays")
    try:
        with open(path, "rb") as source, np.load(source) as file:
            fixture = {key: np.asarray(file[key]) for key in file.files}
    except Exception as error:  # zipfile and numpy raise various errors
        reason = " ".join(str(error).split())[:80] or type(error).__name__
        raise fault(path, None, reason, "an .npz file of arrays") from None
    try:
        meta = json.loads(str(fixture["meta"]))
        rhos = {key: value for key, value in meta.items() if key.startswith("rho")}
    except (KeyError, ValueError, AttributeError):
        raise fault(path, None, "no key 'meta'", "JSON with the rho settings") from None
    if not rhos:
        raise fault(path, None, "no rho in 'meta'", "a key such as rho133 in it")
    _check_arrays(path, fixture, rhos)
    return fixture, rhos


def _check_arrays(path: Path, fixture: Fixture, rhos: Mapping[str, str]) -> None:
    """Refuses arrays of another shape or kind, and ids that are out of range."""
    wanted = _wanted_shapes(path, fixture, rhos)
    for key, shape in wanted.items():
        if key not in fixture:
            raise fault(path, None, f"no key '{key}'", f"it with shape {list(shape)}")
        if fixture[key].shape != shape:
            found = f"'{key}' of shape {list(fixture[key].shape)}"
            raise fault(path, None, found, f"shape {list(shape)}")
        is_id = key.startswith("in_")
        if fixture[key].dtype.kind not in ("iu" if is_id else "iuf"):
            found = f"'{key}' of {fixture[key].dtype}"
            raise fault(path, None, found, "whole numbers" if is_id else "numbers")
        if is_id:
            table = "text_embed" if "Text" in key else "node_embed"
            low, high = fixture[key].min(), fixture[key].max()
            count = len(fixture[f"var_{table}"])
            if not 0 <= low <= high < count:
                found = f"ids from {low} to {high} in '{key}'"
                raise fault(path, None, found, f"ids from 0 to {count - 1}")


def _wanted_shapes(
    path: Path, fixture: Fixture, rhos: Mapping[str, str]
) -> dict[str, tuple[int, ...]]:
    sizes: dict[Any, int] = {2: 2, 1: 1}
    for key, names in {
        "var_text_embed": ("vocab", "size"),
        "var_node_embed": ("nodes", None),
        "in_Text_a": ("batch", "length"),
    }.items():
        if key not in fixture or fixture[key].ndim != 2:
            raise fault(path, None, f"no matrix '{key}'", "the keys of golden_a.npz")
        if min(fixture[key].shape) < 1:
            raise fault(path, None, f"an empty '{key}'", "at least one value")
        sizes.update(zip(names, fixture[key].shape, strict=True))
    if sizes["length"] < 2:
        raise fault(path, None, "texts of one word", "two, for a window of two")
    batch, length, size = sizes["batch"], sizes["length"], sizes["size"]
    shapes: dict[str, tuple[int, ...]] = {"out_p1_to_p8": (8, batch)}
    for side in ("a", "b", "neg"):
        shapes[f"in_Text_{side}"] = (batch, length)
        shapes[f"in_Node_{side}"] = (batch,)
    for name in ("convA", "convB", "convNeg", "N_A", "N_B", "N_NEG"):
        shapes[f"out_{name}"] = (batch, size)
    for name, axes in _VARIABLES.items():
        shape = tuple(sizes[axis] for axis in axes)
        shapes[f"var_{name}"] = shape
        for rho in rhos:
            shapes[f"grad_{rho}_{name}"] = shapes[f"adam3_{rho}_{name}"] = shape
    for rho in rhos:
        shapes |= {f"loss_{rho}": (), f"adam3_{rho}_loss_after": ()}
        shapes[f"adam_losses_{rho}"] = (ADAM_STEPS,)
    return shapes


def _model(fixture: Fixture, rho: str) -> PairModel:
    """Builds the model with the variables of the fixture."""
    words, nodes = fixture["var_text_embed"], fixture["var_node_embed"]
    settings = ModelSettings.make(preset="upstream", rho=rho, dimension=words.shape[1])
    # In float64, so that the formulas are compared: the only float32 rounding left is
    # the fixture's, about 9e-7 in the gradient of rand_matrix.
    policy = keras.config.dtype_policy()
    keras.config.set_dtype_policy("float64")
    try:
        model = build_model(settings, "cane", len(words), len(nodes), seed=1)
        compile_model(model, settings)
    finally:
        keras.config.set_dtype_policy(policy)
    for name, variable in _variables(model).items():
        variable.assign(fixture[f"var_{name}"].reshape(variable.shape))
    return model


def _variables(model: PairModel) -> dict[str, Any]:
    """Returns the model's variables by upstream's names."""
    return {
        "text_embed": model.words,
        "node_embed": model.structure,
        "W2": model.encoder.kernel,
        "rand_matrix": model.encoder.affinity,
    }


def _batch(fixture: Fixture) -> dict[str, tf.Tensor]:
    sides = ("a", "b", "neg")
    texts = {side: tf.constant(fixture[f"in_Text_{side}"], tf.int64) for side in sides}
    nodes = {side: tf.constant(fixture[f"in_Node_{side}"], tf.int64) for side in sides}
    return {
        "source": nodes["a"],
        "target": nodes["b"],
        "negatives": nodes["neg"][:, None],
        "source_text": texts["a"],
        "target_text": texts["b"],
        "negatives_text": texts["neg"][:, None],
    }


def _compare_outputs(fixture: Fixture, rho: str) -> Iterator[Row]:
    model, batch = _model(fixture, rho), _batch(fixture)
    near, far = model.encode(batch["source_text"], batch["target_text"])
    _, negative = model.encode(batch["source_text"], batch["negatives_text"][:, 0])
    found = {"convA": near, "convB": far, "convNeg": negative}
    for name, role in (("N_A", "source"), ("N_B", "target"), ("N_NEG", "negatives")):
        found[name] = tf.reshape(model.structure_of(batch[role]), near.shape)
    for name, value in found.items():
        yield _relative(name, value, fixture[f"out_{name}"])
    positive, negatives = model(batch)
    # upstream: p1, p3, p5, p7 are of the edge, p2, p4, p6, p8 of the negative.
    terms = tf.stack([positive, -negatives[:, 0]], 2)  # [batch, 4, 2]
    logs = tf.math.log(tf.sigmoid(terms) + 0.001)
    values = tf.reshape(tf.transpose(logs, [1, 2, 0]), [8, -1])
    yield _relative("p1 to p8", values, fixture["out_p1_to_p8"])


def _compare_training(fixture: Fixture, name: str, rho: str) -> Iterator[Row]:
    model, batch = _model(fixture, rho), _batch(fixture)
    variables = _variables(model)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(model.loss(*model(batch)))
    gradients = tape.gradient(loss, [v.value for v in variables.values()])
    yield _relative(f"loss, {name}", loss, fixture[f"loss_{name}"])
    for key, gradient in zip(variables, gradients, strict=True):
        wanted = fixture[f"grad_{name}_{key}"]
        dense = tf.reshape(tf.convert_to_tensor(gradient), wanted.shape)
        yield _relative(f"gradient of {key}, {name}", dense, wanted)
    size = len(fixture["in_Node_a"])
    losses = []
    for _ in range(ADAM_STEPS):
        model.loss_tracker.reset_state()
        losses.append(float(model.train_step(batch)["loss"]) * size)
    wanted = fixture[f"adam_losses_{name}"]
    yield _relative(f"losses of three steps, {name}", losses, wanted, ADAM_TOLERANCE)
    for key, variable in variables.items():
        wanted = fixture[f"adam3_{name}_{key}"]
        value = variable.numpy().reshape(wanted.shape)
        difference = float(np.abs(value - wanted).max())
        yield Row(f"{key} after three steps, {name}", difference, ADAM_TOLERANCE)
    after = tf.reduce_sum(model.loss(*model(batch)))
    wanted = fixture[f"adam3_{name}_loss_after"]
    yield _relative(f"loss after three steps, {name}", after, wanted, ADAM_TOLERANCE)


def _relative(
    quantity: str, found: Any, wanted: Array, tolerance: float = OUTPUT_TOLERANCE
) -> Row:
    found = np.asarray(found, np.float64)
    difference = np.abs(found - wanted).max() / max(np.abs(wanted).max(), 1e-30)
    return Row(quantity, float(difference), tolerance)
