"""Chunks and groups: the same results, in the order of the batch."""

import numpy as np
import pytest
import tensorflow as tf

from cane_gane.chunks import CHUNK, in_chunks, in_groups, text_lengths


def texts(count, width, seed):
    generator = np.random.default_rng(seed)
    lengths = generator.integers(0, width + 1, count)
    ids = generator.integers(1, 50, (count, width))
    return tf.constant(np.where(np.arange(width) < lengths[:, None], ids, 0), tf.int32)


def test_length_is_the_last_column_used():
    ids = tf.constant([[1, 0, 2, 0], [0, 0, 0, 0], [1, 2, 3, 4]])
    assert text_lengths(ids).numpy().tolist() == [3, 0, 4]


@pytest.mark.parametrize("count", [0, 1, CHUNK, 3 * CHUNK + 5])
def test_chunks_give_what_the_whole_batch_gives(count):
    source, target = texts(count, 9, 1), texts(count, 7, 2)
    weights = tf.range(1, count + 1, dtype=tf.float32)

    def weighted_sums(left, right, places):
        both = tf.reduce_sum(left, 1) * tf.reduce_sum(right, 1)
        return tf.cast(both, tf.float32) * tf.gather(weights, places)

    found = tf.function(in_chunks)(weighted_sums, source, target)
    np.testing.assert_array_equal(found, weighted_sums(source, target, range(count)))


def test_chunks_are_trimmed_to_their_longest_texts():
    widths = []

    def note(left, right, _):
        tf.py_function(lambda w: widths.append(int(w)), [tf.shape(left)[1]], [])
        return tf.zeros(tf.shape(left)[:1])

    source = tf.concat([texts(CHUNK, 2, 1), tf.zeros([CHUNK, 20], tf.int32)], 1)
    source = tf.concat([source, texts(CHUNK, 22, 2) + 1], 0)
    in_chunks(note, source, source)
    assert widths[0] <= 2 < widths[-1]


@pytest.mark.parametrize("count", [1, 3, 13])
def test_groups_give_what_the_whole_batch_gives(count):
    source, target = texts(count, 9, 3), texts(count, 7, 4)

    def sums(left, right, _):
        return tf.reduce_sum(left, 1), tf.reduce_sum(right, 1)

    left, right = in_groups(sums, source, target, 4)
    np.testing.assert_array_equal(left, tf.reduce_sum(source, 1))
    np.testing.assert_array_equal(right, tf.reduce_sum(target, 1))
