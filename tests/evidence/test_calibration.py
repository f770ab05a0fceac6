"""Probabilities, on lists whose chances are known."""

import numpy as np
import pytest

from cane_gane.evidence.calibration import Calibration, fit_temperature


@pytest.mark.parametrize("temperature", [0.4, 1.0, 2.0])
def test_the_temperature_by_which_targets_were_drawn_is_found(temperature):
    rng = np.random.default_rng(3)
    scores = rng.normal(0, 2, (4000, 30))
    chances = np.exp(temperature * scores)
    chances /= chances.sum(axis=1, keepdims=True)
    targets = np.array([rng.choice(30, p=own) for own in chances])
    rows = np.arange(len(scores))
    scores[rows, 0], scores[rows, targets] = scores[rows, targets], scores[rows, 0]
    found = fit_temperature(scores, np.zeros(scores.shape))
    assert found.temperature == pytest.approx(temperature, rel=0.06)


@pytest.mark.parametrize("counts", [np.zeros((0, 3)), np.array([[0, -np.inf]])])
def test_nothing_to_tell_an_edge_from_is_no_calibration(counts):
    assert fit_temperature(np.zeros(counts.shape), counts) is None


def test_the_chances_of_a_source_add_up_to_its_missing_edges():
    own = Calibration(1.3)
    row = np.random.default_rng(0).normal(-9, 1, 5000)
    total = own.log_total(np.append(row, -np.inf))
    found = own.probability(row, total, 4, 4.0, missing=0.2)
    assert found.sum() == pytest.approx(0.2 / 0.8 * 4, rel=0.02)


def test_a_probability_rises_with_score_degree_and_share():
    own = Calibration(1.0)
    scores = np.array([-2.0, 0.0, 1.0])
    low, high = (own.probability(scores, 2.0, degree, 5.0) for degree in (1, 50))
    assert (np.diff(low) > 0).all()
    assert (high > low).all()
    assert (own.probability(scores, 2.0, 1, 5.0, missing=0.5) > low).all()
    assert ((high > 0) & (high < 1)).all()
