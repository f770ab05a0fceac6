"""Pairs of texts in chunks of similar length: little padding, bounded memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

CHUNK = 8  # pairs that stay in a core's cache together


def text_lengths(ids: tf.Tensor) -> tf.Tensor:
    """Returns how many columns each row uses, from `[batch, n]` to `[batch]`."""
    columns = tf.range(1, tf.shape(ids)[1] + 1)
    return tf.reduce_max(tf.where(ids > 0, columns, 0), axis=1)


def by_length(source: tf.Tensor, target: tf.Tensor, groups: tf.Tensor) -> tf.Tensor:
    """Orders pairs so that adjacent pairs have texts of similar lengths.

    Args:
        source: Lengths of the source texts, `[batch]`.
        target: Lengths of the target texts, `[batch]`.
        groups: How many groups the order will be cut into, `[]`.

    Returns:
        Indices of pairs, `[batch]`: in bands by source length, within each by target
        length.
    """
    bands = tf.cast(tf.math.ceil(tf.sqrt(tf.cast(groups, tf.float32))), source.dtype)
    rank = tf.argsort(tf.argsort(source, stable=True), stable=True)
    band = rank * bands // tf.maximum(tf.size(source), 1)
    longest = tf.reduce_max(target, keepdims=True)  # for an empty batch: any number
    return tf.argsort(band * (longest + 1) + target, stable=True)


def in_chunks(
    function: Callable[..., tuple[tf.Tensor, ...]],
    source: Any,
    target: Any,
    *,
    outputs: int = 1,
    size: int | None = None,
    trim: bool = True,
    table: tf.Tensor | None = None,
    dtype: tf.DType = tf.float32,
) -> list[tf.Tensor]:
    """Applies a function to pairs of texts in chunks of similar length.

    The chunks are a loop, so that a graph holds the function once, whatever their
    number. Gradients flow through it.

    Args:
        function: Takes source and target of a chunk, trimmed to its longest texts, and
            the indices of its pairs in the batch, `[c]`; returns tensors `[c, ...]`
            whose shape is fixed except for c. With a `table` it also takes the word
            vectors of both sides, `[c, n, p]`.
        source: Word ids, `[batch, n]`, 0 for padding; or a structure of such tensors,
            the first of which determines the length.
        target: The same.
        outputs: How many tensors the function returns.
        size: Pairs in a chunk, `CHUNK` by default.
        trim: Whether padding is cut off.
        table: Word vectors, `[words, p]`. They are looked up for all chunks at once, so
            that their gradient is one sum instead of one per chunk.
        dtype: The type of the results.

    Returns:
        The results in the order of the batch, each `[batch, ...]`.
    """
    size = size or CHUNK
    sides = [tf.nest.flatten(side)[0] for side in (source, target)]
    count = tf.maximum(1, -(-tf.shape(sides[0])[0] // size))
    order = by_length(text_lengths(sides[0]), text_lengths(sides[1]), count)
    arrays = [tf.TensorArray(dtype, count, infer_shape=False) for _ in range(outputs)]
    words = [
        _look_up(table, side, order, size, count, trim)
        for side in ([] if table is None else sides)
    ]

    def step(i: tf.Tensor, arrays: list[tf.TensorArray]) -> tuple[tf.Tensor, Any]:
        pairs = order[i * size : (i + 1) * size]
        left, right = tf.nest.map_structure(
            lambda ids: _gather(ids, pairs, trim), (source, target)
        )
        vectors = [
            _shaped_like(own.read(i), side)
            for own, side in zip(words, (left, right), strict=False)
        ]
        results = zip(arrays, function(left, right, pairs, *vectors), strict=True)
        return i + 1, [array.write(i, result) for array, result in results]

    _, arrays = tf.while_loop(
        lambda i, _: i < count, step, (0, arrays), parallel_iterations=16
    )
    back = tf.argsort(order)
    return [tf.gather(array.concat(), back) for array in arrays]


def _gather(ids: tf.Tensor, pairs: tf.Tensor, trim: bool) -> tf.Tensor:
    """Gathers texts, `[c, n]`, without the columns that none of them uses."""
    chosen = tf.gather(ids, pairs)
    width = tf.maximum(1, tf.reduce_max(text_lengths(chosen)))
    return chosen[:, :width] if trim else chosen


def _look_up(
    table: tf.Tensor,
    ids: tf.Tensor,
    order: tf.Tensor,
    size: int,
    count: tf.Tensor,
    trim: bool,
) -> tf.TensorArray:
    """Looks up the words of all chunks, in order, `[c * n, p]` for each."""
    ids = tf.gather(ids, order)
    rows, columns = tf.unstack(tf.shape(ids))
    chunk = tf.range(rows) // size
    used = text_lengths(ids) if trim else tf.fill([rows], columns)
    widths = tf.math.unsorted_segment_max(used, chunk, count)
    widths = tf.minimum(tf.maximum(1, widths), columns)
    pairs = tf.math.bincount(chunk, minlength=count, maxlength=count)
    read = tf.range(columns) < tf.gather(widths, chunk)[:, None]
    with tf.name_scope("lookup"):
        vectors = tf.gather(table, tf.boolean_mask(ids, read))
    parts = tf.TensorArray(
        table.dtype, count, infer_shape=False, element_shape=[None, table.shape[1]]
    )
    return parts.split(vectors, pairs * widths)


def _shaped_like(vectors: tf.Tensor, texts: Any) -> tf.Tensor:
    """Word vectors of a chunk, `[c * n, p]` to `[c, n, p]`."""
    ids = tf.nest.flatten(texts)[0]
    return tf.reshape(vectors, tf.concat([tf.shape(ids), [vectors.shape[-1]]], 0))
