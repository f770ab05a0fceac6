"""Sampled negatives: admissible, fixed by the seed, and true to the exact AUC."""

import numpy as np
import pytest

from cane_gane.errors import InputError
from cane_gane.evaluation.protocols import make_protocols
from cane_gane.evaluation.ranking import link_prediction
from cane_gane.evaluation.sampled import sample_negatives, sampled_auc
from cane_gane.evaluation.scores import vector_scorer

NODES = 120


@pytest.fixture(scope="module", params=["upstream", "strict"])
def protocol(request):
    edges = np.random.default_rng(0).integers(NODES, size=(400, 2))
    return make_protocols(edges, edges[:300], edges[300:], NODES)[request.param]


def test_every_pair_is_admissible(protocol):
    pairs = sample_negatives(protocol, 5)
    for (source, target), row in zip(protocol.scored, pairs, strict=True):
        assert set(row[:, 0]) == {source}
        assert set(row[:, 1]) <= set(protocol.negatives(source, target))


def test_negatives_of_an_edge_differ_where_there_are_enough(protocol):
    for row in sample_negatives(protocol, 40)[:, :, 1]:
        assert len(set(row.tolist())) == 40


def test_more_than_there_are_is_drawn_with_replacement(protocol):
    assert sample_negatives(protocol, 200).shape == (len(protocol.scored), 200, 2)


def test_the_seed_decides(protocol):
    first, again, other = (sample_negatives(protocol, 3, seed) for seed in (1, 1, 2))
    assert (first == again).all()
    assert (first != other).any()


def test_the_estimate_is_near_the_exact_auc(protocol):
    vectors = np.random.default_rng(1).normal(size=(NODES, 4))
    pairs = sample_negatives(protocol, 20)
    positive = (vectors[protocol.scored[:, 0]] * vectors[protocol.scored[:, 1]]).sum(1)
    negative = (vectors[pairs[:, :, 0]] * vectors[pairs[:, :, 1]]).sum(2)
    report = sampled_auc(positive, negative)
    exact = link_prediction(vector_scorer(vectors), protocol)["auc"]
    assert abs(report["auc"] - exact) < 4 * report["sampling_error"]


def test_ties_count_one_half():
    assert sampled_auc([1.0, 2.0], [[1.0, 0.0], [2.0, 3.0]])["auc"] == 0.5


def test_the_errors_are_those_of_the_textbook():
    report = sampled_auc([1.0, 1.0], [[0, 0], [0, 2]])
    assert report["std_error"] == pytest.approx(0.25)
    assert report["sampling_error"] == pytest.approx(np.sqrt(0.5 / 2) / 2)


def test_the_draws_pick_one_of_the_negatives_of_each_edge():
    rng = np.random.default_rng(0)
    positive, negative = rng.normal(1, 1, 500), rng.normal(0, 1, (500, 8))
    report = sampled_auc(positive, negative)
    again = [
        np.mean(positive > negative[np.arange(500), rng.integers(8, size=500)])
        for _ in range(400)
    ]
    draws = report["draws"]
    assert abs(draws["mean"] - np.mean(again)) < 4 * np.std(again) / np.sqrt(20)
    assert 0.5 < draws["std"] / np.std(again) < 2


def test_one_negative_an_edge_has_no_sampling_error():
    assert sampled_auc([1.0, 1.0], [[0], [2]])["sampling_error"] is None


def test_without_a_scored_edge_there_is_no_figure():
    assert sampled_auc([], np.empty((0, 5)))["auc"] is None


def test_shapes_that_do_not_fit_are_refused():
    with pytest.raises(InputError, match=r"shapes \(2,\) and \(3, 1\)"):
        sampled_auc([1, 2], [[1], [2], [3]])


def test_a_score_of_nan_is_refused():
    with pytest.raises(InputError, match="a score that is NaN"):
        sampled_auc([np.nan], [[1]])


def test_no_negative_at_all_is_refused(protocol):
    with pytest.raises(InputError, match="found 0 negatives an edge"):
        sample_negatives(protocol, 0)
