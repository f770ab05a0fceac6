"""Adam against its formula in numpy, with rows that repeat."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from cane_gane.training import optimizer as module
from cane_gane.training.optimizer import OPTIMIZERS, SummingAdam

RATE = 1 / 128  # the same number in every floating type


def adam_by_hand(table, gradients, rate=1e-3, epsilon=1e-8):
    """Adam as TensorFlow 1 has it: epsilon beside the uncorrected root."""
    m, v = np.zeros_like(table), np.zeros_like(table)
    for t, g in enumerate(gradients, 1):
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        step = rate * np.sqrt(1 - 0.999**t) / (1 - 0.9**t)
        table = table - step * m / (np.sqrt(v) + epsilon)
    return table


def test_repeated_rows_move_as_their_summed_gradient():
    start = np.random.default_rng(0).normal(size=(5, 3))
    variable = keras.Variable(start, dtype="float64")
    optimizer = SummingAdam(1e-3)
    optimizer.build([variable])
    slices = np.random.default_rng(1).normal(size=(3, 4, 3))
    rows = np.array([2, 2, 0, 2])
    dense = np.zeros((3, 5, 3))
    for step in range(3):
        sparse = tf.IndexedSlices(slices[step], rows, start.shape)
        optimizer.apply([sparse], [variable])
        np.add.at(dense[step], rows, slices[step])
    np.testing.assert_allclose(variable.numpy(), adam_by_hand(start, dense), rtol=1e-6)


def test_keras_adam_moves_a_word_that_repeats_further():
    class Table(keras.Model):
        def __init__(self):
            super().__init__()
            self.table = self.add_weight(shape=(3, 1), initializer="zeros")

    def moved(keras_adam):
        model = Table()
        optimizer = OPTIMIZERS["keras" if keras_adam else "summed"]
        model.compile(optimizer(1e-3), loss=tf.abs)
        assert model.loss is tf.abs
        with tf.GradientTape() as tape:
            rows = tf.gather(tf.convert_to_tensor(model.table), [2, 2, 2, 2, 0])
            loss = tf.reduce_sum(rows)
        gradients = tape.gradient(loss, model.trainable_variables)
        model.optimizer.apply(gradients, model.trainable_variables)
        return -model.table.numpy()[:, 0]

    # Four ones squared apart are 4, their sum squared is 16: twice the step.
    np.testing.assert_allclose(moved(False), [1e-3, 0, 1e-3], rtol=1e-3)
    np.testing.assert_allclose(moved(True), [1e-3, 0, 2e-3], rtol=1e-3)


@pytest.mark.parametrize("scale", [1.0, 1e-7], ids=["usual", "near epsilon"])
def test_rows_make_up_for_the_steps_they_missed(scale):
    """Rows of a table that are seen now and then, and one after 300 steps."""
    rng = np.random.default_rng(2)
    start = rng.integers(-9, 9, (6, 3)) / 8
    variable = keras.Variable(start, dtype="float64")
    optimizer = SummingAdam(RATE)
    optimizer.build([variable])
    optimizer.keep_rows(variable)
    dense = np.zeros((400, 6, 3))
    for step in range(400):
        rows = rng.integers(0, 5, 2)
        rows = [5, 5] if step in (3, 320) else rows
        optimizer.bring_up_to_date(variable, rows)
        expected = adam_by_hand(start, dense[:step], RATE)
        np.testing.assert_allclose(
            variable.numpy()[rows], expected[rows], rtol=1e-8, atol=1e-9
        )
        slices = scale * rng.normal(size=(2, 3))
        optimizer.apply([tf.IndexedSlices(slices, rows, (6, 3))], [variable])
        np.add.at(dense[step], rows, slices)
    optimizer.settle()
    expected = adam_by_hand(start, dense, RATE)
    np.testing.assert_allclose(variable.numpy(), expected, rtol=1e-8, atol=1e-9)


def test_a_table_is_settled_slice_by_slice(monkeypatch):
    monkeypatch.setattr(module, "_SLICE", 2)
    test_rows_make_up_for_the_steps_they_missed(1.0)


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_an_optimizer_comes_back_from_its_config(name):
    optimizer = OPTIMIZERS[name](RATE, beta_1=0.8)
    variables = [keras.Variable(np.ones((4, 2))) for _ in range(2)]
    optimizer.build(variables)
    optimizer.keep_rows(variables[1])
    twin = keras.saving.deserialize_keras_object(
        keras.saving.serialize_keras_object(optimizer)
    )
    twin.build(variables)
    assert type(twin) is type(optimizer)
    assert twin.get_config() == optimizer.get_config()
    shapes = [[v.shape for v in one.variables] for one in (optimizer, twin)]
    assert shapes[0] == shapes[1]
