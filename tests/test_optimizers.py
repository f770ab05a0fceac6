"""Adam against its formula in numpy, with rows that repeat."""

import keras
import numpy as np
import tensorflow as tf

from cane_gane.optimizers import OPTIMIZERS, SummingAdam


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
