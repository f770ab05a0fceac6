"""Losses against their formulas in numpy."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from cane_gane.training.objectives import OBJECTIVES

POSITIVE = np.random.default_rng(0).normal(size=(5, 4)) * 3
NEGATIVE = np.random.default_rng(1).normal(size=(5, 2, 4)) * 3
WEIGHTS = (1.0, 0.3, 0.2, 0.2)


def log_sigmoid(x, epsilon):
    return np.log(1 / (1 + np.exp(-x)) + epsilon)


@pytest.mark.parametrize("epsilon", [0.0, 0.001])
def test_terms_has_a_sigmoid_for_each_inner_product(epsilon):
    found = OBJECTIVES["terms"](WEIGHTS, epsilon)(
        tf.constant(POSITIVE), tf.constant(NEGATIVE)
    )
    expected = -(log_sigmoid(POSITIVE, epsilon) @ WEIGHTS) - (
        log_sigmoid(-NEGATIVE, epsilon) @ WEIGHTS
    ).sum(1)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("epsilon", [0.0, 0.001])
def test_likelihood_has_one_sigmoid_over_their_sum(epsilon):
    found = OBJECTIVES["likelihood"](WEIGHTS, epsilon)(
        tf.constant(POSITIVE), tf.constant(NEGATIVE)
    )
    expected = -log_sigmoid(POSITIVE @ WEIGHTS, epsilon) - log_sigmoid(
        -(NEGATIVE @ WEIGHTS), epsilon
    ).sum(1)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("name", OBJECTIVES)
def test_far_scores_give_no_nan(name):
    far = tf.constant([[1e4, -1e4, 1e4, -1e4]])
    assert np.isfinite(OBJECTIVES[name](WEIGHTS, 0.0)(far, far[:, None])).all()


@pytest.mark.parametrize("name", OBJECTIVES)
def test_an_objective_comes_back_from_its_config(name):
    objective = OBJECTIVES[name](WEIGHTS, 0.01)
    twin = keras.saving.deserialize_keras_object(
        keras.saving.serialize_keras_object(objective)
    )
    terms = tf.constant(POSITIVE), tf.constant(NEGATIVE)
    np.testing.assert_array_equal(twin(*terms), objective(*terms))
