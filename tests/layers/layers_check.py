"""One check for every layer: what a Keras user may expect of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import keras
import numpy as np
import tensorflow as tf

Arrays = dict[str, np.ndarray]


@dataclass(frozen=True)
class Case:
    """A layer with inputs for it.

    Attributes:
        layer: The class.
        options: What it is built with.
        axes: For each float input, for each of its axes, its size, or the name of the
            mask of that axis.
        masks: For each mask, the number of real words of each text of the batch.
        outputs: The shapes that come out, with the widest text's length for words.
        call: How the layer is called, if not with one argument for each input.
    """

    layer: type[keras.layers.Layer]
    options: Mapping[str, Any]
    axes: Mapping[str, tuple[int | str, ...]]
    outputs: list[tuple[int, ...]]
    masks: Mapping[str, list[int]] = field(default_factory=dict)
    call: Callable[[keras.layers.Layer, Any], Any] = lambda layer, x: layer(**x)
    name: str = ""

    def build(self, **more: Any) -> keras.layers.Layer:
        """The layer, the same initial weights each time."""
        keras.utils.set_random_seed(1)
        return self.layer(**{**self.options, **more})

    def inputs(self, dtype: str = "float32", pad: int = 0) -> Arrays:
        """Inputs, the same real ones each time; `pad` more columns for each text."""
        rng, noise = np.random.default_rng(3), np.random.default_rng(4)
        masks = {}
        for name, real in self.masks.items():
            columns = np.arange(max(real) + pad)
            masks[name] = columns[None, :] < np.array(real)[:, None]
        found: Arrays = {}
        for name, axes in self.axes.items():
            plain = [max(self.masks[a]) if isinstance(a, str) else a for a in axes]
            values = rng.uniform(0.1, 1, plain) * rng.choice([-1, 1], plain)
            if name == "plan":
                values = np.abs(values) / np.prod(plain[1:])
            more = [(0, pad if isinstance(axis, str) else 0) for axis in axes]
            values = np.pad(values, more)
            for axis, mask in enumerate(axes):
                if isinstance(mask, str):
                    shape = [-1 if i in (0, axis) else 1 for i in range(len(axes))]
                    shape[0], shape[axis] = masks[mask].shape
                    real = masks[mask].reshape(shape)
                    values = np.where(real, values, noise.normal(size=values.shape))
            found[name] = values.astype(dtype)
        return {**found, **masks}

    def run(self, layer: keras.layers.Layer, inputs: Any) -> list[np.ndarray]:
        """What comes out, as a list of arrays."""
        return [np.asarray(x) for x in self.tensors(layer, inputs)]

    def tensors(self, layer: keras.layers.Layer, inputs: Any) -> list[Any]:
        """What comes out, as a list of tensors."""
        return keras.tree.flatten(self.call(layer, inputs))

    def model(self) -> keras.Model:
        """The layer alone in a model whose texts may have any length."""
        inputs = {
            name: keras.Input(
                [None if isinstance(a, str) else a for a in axes[1:]], name=name
            )
            for name, axes in self.axes.items()
        }
        for mask in self.masks:
            inputs[mask] = keras.Input([None], dtype="bool", name=mask)
        return keras.Model(inputs, self.tensors(self.build(), inputs))


def shapes(case: Case, tmp_path: Path) -> None:
    """What comes out has the shapes that the docstring and Keras' functions say."""
    layer = case.build()
    found = [x.shape for x in case.run(layer, case.inputs())]
    assert found == case.outputs
    symbols = {
        name: keras.KerasTensor(x.shape, str(x.dtype))
        for name, x in case.inputs().items()
    }
    assert [x.shape for x in case.tensors(case.build(), symbols)] == case.outputs


def padding(case: Case, tmp_path: Path) -> None:
    """More padding changes nothing, whatever it holds, and gives zeros."""
    if not case.masks:
        return
    layer = case.build()
    plain = case.run(layer, case.inputs())
    padded = case.run(layer, case.inputs(pad=3))
    for one, more in zip(plain, padded, strict=True):
        extra = [(0, b - a) for a, b in zip(one.shape, more.shape, strict=True)]
        np.testing.assert_allclose(more, np.pad(one, extra), rtol=1e-4, atol=1e-5)


def config(case: Case, tmp_path: Path) -> None:
    """`from_config` gives a layer with the same config and the same results."""
    layer, inputs = case.build(name="one"), case.inputs()
    expected = case.run(layer, inputs)
    twin = case.layer.from_config(layer.get_config())
    assert twin.get_config() == layer.get_config()
    assert case.options.items() <= layer.get_config().items()
    case.run(twin, inputs)
    twin.set_weights([weight.numpy() for weight in layer.weights])
    for one, other in zip(expected, case.run(twin, inputs), strict=True):
        np.testing.assert_array_equal(one, other)


def keras_file(case: Case, tmp_path: Path) -> None:
    """A model with the layer comes back from a `.keras` file as it was."""
    model, inputs = case.model(), case.inputs()
    model.save(tmp_path / "layer.keras")
    again = keras.models.load_model(tmp_path / "layer.keras")
    _same(model(inputs), again(inputs))


def saved_model(case: Case, tmp_path: Path) -> None:
    """A model with the layer comes back from a SavedModel, for any length."""
    model, inputs = case.model(), case.inputs(pad=2)
    model.export(tmp_path / "saved", verbose=False)
    again = tf.saved_model.load(str(tmp_path / "saved"))
    _same(model(inputs), again.serve(inputs))


def mixed_precision(case: Case, tmp_path: Path) -> None:
    """16-bit policies give 16-bit results near those of float32, and no NaN."""
    expected = case.run(case.build(), case.inputs())
    for policy, error in (("mixed_float16", 0.02), ("mixed_bfloat16", 0.1)):
        found = case.tensors(case.build(dtype=policy), case.inputs())
        assert {x.dtype.name for x in found} == {policy.removeprefix("mixed_")}
        for one, other in zip(expected, found, strict=True):
            half = tf.cast(other, tf.float32).numpy()
            np.testing.assert_allclose(half, one, rtol=error, atol=error)


def gradients(case: Case, tmp_path: Path) -> None:
    """Each weight and input has a gradient, and no input has one at its padding."""
    layer, inputs = case.build(), case.inputs()
    by_weights, by_inputs, _ = _derivatives(case, layer, inputs)
    for value in [*by_weights, *by_inputs.values()]:
        assert np.all(np.isfinite(value))
        assert np.any(value != 0)
    for name, axes in case.axes.items():
        for axis, mask in enumerate(axes):
            if isinstance(mask, str):
                at_words = np.moveaxis(by_inputs[name], axis, 1)
                assert not np.any(at_words[~inputs[mask]])


def finite_differences(case: Case, tmp_path: Path) -> None:
    """The derivative along one direction is that of a difference, in float64."""
    layer, inputs = case.build(dtype="float64"), case.inputs("float64")
    by_weights, by_inputs, value = _derivatives(case, layer, inputs)
    rng, step = np.random.default_rng(7), 1e-6
    weights = [weight.numpy() for weight in layer.trainable_weights]
    ways = [rng.normal(size=x.shape) for x in weights]
    moves = {name: rng.normal(size=x.shape) for name, x in by_inputs.items()}

    def at(distance: float) -> float:
        for variable, x, way in zip(
            layer.trainable_weights, weights, ways, strict=True
        ):
            variable.assign(x + distance * way)
        moved = {name: inputs[name] + distance * way for name, way in moves.items()}
        return float(value(layer, {**inputs, **moved}))

    expected = (at(step) - at(-step)) / (2 * step)
    found = sum(np.sum(g * w) for g, w in zip(by_weights, ways, strict=True))
    found += sum(np.sum(by_inputs[name] * way) for name, way in moves.items())
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-7)


def compiled(case: Case, tmp_path: Path) -> None:
    """A graph for any length gives the same, and so does XLA."""
    layer, inputs = case.build(), case.inputs()
    expected = case.tensors(layer, inputs)
    signature = {
        name: tf.TensorSpec(_loose(case, name), x.dtype) for name, x in inputs.items()
    }
    run = tf.function(lambda x: case.tensors(layer, x), input_signature=[signature])
    _same(expected, run(inputs))
    fast = tf.function(lambda x: case.tensors(layer, x), jit_compile=True)
    _same(expected, fast({name: tf.constant(x) for name, x in inputs.items()}))


QUICK = [shapes, padding, config, keras_file, mixed_precision, gradients]
SLOW = [finite_differences, saved_model, compiled]


def _loose(case: Case, name: str) -> list[int | None]:
    axes = case.axes.get(name, (None, name))[1:]
    return [None, *(None if isinstance(axis, str) else axis for axis in axes)]


def _same(ones: Any, others: Any) -> None:
    ones, others = keras.tree.flatten(ones), keras.tree.flatten(others)
    for one, other in zip(ones, others, strict=True):
        np.testing.assert_allclose(other, one, rtol=1e-4, atol=1e-5)


def _derivatives(
    case: Case, layer: keras.layers.Layer, inputs: Arrays
) -> tuple[list[np.ndarray], Arrays, Callable[..., tf.Tensor]]:
    """Derivatives by weights and by float inputs of a fixed sum of the outputs."""

    def value(layer: keras.layers.Layer, inputs: Any) -> tf.Tensor:
        rng = np.random.default_rng(5)
        found = case.tensors(layer, inputs)
        return tf.add_n(
            [
                tf.reduce_sum(x * tf.cast(rng.normal(size=x.shape), x.dtype))
                for x in found
            ]
        )

    tensors = {name: tf.constant(x) for name, x in inputs.items()}
    floats = {name: tensors[name] for name in case.axes}
    with tf.GradientTape() as tape:
        tape.watch(floats)
        total = value(layer, tensors)
    weights = [weight.value for weight in layer.trainable_weights]
    by_weights, by_inputs = tape.gradient(total, (weights, floats))
    # sparse ones would be squared by Keras' Adam before they are summed up
    assert all(isinstance(x, tf.Tensor) for x in by_weights)
    return (
        [x.numpy() for x in by_weights],
        {name: x.numpy() for name, x in by_inputs.items()},
        value,
    )
