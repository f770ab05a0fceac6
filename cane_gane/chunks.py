"""Pairs of texts in chunks of similar length: little padding, bounded memory."""

from __future__ import annotations

from collections.abc import Callable

import tensorflow as tf

CHUNK = 64


def text_lengths(ids: tf.Tensor) -> tf.Tensor:
    """Returns how many columns each row uses, `[batch, n]` to `[batch]`."""
    places = tf.range(1, tf.shape(ids)[1] + 1)
    return tf.reduce_max(tf.where(ids > 0, places, 0), axis=1)


def in_chunks(
    function: Callable[[tf.Tensor, tf.Tensor, tf.Tensor], tf.Tensor],
    source: tf.Tensor,
    target: tf.Tensor,
    *,
    trim: bool = True,
) -> tf.Tensor:
    """Applies a function to pairs of texts, shortest first, in chunks.

    Args:
        function: Takes word ids `[c, n]` and `[c, m]` of a chunk, trimmed to its
            longest texts, and the places of its pairs in the batch, `[c]`; gives a
            tensor `[c, ...]` of a fixed shape but for c.
        source: Word ids, `[batch, n]`.
        target: Word ids, `[batch, m]`.
        trim: Whether padding is cut off.

    Returns:
        The results in the order of the batch, `[batch, ...]`.
    """
    order = _by_length(source, target)
    count = tf.maximum(1, -(-tf.size(order) // CHUNK))
    results = tf.TensorArray(tf.float32, count, infer_shape=False)

    def step(i: tf.Tensor, results: tf.TensorArray) -> tuple[tf.Tensor, tf.TensorArray]:
        places = order[i * CHUNK : (i + 1) * CHUNK]
        left, right = (_gather(side, places, trim) for side in (source, target))
        return i + 1, results.write(i, function(left, right, places))

    _, results = tf.while_loop(
        lambda i, _: i < count, step, (0, results), parallel_iterations=2
    )
    return tf.gather(results.concat(), tf.argsort(order))


def in_groups(
    function: Callable[[tf.Tensor, tf.Tensor, int], tuple[tf.Tensor, ...]],
    source: tf.Tensor,
    target: tf.Tensor,
    groups: int,
) -> list[tf.Tensor]:
    """Applies a function to pairs of texts in a few groups of similar length.

    As `in_chunks`, for training: the number of groups is fixed, so that gradients
    need no loop.

    Args:
        function: Takes word ids `[g, n]` and `[g, m]` of a group, trimmed to its
            longest texts, and the group's number; gives tensors `[g, ...]`.
        source: Word ids, `[batch, n]`.
        target: Word ids, `[batch, m]`.
        groups: How many groups.

    Returns:
        The results in the order of the batch, each `[batch, ...]`.
    """
    order = _by_length(source, target)
    size = tf.size(order)
    parts = []
    for group in range(groups):
        places = order[group * size // groups : (group + 1) * size // groups]
        left, right = (_gather(side, places, True) for side in (source, target))
        parts.append(function(left, right, group))
    back = tf.argsort(order)
    return [tf.gather(tf.concat(part, 0), back) for part in zip(*parts, strict=True)]


def _by_length(source: tf.Tensor, target: tf.Tensor) -> tf.Tensor:
    """Returns the places of the pairs, `[batch]`, shortest first."""
    lengths = tf.maximum(text_lengths(source), text_lengths(target))
    return tf.argsort(lengths, stable=True)


def _gather(ids: tf.Tensor, places: tf.Tensor, trim: bool) -> tf.Tensor:
    """Gathers texts, `[c, n]`, without the columns that none of them uses."""
    chosen = tf.gather(ids, places)
    width = tf.maximum(1, tf.reduce_max(text_lengths(chosen)))
    return chosen[:, :width] if trim else chosen
