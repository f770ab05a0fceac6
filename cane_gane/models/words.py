"""Word ids of a batch: words left out in training, texts repeated and laid out."""

from __future__ import annotations

import tensorflow as tf


def leave_words_out(ids: tf.Tensor, rate: float, seed: tf.Tensor) -> tf.Tensor:
    """Leaves words out at random; a text that would lose all keeps all.

    Args:
        ids: Word ids, `[batch, n]`, 0 for padding after the last word.
        rate: The share to leave out.
        seed: Two integers that the choice depends on.

    Returns:
        Word ids of what is left, closed up, no wider than the longest text.
    """
    real = ids > 0
    kept = real & (tf.random.stateless_uniform(tf.shape(ids), seed) >= rate)
    kept = tf.where(tf.reduce_any(kept, 1, keepdims=True), kept, real)
    return tf.ragged.boolean_mask(ids, kept).to_tensor()


def repeat_texts(texts: tf.Tensor, count: tf.Tensor) -> tf.Tensor:
    """Repeats each text `count` times, `[b, n, ...]` to `[b * count, n, ...]`."""
    shape = tf.shape(texts)
    wide = tf.concat([shape[:1], [count], shape[1:]], 0)
    # not tf.repeat: its derivative transposes integers, of which oneDNN complains
    repeated = tf.reshape(
        tf.broadcast_to(texts[:, None], wide), tf.concat([[-1], shape[1:]], 0)
    )
    return tf.ensure_shape(repeated, [None, *texts.shape[1:]])


def flat_texts(texts: tf.Tensor) -> tf.Tensor:
    """Lays the texts of negatives out as a batch, `[b, K, n]` to `[b * K, n]`."""
    return tf.reshape(texts, [-1, tf.shape(texts)[2]])
