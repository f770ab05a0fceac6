"""The ROC curve, beside scikit-learn's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score, roc_curve

from cane_gane.evaluation.results import Roc
from cane_gane.evaluation.roc import pooled_roc

SCORES = st.lists(st.integers(-3, 3), min_size=1, max_size=30)


@given(SCORES, SCORES)
def test_the_area_is_scikit_learns_ties_included(positive, negative):
    truth = [1] * len(positive) + [0] * len(negative)
    expected = roc_auc_score(truth, positive + negative)
    assert pooled_roc(positive, negative).area == pytest.approx(expected)


def test_its_points_lie_on_scikit_learns_curve():
    rng = np.random.default_rng(0)
    positive, negative = rng.normal(1, 1, 300), rng.normal(0, 1, (300, 4))
    curve = pooled_roc(positive, negative)
    truth = np.repeat([1, 0], [300, 1200])
    false, true, _ = roc_curve(
        truth, np.concatenate([positive, negative.ravel()]), drop_intermediate=False
    )
    known = set(zip(false.round(4).tolist(), true.round(4).tolist(), strict=True))
    found = zip(curve.false_positives, curve.true_positives, strict=True)
    assert set(found) <= known


def test_it_goes_from_corner_to_corner_in_few_points():
    rng = np.random.default_rng(0)
    curve = pooled_roc(rng.normal(1, 1, 3000), rng.normal(0, 1, 3000), points=40)
    for rates in (curve.false_positives, curve.true_positives):
        assert (rates[0], rates[-1]) == (0, 1)
        assert len(rates) <= 40
        assert rates == sorted(rates)


def test_infinite_scores_are_the_first_and_the_last():
    curve = pooled_roc([np.inf, 1.0], [0.0, -np.inf, 2.0])
    assert curve == pooled_roc([9.0, 1.0], [0.0, -9.0, 2.0])


def test_without_pairs_there_is_no_curve():
    assert pooled_roc([], [1.0]) == pooled_roc([1.0], []) == Roc(None, None, None)
