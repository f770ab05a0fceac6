"""Bucketed solves equal those of the padded batch."""

import numpy as np
import pytest
import tensorflow as tf

from cane_gane.transport import ipot
from cane_gane.transport.buckets import ipot_bucketed, map_buckets

SIZES = (4, 8)


@pytest.fixture
def rng():
    return np.random.default_rng(7)


def padded_batch(rng, batch=7, n=11, m=9):
    cost = tf.constant(rng.uniform(0, 2, (batch, n, m)), tf.float32)
    source = np.arange(n) < rng.integers(1, n + 1, (batch, 1))
    target = np.arange(m) < rng.integers(0, m + 1, (batch, 1))
    return cost, source, target


def product(x, y):
    return tf.matmul(x, y, transpose_b=True)


@pytest.mark.parametrize("groups", [1, 3])
def test_plans_are_those_of_the_padded_batch(rng, groups):
    arguments = padded_batch(rng)
    plans = ipot_bucketed(*arguments, sizes=SIZES, groups=groups, iterations=5)
    np.testing.assert_allclose(plans, ipot(*arguments, iterations=5), atol=1e-6)


def test_plans_without_masks_are_those_of_the_batch(rng):
    cost, *_ = padded_batch(rng)
    plans = ipot_bucketed(cost, sizes=SIZES, groups=2, iterations=5)
    np.testing.assert_allclose(plans, ipot(cost, iterations=5), atol=1e-6)


def test_weights_are_trimmed_with_their_words(rng):
    cost, source, _ = padded_batch(rng)
    weights = source * rng.uniform(0.5, 1, source.shape)
    weights /= weights.sum(1, keepdims=True)
    options = {"source_weights": weights, "iterations": 5}
    plans = ipot_bucketed(cost, source, sizes=SIZES, groups=2, **options)
    np.testing.assert_allclose(plans, ipot(cost, source, **options), atol=1e-6)


def gradient(run, cost):
    with tf.GradientTape() as tape:
        tape.watch(cost)
        loss = tf.reduce_sum(tf.square(run(cost)))
    return tape.gradient(loss, cost)


@pytest.mark.parametrize("groups", [1, 3, 16])
@pytest.mark.parametrize("mode", ["full", "last_step"])
def test_gradients_are_those_of_the_padded_batch(rng, mode, groups):
    cost, source, target = padded_batch(rng)
    options = {"gradient": mode, "iterations": 5}

    def bucketed(cost):
        return map_buckets(
            lambda *trimmed: ipot(*trimmed, **options),
            (cost, source, target),
            "st,s,t->st",
            source,
            target,
            sizes=SIZES,
            groups=groups,
        )

    expected = gradient(lambda cost: ipot(cost, source, target, **options), cost)
    np.testing.assert_allclose(gradient(bucketed, cost), expected, atol=1e-6)


@pytest.mark.slow
def test_compiled_gradients_of_a_batch_of_unknown_size(rng):
    cost, source, target = padded_batch(rng)

    @tf.function(input_signature=[tf.TensorSpec([None, 11, 9])], autograph=False)
    def bucketed(cost):
        def run(cost):
            return ipot_bucketed(
                cost, source, target, sizes=[16], groups=2, iterations=5
            )

        return gradient(run, cost)

    expected = gradient(lambda cost: ipot(cost, source, target, iterations=5), cost)
    np.testing.assert_allclose(bucketed(cost), expected, atol=1e-6)


def test_a_bad_option_is_refused_as_by_ipot(rng):
    with pytest.raises(ValueError, match=r"received 0$"):
        ipot_bucketed(*padded_batch(rng), iterations=0)


def test_map_trims_each_group_to_its_sizes():
    seen = []

    def record(x, y):
        seen.append((x.shape[1], y.shape[1]))
        return product(x, y)

    source = np.arange(11) < np.array([[3], [11], [6], [2]])
    target = np.arange(9) < np.array([[4], [2], [5], [1]])
    words = tf.ones([4, 11, 2]), tf.ones([4, 9, 2])
    map_buckets(record, words, "sp,tp->st", source, target, sizes=SIZES, groups=2)
    assert seen == [(4, 4), (11, 8)]


def test_map_keeps_the_order_of_the_batch(rng):
    lengths = np.array([[3], [11], [6], [2], [9]])
    source = np.arange(11) < lengths
    words = tf.constant(source[:, :, np.newaxis] * rng.normal(size=(5, 11, 2)))
    result = map_buckets(
        lambda x: 2 * x, [words], "sp->sp", source, source, sizes=SIZES, groups=2
    )
    np.testing.assert_array_equal(result, 2 * words)


def test_map_takes_results_without_words(rng):
    source = np.arange(11) < np.array([[3], [11], [6]])
    words = tf.constant(source[:, :, np.newaxis] * rng.normal(size=(3, 11, 2)))
    result = map_buckets(
        lambda x: tf.reduce_sum(x, 1), [words], "sp->p", source, source, groups=2
    )
    np.testing.assert_allclose(result, np.sum(words, 1))


def test_map_counts_each_pair_once_in_the_gradient_of_what_the_function_holds():
    factor, mask = tf.Variable(1.0), np.ones((5, 3), bool)
    with tf.GradientTape() as tape:
        result = map_buckets(
            lambda x: factor * x, [tf.ones([5, 3])], "s->s", mask, mask, groups=3
        )
    assert tape.gradient(result, factor).numpy() == 5 * 3


@pytest.mark.parametrize("axes", ["sp,tp", "sp->sp", "sp,tp->sx", "s,tp->st"])
def test_axes_that_do_not_fit_are_refused(axes):
    words, mask = tf.zeros([2, 3, 4]), np.ones((2, 3), bool)
    with pytest.raises(ValueError, match=f"received '{axes}'$"):
        map_buckets(product, (words, words), axes, mask, mask)


def test_no_groups_are_refused():
    words, mask = tf.zeros([2, 3, 4]), np.ones((2, 3), bool)
    with pytest.raises(ValueError, match=r"received 0$"):
        map_buckets(product, (words, words), "sp,tp->st", mask, mask, groups=0)
