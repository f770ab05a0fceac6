"""The loss of pairs: its derivatives against finite differences, its noise, Adam."""

import keras
import numpy as np

from cane_gane.methods.pair_loss import (
    Adam,
    Noise,
    logistic_gradients,
    with_negatives,
)


def test_derivatives_are_those_of_the_loss():
    rng = np.random.default_rng(1)
    tables = [rng.standard_normal((n, 3)) for n in (4, 5)]
    sources, targets = rng.integers(4, size=20), rng.integers(5, size=20)
    marks = (rng.random(20) < 0.5).astype(np.float64)

    def loss():
        scores = (tables[0][sources] * tables[1][targets]).sum(axis=1)
        return np.logaddexp(0, np.where(marks > 0, -scores, scores)).sum()

    found = logistic_gradients(*tables, sources, targets, marks)
    for table, gradient in zip(tables, found, strict=True):
        for at in np.ndindex(*table.shape):
            kept = table[at]
            table[at] = kept + 1e-5
            above = loss()
            table[at] = kept - 1e-5
            below = loss()
            table[at] = kept
            np.testing.assert_allclose(gradient[at], (above - below) / 2e-5, rtol=1e-6)


def test_noise_is_in_proportion_to_degrees_to_three_quarters():
    degrees = np.array([0, 1, 16, 0, 81, 0])
    drawn = Noise(degrees).draw(200_000, np.random.default_rng(1))
    shares = np.bincount(drawn, minlength=6) / len(drawn)
    np.testing.assert_allclose(shares, np.array([0, 1, 8, 0, 27, 0]) / 36, atol=5e-3)


def test_negatives_have_the_sources_of_their_pairs():
    pairs = np.array([[0, 3], [2, 1]])
    rng = np.random.default_rng(1)
    sources, targets, marks = with_negatives(pairs, 3, Noise(np.ones(4)), rng)
    assert sources.tolist() == [0, 2, 0, 0, 0, 2, 2, 2]
    assert targets[:2].tolist() == [3, 1]
    assert marks.tolist() == [1, 1, 0, 0, 0, 0, 0, 0]


def test_adam_takes_the_steps_of_keras():
    rng = np.random.default_rng(1)
    table = rng.standard_normal((3, 2)).astype(np.float32)
    gradients = rng.standard_normal((5, 3, 2)).astype(np.float32)
    theirs = keras.Variable(table)
    optimizer = keras.optimizers.Adam(0.01, epsilon=1e-8)
    ours = table.copy()
    own = Adam(ours, 0.01)
    for gradient in gradients:
        own.step(gradient)
        optimizer.apply([gradient], [theirs])
    np.testing.assert_allclose(ours, theirs.numpy(), rtol=1e-4)
