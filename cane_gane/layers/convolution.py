"""Convolution along the words of a text, and its largest value.

A word that repeats in a text has one row. `order` gives the row at each position of the
text, counted from 1, with 0 for padding.
"""

from __future__ import annotations

from collections.abc import Callable

import tensorflow as tf

_BLOCK = 48  # positions that one product computes


def convolve(rows: tf.Tensor, kernel: tf.Tensor, order: tf.Tensor) -> tf.Tensor:
    """Convolves along positions, with zeros beyond both ends of a text.

    A block of positions is the product of a banded matrix with the rows that the block
    reads. With few channels that is many times faster on a CPU than TensorFlow's
    convolutions.

    Args:
        rows: `[batch, k, n]`.
        kernel: `[window, c]`.
        order: Which row is at each position, `[batch, m]`.

    Returns:
        `[batch, m, c, n]`.
    """
    window, outputs = kernel.shape
    batch, k, n = tf.unstack(tf.shape(rows))
    m = tf.shape(order)[1]
    blocks = -(-m // _BLOCK)
    read = _padded(order, window, blocks * _BLOCK)
    frames = tf.range(blocks)[:, None] * _BLOCK + tf.range(_BLOCK + window - 1)
    read = tf.gather(read, frames, axis=1)  # [b, blocks, frame]
    flat = tf.pad(tf.reshape(rows, [batch * k, n]), [[0, 1], [0, 0]])
    at = tf.range(batch)[:, None, None] * k + read - 1
    seen = tf.gather(flat, tf.where(read > 0, at, batch * k))  # [b, blocks, frame, n]
    product = tf.matmul(_band(kernel), seen)  # [b, blocks, block * c, n]
    return tf.reshape(product, [batch, blocks * _BLOCK, outputs, n])[:, :m]


def largest_of_columns(
    rows: tf.Tensor, kernel: tf.Tensor, order: tf.Tensor
) -> tf.Tensor:
    """The largest value of `convolve` over its last axis.

    The derivative is that of the column with the largest value (the first of several),
    so it computes one column out of n.

    Args:
        rows: `[batch, k, n]`.
        kernel: `[window, c]`.
        order: Which row is at each position, `[batch, m]`.

    Returns:
        `[batch, m, c]`.
    """

    @tf.custom_gradient
    def largest(
        rows: tf.Tensor, kernel: tf.Tensor
    ) -> tuple[tf.Tensor, Callable[[tf.Tensor], tuple[tf.Tensor, tf.Tensor]]]:
        convolved = convolve(rows, kernel, order)

        def grad(upstream: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
            columns = tf.argmax(convolved, 3, output_type=tf.int32)  # [b, m, c]
            return _of_columns(rows, kernel, order, columns, upstream)

        return tf.reduce_max(convolved, 3), grad

    return largest(rows, kernel)


def _of_columns(
    rows: tf.Tensor,
    kernel: tf.Tensor,
    order: tf.Tensor,
    columns: tf.Tensor,
    upstream: tf.Tensor,
) -> tuple[tf.Tensor, tf.Tensor]:
    """Derivatives by rows and kernel if each result comes from one column."""
    window, m = kernel.shape[0], tf.shape(order)[1]
    batch, k, n = tf.unstack(tf.shape(rows))
    # axes: position, position in the window, batch, c
    windows = tf.range(m)[:, None] + tf.range(window)
    read = tf.gather(_turned(_padded(order, window, m)), windows)[..., None]
    upstream = tf.transpose(upstream, [1, 0, 2])[:, None]
    at = tf.range(batch)[:, None] * k + read - 1
    cells = at * n + _turned(columns)[:, None]
    inside = tf.broadcast_to(read > 0, tf.shape(cells))
    seen = tf.gather(tf.reshape(rows, [-1]), tf.where(inside, cells, 0))
    by_kernel = tf.reduce_sum(tf.where(inside, seen * upstream, 0), [0, 2])
    each, cells = upstream * kernel[:, None], tf.where(inside, cells, -1)
    by_rows = tf.math.unsorted_segment_sum(each, cells, tf.size(rows))
    return tf.reshape(by_rows, tf.shape(rows)), by_kernel


def _turned(integers: tf.Tensor) -> tf.Tensor:
    """Integers with the first two axes swapped.

    They are small enough to be floats in between. On many machines oneDNN cannot
    transpose integers, and prints a warning.
    """
    axes = [1, 0, *range(2, integers.shape.rank)]
    return tf.cast(tf.transpose(tf.cast(integers, tf.float32), axes), integers.dtype)


def _padded(order: tf.Tensor, window: int, length: tf.Tensor) -> tf.Tensor:
    """The order, padded with what windows read before and after `length` positions."""
    left = (window - 1) // 2
    after = length - tf.shape(order)[1] + window - 1 - left
    return tf.pad(order, [[0, 0], [left, after]])


def _band(kernel: tf.Tensor) -> tf.Tensor:
    """The filters at each position of a block, `[block * c, frame]`."""
    window, outputs = kernel.shape
    frame = _BLOCK + window - 1
    # When a line is repeated and reshaped to rows that are one shorter, it moves by one
    # column from row to row.
    line = tf.pad(kernel, [[0, _BLOCK], [0, 0]])
    lines = tf.broadcast_to(line, [_BLOCK, *line.shape])
    lines = tf.reshape(lines, [-1, outputs])[: _BLOCK * frame]
    lines = tf.transpose(tf.reshape(lines, [_BLOCK, frame, outputs]), [0, 2, 1])
    return tf.reshape(lines, [_BLOCK * outputs, frame])
