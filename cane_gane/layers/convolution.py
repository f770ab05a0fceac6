"""Convolution along words as a matrix product, and the largest value of its rows."""

from __future__ import annotations

from collections.abc import Callable

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
    _, offset = _windows(m, window)
    # [m, m, c_in, c]; beyond the window stands the row of zeros
    band = tf.gather(tf.pad(kernel, [[0, 1], [0, 0], [0, 0]]), offset)
    band = tf.reshape(tf.transpose(band, [2, 0, 3, 1]), [inputs * m, outputs * m])
    rows = tf.reshape(values, [batch * n, inputs * m])
    return tf.reshape(tf.matmul(rows, band), [batch, n, outputs, m])


def largest_of_rows(values: tf.Tensor, kernel: tf.Tensor) -> tf.Tensor:
    """The largest value of `convolve` over its rows.

    The derivative is that of the row with the largest value, the first one of
    several: of n rows it looks at one.

    Args:
        values: `[batch, n, c_in, m]`.
        kernel: `[window, c_in, c]`.

    Returns:
        `[batch, c, m]`.
    """

    @tf.custom_gradient
    def largest(
        values: tf.Tensor, kernel: tf.Tensor
    ) -> tuple[tf.Tensor, Callable[[tf.Tensor], tuple[tf.Tensor, tf.Tensor]]]:
        convolved = convolve(values, kernel)

        def grad(upstream: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
            rows = tf.argmax(convolved, 1, output_type=tf.int32)  # [b, c, m]
            return _of_rows(values, kernel, rows, upstream)

        return tf.reduce_max(convolved, 1), grad

    return largest(values, kernel)


def _of_rows(
    values: tf.Tensor, kernel: tf.Tensor, rows: tf.Tensor, upstream: tf.Tensor
) -> tuple[tf.Tensor, tf.Tensor]:
    """Derivatives by values and kernel where each result comes from one row."""
    window, inputs, outputs = kernel.shape
    batch, n, _, m = tf.unstack(tf.shape(values))
    columns, _ = _windows(m, window)  # [m, w]
    inside = tf.cast((columns >= 0) & (columns < m), values.dtype)
    lines = tf.range(batch)[:, None, None] * n + rows  # [b, c, m]
    lines = lines[..., None] * inputs + tf.range(inputs)  # [b, c, m, c_in]
    columns = tf.clip_by_value(columns, 0, m - 1)[:, None, :]  # [m, 1, w]
    places = lines[..., None] * m + columns  # [b, c, m, c_in, w]
    seen = tf.gather(tf.reshape(values, [-1]), places) * inside[:, None, :]
    # one product over all windows for each channel
    seen = tf.reshape(
        tf.transpose(seen, [1, 0, 2, 3, 4]), [outputs, -1, inputs * window]
    )
    weights = tf.reshape(tf.transpose(upstream, [1, 0, 2]), [outputs, 1, -1])
    by_kernel = tf.reshape(tf.matmul(weights, seen), [outputs, inputs, window])
    filters = tf.transpose(kernel, [2, 1, 0])[:, None] * inside[:, None, :]
    each = upstream[..., None, None] * filters
    by_values = tf.math.unsorted_segment_sum(
        tf.reshape(each, [-1]), tf.reshape(places, [-1]), tf.size(values)
    )
    return tf.reshape(by_values, tf.shape(values)), tf.transpose(by_kernel, [2, 1, 0])


def _windows(m: tf.Tensor, window: int) -> tuple[tf.Tensor, tf.Tensor]:
    """Which columns a window reads, and where in it another column stands.

    Args:
        m: Columns.
        window: Width of a window.

    Returns:
        Columns `[m, window]`, and places `[m, m]`: `window` for those not in it.
    """
    place = tf.range(m)
    left = (window - 1) // 2
    columns = place[:, None] + (tf.range(window) - left)
    offset = place[:, None] - place[None, :] + left
    outside = (offset < 0) | (offset >= window)
    return columns, tf.where(outside, window, offset)
