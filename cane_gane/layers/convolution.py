"""Convolution along words as a matrix product."""

from __future__ import annotations

import tensorflow as tf


def convolve(values: tf.Tensor, kernel: tf.Tensor) -> tf.Tensor:
    """Convolves rows of words with zeros beyond both ends, as one matrix product.

    A convolution along one axis is a product with a banded matrix. With few channels
    that is many times faster on a CPU than TensorFlow's convolutions.

    Args:
        values: `[batch, n, c_in, m]`.
        kernel: `[window, c_in, c]`.

    Returns:
        `[batch, n, c, m]`.
    """
    window, inputs, outputs = kernel.shape
    batch, n, _, m = tf.unstack(tf.shape(values))
    place = tf.range(m)
    offset = place[:, None] - place[None, :] + (window - 1) // 2
    # no gather: its sparse gradient is one that Keras' Adam does not sum up first
    band = tf.tensordot(tf.one_hot(offset, window, dtype=kernel.dtype), kernel, 1)
    # [m, m, c_in, c]; one_hot is zero beyond the window
    band = tf.reshape(tf.transpose(band, [2, 0, 3, 1]), [inputs * m, outputs * m])
    rows = tf.reshape(values, [batch * n, inputs * m])
    return tf.reshape(tf.matmul(rows, band), [batch, n, outputs, m])
