"""Texts by their distinct words: words that repeat are matched once.

Equal words have equal costs, so a plan between the distinct words, each with the weight
of all its occurrences, determines the plan between the words themselves.
"""

from __future__ import annotations

from typing import NamedTuple

import tensorflow as tf


class Texts(NamedTuple):
    """A batch of texts; everything is 0 at padding.

    Attributes:
        words: Ids of the words to match, `[b, k]`.
        counts: How often each word occurs in its text, `[b, k]`.
        order: The word at each position, counted from 1, `[b, n]`.
    """

    words: tf.Tensor
    counts: tf.Tensor
    order: tf.Tensor


def merged(ids: tf.Tensor) -> Texts:
    """Texts by their distinct words, in the order of their first occurrence.

    Args:
        ids: Word ids, `[b, n]`, 0 for padding, which may be anywhere.

    Returns:
        The texts, without gaps and no wider than the longest one.
    """
    count = tf.shape(ids, tf.int64)[0]
    found = tf.where(ids > 0)
    rows = found[:, 0]
    words = tf.cast(tf.gather_nd(ids, found), tf.int64)
    span = tf.reduce_max(tf.cast(ids, tf.int64)) + 1
    # a key for each word of each text; keys are sorted by row
    keys, index, counts = tf.unique_with_counts(rows * span + words)
    owners = keys // span
    first = tf.searchsorted(owners, tf.range(count))
    order = index - tf.gather(first, rows) + 1
    return Texts(
        tf.cast(_by_rows(keys % span, owners, count), ids.dtype),
        _by_rows(counts, owners, count),
        _by_rows(order, rows, count),
    )


def _by_rows(values: tf.Tensor, rows: tf.Tensor, count: tf.Tensor) -> tf.Tensor:
    """Arranges values by row, `[count, longest row]`, at least one column wide."""
    laid = tf.RaggedTensor.from_value_rowids(values, rows, count, validate=False)
    dense = laid.to_tensor()
    return tf.pad(dense, [[0, 0], [0, tf.maximum(0, 1 - tf.shape(dense)[1])]])
