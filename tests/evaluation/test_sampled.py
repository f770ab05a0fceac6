"""Sampled negatives: admissible, fixed by the seed, and true to the exact AUC."""

import collections
import dataclasses

import numpy as np
import pytest

from cane_gane.errors import InputError
from cane_gane.evaluation.fitted import VectorFitted
from cane_gane.evaluation.roc import pooled_roc
from cane_gane.evaluation.sampled import (
    BUDGET,
    Sample,
    sample_negatives,
    sampled_outcomes,
)
from tests.evaluation.contests import contests, ranked_figures

NODES = 120


def sampled_figures(positive, negative, seed=1):
    """Returns the figures of scores, without counts of edges."""
    found = sampled_outcomes(positive, negative, seed)
    return found.figures(np.arange(len(found.shares)), {}, seed)


def figures_of(sample, whole, score):
    """Returns the figures of a sample of a contest, and its ROC curve."""
    outcomes, roc = sample.outcomes(score, seed=1)
    return outcomes.figures(whole.scored[:, 0], whole.counts(), seed=1), roc


@pytest.fixture(scope="module", params=["upstream", "strict"])
def contest(request):
    edges = np.random.default_rng(0).integers(NODES, size=(400, 2))
    return contests(edges[:300], edges[300:], NODES)[request.param]


def test_every_pair_is_admissible(contest):
    pairs = sample_negatives(contest, 5)
    for (source, target), row in zip(contest.scored, pairs, strict=True):
        assert set(row[:, 0]) == {source}
        assert set(row[:, 1]) <= set(contest.negatives(source, target))


def test_negatives_of_an_edge_differ_where_there_are_enough(contest):
    for row in sample_negatives(contest, 40)[:, :, 1]:
        assert len(set(row.tolist())) == 40


def test_more_than_there_are_is_drawn_with_replacement(contest):
    assert sample_negatives(contest, 200).shape == (len(contest.scored), 200, 2)


def test_the_seed_decides(contest):
    first, again, other = (sample_negatives(contest, 3, seed) for seed in (1, 1, 2))
    assert (first == again).all()
    assert (first != other).any()


def test_the_estimate_is_near_the_exact_auc(contest):
    vectors = np.random.default_rng(1).normal(size=(NODES, 4))
    pairs = sample_negatives(contest, 20)
    positive = (vectors[contest.scored[:, 0]] * vectors[contest.scored[:, 1]]).sum(1)
    negative = (vectors[pairs[:, :, 0]] * vectors[pairs[:, :, 1]]).sum(2)
    report = sampled_figures(positive, negative)
    exact = ranked_figures(VectorFitted(vectors), contest).auc
    assert abs(report.auc - exact) < 4 * report.sampling_error


def test_ties_count_one_half():
    assert sampled_figures([1.0, 2.0], [[1.0, 0.0], [2.0, 3.0]]).auc == 0.5


def test_the_errors_are_those_of_the_textbook():
    report = sampled_figures([1.0, 1.0], [[0, 0], [0, 2]])
    assert report.std_error == pytest.approx(0.25)
    assert report.sampling_error == pytest.approx(np.sqrt(0.5 / 2) / 2)


def test_the_draws_pick_one_of_the_negatives_of_each_edge():
    rng = np.random.default_rng(0)
    positive, negative = rng.normal(1, 1, 500), rng.normal(0, 1, (500, 8))
    report = sampled_figures(positive, negative)
    again = [
        np.mean(positive > negative[np.arange(500), rng.integers(8, size=500)])
        for _ in range(400)
    ]
    draws = report.draws
    assert abs(draws.mean - np.mean(again)) < 4 * np.std(again) / np.sqrt(20)
    assert 0.5 < draws.std / np.std(again) < 2


def test_one_negative_an_edge_has_no_sampling_error():
    assert sampled_figures([1.0, 1.0], [[0], [2]]).sampling_error is None


def test_without_a_scored_edge_there_is_no_figure():
    assert sampled_figures([], np.empty((0, 5))).auc is None


def test_shapes_that_do_not_fit_are_refused():
    with pytest.raises(InputError, match=r"shapes \(2,\) and \(3, 1\)"):
        sampled_figures([1, 2], [[1], [2], [3]])


def test_a_score_of_nan_is_refused():
    with pytest.raises(InputError, match="a score that is NaN"):
        sampled_figures([np.nan], [[1]])


def test_no_negative_at_all_is_refused(contest):
    with pytest.raises(InputError, match="found 0 negatives an edge"):
        sample_negatives(contest, 0)


class CountingScore:
    """Scores pairs by the inner products of random vectors, and counts them."""

    def __init__(self, nodes):
        self.vectors = np.random.default_rng(1).normal(size=(nodes, 4))
        self.pairs = []

    def __call__(self, pairs):
        self.pairs.append(pairs)
        return (self.vectors[pairs[:, 0]] * self.vectors[pairs[:, 1]]).sum(axis=1)


@pytest.fixture(scope="module")
def many():
    """A contest of 30,000 test edges or a few less, self-loops among them."""
    nodes = 600
    edges = np.random.default_rng(0).integers(nodes, size=(32_000, 2))
    return contests(edges[:2_000], edges[2_000:], nodes)["upstream"]


def test_the_budget_holds_for_more_edges_than_it(many):
    score = CountingScore(600)
    Sample.draw(many, seed=1).outcomes(score, seed=1)
    assert [len(pairs) for pairs in score.pairs] == [BUDGET]


def test_of_many_edges_some_are_sampled_and_all_are_counted(many):
    figures, _ = figures_of(Sample.draw(many, seed=1), many, CountingScore(600))
    assert (figures.sampled_edges, figures.negatives) == (BUDGET // 2, 1)
    for name, count in many.counts().items():
        assert getattr(figures, name) == count
    assert figures.self_loops > 0


def test_outcomes_of_a_sample_are_those_of_the_whole_contests_edges(many):
    sample, score = Sample.draw(many, seed=1), CountingScore(600)
    outcomes, _ = sample.outcomes(score, seed=1)
    known = np.flatnonzero(~np.isnan(outcomes.shares))
    assert many.scored[known].tolist() == sample.contest.scored.tolist()
    drawn = sample.negatives[:, 0]
    wins = score(many.scored[known]) > score(drawn)
    assert outcomes.shares[known].tolist() == wins.tolist()
    assert np.isnan(outcomes.places).all()


def test_sampled_edges_are_distinct_edges_of_the_contest(many):
    chosen = Sample.draw(many, seed=1).contest.scored.tolist()
    known = collections.Counter(map(tuple, many.scored.tolist()))
    assert collections.Counter(map(tuple, chosen)) <= known


def test_the_estimate_of_many_edges_is_near_the_exact_auc(many):
    score = CountingScore(600)
    figures, _ = figures_of(Sample.draw(many, seed=1), many, score)
    exact = ranked_figures(VectorFitted(score.vectors), many).auc
    assert abs(figures.auc - exact) < 4 * figures.std_error


@pytest.mark.parametrize("budget", [150, 500, 20_000])
def test_few_edges_share_the_budget(contest, budget):
    score = CountingScore(NODES)
    sample = Sample.draw(contest, 1, budget)
    figures, _ = figures_of(sample, contest, score)
    count = len(sample.contest.scored)
    assert budget - count < len(score.pairs[0]) <= budget
    assert figures.negatives == budget // count - 1
    assert figures.sampled_edges == (None if count == len(contest.scored) else count)


def test_a_sample_has_the_figures_and_the_curve_of_its_scores(contest):
    score = CountingScore(NODES)
    sample = Sample.draw(contest, 1, budget=1_000)
    figures, roc = figures_of(sample, contest, score)
    positive, negative = score(contest.scored), score(sample.negatives.reshape(-1, 2))
    by_hand = sampled_figures(positive, negative.reshape(len(positive), -1), seed=1)
    assert figures == dataclasses.replace(by_hand, **contest.counts())
    assert roc == sample.roc(score(sample.pairs)) == pooled_roc(positive, negative)


def test_a_contest_without_an_edge_has_no_figure():
    nothing = contests([[0, 1]], [[1, 1]], NODES)["strict"]
    figures, roc = figures_of(Sample.draw(nothing, 1), nothing, CountingScore(NODES))
    assert (figures.auc, figures.scored, figures.edges, roc.area) == (None, 0, 1, None)
