"""Word ids of a batch: drops words in training, repeats and flattens texts."""

from __future__ import annotations

from typing import NamedTuple

import tensorflow as tf


class Rows(NamedTuple):
    """The rows of a larger batch that some texts are.

    Attributes:
        at: The row numbers, `[b]`.
        of: The number of rows of the larger batch, `[]`.
    """

    at: tf.Tensor
    of: tf.Tensor


def negative_rows(edges: Rows, count: tf.Tensor) -> Rows:
    """The rows of the negatives of edges, `count` for each."""
    at = edges.at[:, None] * count + tf.range(count, dtype=edges.at.dtype)
    return Rows(tf.reshape(at, [-1]), edges.of * count)


def leave_words_out(
    ids: tf.Tensor, rate: float, seed: tf.Tensor, rows: Rows | None = None
) -> tf.Tensor:
    """Drops words at random; a text that would lose all words keeps all.

    Args:
        ids: Word ids, `[batch, n]`, 0 for padding after the last word.
        rate: The share of words to drop.
        seed: Two integers that determine the choice.
        rows: Given if the texts are part of a larger batch of the same width: the same
            words are dropped as in that batch.

    Returns:
        The remaining word ids, without gaps, no wider than the longest text; with
        `rows` (which may be empty), as wide as before.
    """
    real = ids > 0
    shape = tf.shape(ids)
    if rows is None:
        chances = tf.random.stateless_uniform(shape, seed)
    else:
        whole = tf.random.stateless_uniform([rows.of, shape[1]], seed)
        chances = tf.gather(whole, rows.at)
    kept = real & (chances >= rate)
    kept = tf.where(tf.reduce_any(kept, 1, keepdims=True), kept, real)
    left = tf.ragged.boolean_mask(ids, kept).to_tensor()
    if rows is None:
        return left
    return tf.pad(left, [[0, 0], [0, shape[1] - tf.shape(left)[1]]])


def repeat_texts(texts: tf.Tensor, count: tf.Tensor) -> tf.Tensor:
    """Repeats each text `count` times, `[b, n, ...]` to `[b * count, n, ...]`."""
    shape = tf.shape(texts)
    wide = tf.concat([shape[:1], [count], shape[1:]], 0)
    # not tf.repeat: its derivative transposes integers, which oneDNN warns about
    repeated = tf.reshape(
        tf.broadcast_to(texts[:, None], wide), tf.concat([[-1], shape[1:]], 0)
    )
    return tf.ensure_shape(repeated, [None, *texts.shape[1:]])


def flat_texts(texts: tf.Tensor) -> tf.Tensor:
    """Flattens the texts of negatives to a batch, `[b, K, n]` to `[b * K, n]`."""
    return tf.reshape(texts, [-1, tf.shape(texts)[2]])
