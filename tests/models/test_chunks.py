"""Chunks: the same results, in the order of the batch, with little padding."""

import numpy as np
import pytest
import tensorflow as tf

from cane_gane.models.chunks import CHUNK, by_length, in_chunks, text_lengths


def texts(count, width, seed):
    generator = np.random.default_rng(seed)
    lengths = generator.integers(0, width + 1, count)
    ids = generator.integers(1, 50, (count, width))
    return tf.constant(np.where(np.arange(width) < lengths[:, None], ids, 0), tf.int32)


def test_length_is_the_last_column_used():
    ids = tf.constant([[1, 0, 2, 0], [0, 0, 0, 0], [1, 2, 3, 4]])
    assert text_lengths(ids).numpy().tolist() == [3, 0, 4]


def cells(source, target, size):
    """How large the padded matrices of all groups are."""
    starts = range(0, len(source), size)
    return sum(source[i : i + size].max() * target[i : i + size].max() for i in starts)


def test_neighbours_in_the_order_are_of_similar_length_on_both_sides():
    source, target = np.random.default_rng(1).integers(1, 100, (2, 256))
    sides = (tf.constant(x, tf.int32) for x in (source, target))
    order = by_length(*sides, tf.constant(32)).numpy()
    assert sorted(order) == list(range(256))
    by_source = np.argsort(source)
    found, one_side, neither = (
        cells(source[rows], target[rows], 8) for rows in (order, by_source, slice(None))
    )
    assert found < 0.85 * one_side < 0.7 * neither


@pytest.mark.parametrize("count", [0, 1, CHUNK, 3 * CHUNK + 5])
def test_chunks_give_what_the_whole_batch_gives(count):
    source, target = texts(count, 9, 1), texts(count, 7, 2)
    weights = tf.range(1, count + 1, dtype=tf.float32)

    def weighted_sums(left, right, places):
        both = tf.reduce_sum(left, 1) * tf.reduce_sum(right, 1)
        return (tf.cast(both, tf.float32) * tf.gather(weights, places),)

    (found,) = tf.function(in_chunks)(weighted_sums, source, target)
    (expected,) = weighted_sums(source, target, range(count))
    np.testing.assert_array_equal(found, expected)


def test_chunks_are_trimmed_to_their_longest_texts():
    widths = []

    def note(left, right, _):
        tf.py_function(lambda w: widths.append(int(w)), [tf.shape(left)[1]], [])
        return (tf.zeros(tf.shape(left)[:1]),)

    source = tf.concat([texts(CHUNK, 2, 1), tf.zeros([CHUNK, 20], tf.int32)], 1)
    source = tf.concat([source, texts(CHUNK, 22, 2) + 1], 0)
    in_chunks(note, source, source)
    assert widths[0] <= 2 < widths[-1]


@pytest.mark.parametrize("size", [1, 4, 50])
def test_gradients_flow_through_chunks(size):
    source, target = texts(13, 9, 3), texts(13, 7, 4)
    table = tf.Variable(np.random.default_rng(5).normal(size=(50, 3)).astype("f4"))

    def sums(left, right, _):
        return tuple(
            tf.reduce_sum(
                tf.gather(table, ids) * tf.cast(ids > 0, tf.float32)[..., None], 1
            )
            for ids in (left, right)
        )

    def gradient(pairs):
        with tf.GradientTape() as tape:
            near, far = pairs()
            loss = tf.reduce_sum(near * far)
        return tf.convert_to_tensor(tape.gradient(loss, table))

    chunked = tf.function(
        lambda: gradient(lambda: in_chunks(sums, source, target, outputs=2, size=size))
    )
    plain = gradient(lambda: sums(source, target, None))
    np.testing.assert_allclose(chunked(), plain, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("trim", [True, False])
@pytest.mark.parametrize("count", [0, 1, CHUNK, 3 * CHUNK + 5])
def test_words_looked_up_for_all_chunks_are_those_of_each(count, trim):
    source, target = texts(count, 12, 1), texts(count, 9, 2)
    table = tf.random.stateless_normal([50, 4], [1, 2])

    def pooled(near, far):
        return tf.reduce_sum(near, 1) * tf.reduce_max(far, 1)

    def own(near, far, _):
        return (pooled(tf.gather(table, near), tf.gather(table, far)),)

    def given(near, far, _, near_words, far_words):
        assert_equal(near_words, tf.gather(table, near))
        assert_equal(far_words, tf.gather(table, far))
        return (pooled(near_words, far_words),)

    found = []
    for function, words in ((own, None), (given, table)):
        with tf.GradientTape() as tape:
            tape.watch(table)
            (result,) = in_chunks(function, source, target, trim=trim, table=words)
        gradient = tape.gradient(result, table)
        found.append((result, tf.zeros_like(table) if count == 0 else gradient))
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(*map(tf.convert_to_tensor, (one, other)), rtol=1e-5)


def assert_equal(one, other):
    tf.debugging.assert_equal(one, other)
