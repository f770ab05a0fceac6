"""Ranking: against scikit-learn, a plain double loop, and upstream's draws."""

import json
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from sklearn.metrics import average_precision_score, roc_auc_score

from cane_gane.evaluation import ranking
from cane_gane.evaluation.fitted import FunctionFitted, SparseFitted, VectorFitted
from cane_gane.evaluation.protocols import PROTOCOLS
from cane_gane.evaluation.ranking import one_pass, rank_targets
from cane_gane.evaluation.results import Draws, to_json
from tests.evaluation.contests import contests, ranked_figures

NODES = 8
EDGES = arrays.arrays(
    np.int64, st.tuples(st.integers(1, 12), st.just(2)), elements=st.integers(0, 7)
)
# Few small whole numbers: many ties, and exact inner products.
VECTORS = arrays.arrays(np.float64, (NODES, 2), elements=st.integers(-2, 2))
SHARED = {"auc", "std_error", "interval", "scored", "edges", "self_loops", "reversed"}
HITS = {"hits_at_1", "hits_at_10", "hits_at_50"}
KEYS = {
    "upstream": {*SHARED, "draws"},
    "strict": {*SHARED, "draws", "average_precision", "mrr", *HITS},
}
NAMES = pytest.mark.parametrize("name", ["upstream", "strict"])


def build(train, test, name):
    return contests(train, test, NODES)[name]


def measure(vectors, contest, **chosen):
    return ranked_figures(VectorFitted(vectors), contest, **chosen)


def wins_by_loop(vectors, contest):
    """Returns the share of negatives below, edge by edge, ties as one half."""
    shares = []
    for source, target in contest.scored.tolist():
        wins = []
        for negative in contest.negatives(source, target):
            gap = (
                vectors[source] @ vectors[target] - vectors[source] @ vectors[negative]
            )
            wins.append(1 if gap > 0 else 0.5 if gap == 0 else 0)
        shares.append(sum(wins) / len(wins))
    return shares


def places_by_loop(vectors, contest):
    places = []
    for source, target in contest.scored.tolist():
        own = vectors[source] @ vectors[target]
        scores = vectors[contest.negatives(source, target)] @ vectors[source]
        places.append(1 + (scores > own).sum() + (scores == own).sum() / 2)
    return np.array(places)


@NAMES
@settings(deadline=None)
@given(EDGES, EDGES, VECTORS)
def test_auc_is_that_of_a_double_loop(name, train, test, vectors):
    contest = build(train, test, name)
    shares = wins_by_loop(vectors, contest)
    auc = measure(vectors, contest).auc
    assert auc == (pytest.approx(np.mean(shares)) if shares else None)


@NAMES
@settings(deadline=None)
@given(EDGES, EDGES, VECTORS)
def test_each_edge_has_scikit_learns_auc(name, train, test, vectors):
    contest = build(train, test, name)
    ranks = rank_targets(VectorFitted(vectors), contest)
    for (source, target), share in zip(contest.scored, ranks.shares, strict=True):
        nodes = [target, *contest.negatives(source, target)]
        truth = [1] + [0] * (len(nodes) - 1)
        assert share == pytest.approx(
            roc_auc_score(truth, vectors[nodes] @ vectors[source])
        )


@settings(deadline=None)
@given(EDGES, EDGES, VECTORS)
def test_average_precision_is_scikit_learns_by_source(train, test, vectors):
    contest = build(train, test, "strict")
    report = measure(vectors, contest)
    figures = []
    for source in np.unique(contest.scored[:, 0]):
        targets = contest.scored[contest.scored[:, 0] == source, 1]
        nodes = [*targets, *contest.candidates(source)]
        truth = [place < len(targets) for place in range(len(nodes))]
        scores = vectors[nodes] @ vectors[source]
        figures.append(average_precision_score(truth, scores))
    expected = pytest.approx(np.mean(figures)) if figures else None
    assert report.average_precision == expected


@settings(deadline=None)
@given(EDGES, EDGES, VECTORS)
def test_mrr_is_that_of_a_loop_over_mean_places(train, test, vectors):
    contest = build(train, test, "strict")
    places = places_by_loop(vectors, contest)
    report = measure(vectors, contest)
    expected = pytest.approx(np.mean(1 / places)) if len(places) else None
    assert report.mrr == expected


@pytest.fixture(scope="module")
def random_case():
    """A random network of 300 nodes whose vectors say something about edges."""
    rng = np.random.default_rng(0)
    edges = rng.integers(300, size=(900, 2))
    vectors = rng.normal(size=(300, 6))
    for source, target in edges:
        vectors[target] += 0.2 * vectors[source]
    return contests(edges[:600], edges[600:], 300), vectors


@NAMES
@settings(deadline=None)
@given(EDGES, EDGES, VECTORS)
def test_each_place_is_that_of_a_loop(name, train, test, vectors):
    """Upstream's pool has the targets in it, and sources with several of them."""
    contest = build(train, test, name)
    found = rank_targets(VectorFitted(vectors), contest)
    assert found.places.tolist() == places_by_loop(vectors, contest).tolist()


@pytest.mark.parametrize("most", [1, 10, 50])
def test_hits_count_places_up_to_theirs(random_case, most):
    built, vectors = random_case
    report = measure(vectors, built["strict"])
    places = places_by_loop(vectors, built["strict"])
    expected = (places <= most).mean()
    assert getattr(report, f"hits_at_{most}") == pytest.approx(expected)


@NAMES
def test_the_mean_of_the_draws_is_near_the_expectation(random_case, name):
    built, vectors = random_case
    report = measure(vectors, built[name])
    error = report.draws.std / np.sqrt(20)
    assert abs(report.draws.mean - report.auc) < 4 * error


def test_a_draw_spreads_as_single_negatives_do(random_case):
    built, vectors = random_case
    contest, rng = built["upstream"], np.random.default_rng(3)
    figures = []
    for _ in range(60):
        wins = []
        for source, target in contest.scored:
            negative = rng.choice(contest.negatives(source, target))
            wins.append((vectors[target] - vectors[negative]) @ vectors[source] > 0)
        figures.append(np.mean(wins))
    spread = measure(vectors, contest).draws.std
    assert spread == pytest.approx(np.std(figures), rel=0.5)


@NAMES
def test_the_interval_is_about_two_standard_errors_each_way(random_case, name):
    built, vectors = random_case
    report = measure(vectors, built[name])
    width = 1.96 * report.std_error
    expected = [report.auc - width, report.auc + width]
    assert report.interval == pytest.approx(expected, abs=width / 5)


def test_equal_vectors_tie_whatever_the_matrix_product_rounds(random_case):
    built, _ = random_case
    same = np.tile(np.random.default_rng(1).normal(size=199), (300, 1))
    report = measure(same, built["strict"])
    assert report.auc == 0.5


def test_blocks_do_not_change_the_figures(random_case, monkeypatch):
    built, vectors = random_case
    whole = measure(vectors, built["strict"])
    monkeypatch.setattr("cane_gane.evaluation.fitted.BLOCK_CELLS", 700)
    assert measure(vectors, built["strict"]) == whole


def test_sparse_vectors_give_the_figures_of_dense_ones(random_case):
    built, vectors = random_case
    dense = measure(vectors, built["strict"])
    sparse = ranked_figures(SparseFitted(vectors), built["strict"])
    assert sparse == dense


@NAMES
def test_the_report_has_its_keys_and_is_ready_for_json(random_case, name):
    built, vectors = random_case
    report = measure(vectors, built[name], ranks=PROTOCOLS[name].ranks)
    assert set(json.loads(json.dumps(to_json(report)))) == KEYS[name]


def test_where_no_edge_is_scored_there_is_no_figure():
    report = measure(np.ones((NODES, 2)), build([[0, 1]], [[1, 1]], "strict"))
    assert to_json(report) == {
        "auc": None,
        "std_error": None,
        "interval": None,
        "draws": {"mean": None, "std": None},
        "scored": 0,
        "edges": 1,
        "self_loops": 0,
        "reversed": 0,
    }


class Counting(FunctionFitted):
    """Scores by inner products, and keeps the sources that it was asked for."""

    def __init__(self, vectors):
        self.asked = []

        def rows(sources):
            self.asked += sources.tolist()
            return vectors[sources] @ vectors.T

        super().__init__(rows, len(vectors))


def test_one_pass_gives_what_each_contest_and_each_pair_has_alone(random_case):
    built, vectors = random_case
    fitted = Counting(vectors)
    pairs = np.random.default_rng(5).integers(300, size=(7, 4, 2))
    found, scores = one_pass(
        fitted, built, {"block": pairs, "flat": pairs[0]}, unranked=("upstream",)
    )
    for name, contest in built.items():
        alone = rank_targets(
            VectorFitted(vectors), contest, ranks=PROTOCOLS[name].ranks
        )
        np.testing.assert_array_equal(found[name].shares, alone.shares)
        np.testing.assert_array_equal(found[name].places, alone.places)
        assert found[name].draws == alone.draws
    expected = (vectors[pairs[..., 0]] * vectors[pairs[..., 1]]).sum(-1)
    np.testing.assert_allclose(scores["block"], expected)
    np.testing.assert_allclose(scores["flat"], expected[0])
    known = [own.scored[:, 0] for own in built.values()]
    assert (
        fitted.asked
        == np.unique(np.concatenate([*known, pairs[..., 0].ravel()])).tolist()
    )


def test_nothing_to_rank_and_nothing_to_score_asks_for_nothing():
    fitted = Counting(np.ones((NODES, 2)))
    empty = np.zeros((0, 3, 2), np.int64)
    nothing = build([[0, 1]], [[1, 1]], "strict")
    found, scores = one_pass(fitted, {"strict": nothing}, {"pairs": empty})
    own = found["strict"]
    assert (own.shares.shape, own.places.shape, own.draws) == (
        (0,),
        (0,),
        Draws(None, None),
    )
    assert scores["pairs"].shape == (0, 3)
    assert one_pass(fitted, {}, {}) == ({}, {})
    assert fitted.asked == []


@NAMES
@settings(max_examples=30)
@given(train=EDGES, test=EDGES, vectors=VECTORS)
def test_targets_are_compared_or_sorted_with_the_same_counts(
    name, train, test, vectors
):
    contest = build(train, test, name)
    compared = rank_targets(VectorFitted(vectors), contest)
    with mock.patch.object(ranking, "_FEW", 0):
        ordered = rank_targets(VectorFitted(vectors), contest)
    np.testing.assert_array_equal(compared.shares, ordered.shares)
    np.testing.assert_array_equal(compared.places, ordered.places)
