"""Weights of evidence: the fit, what it ranks among, and odd networks."""

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from threadpoolctl import threadpool_limits

from cane_gane.data.network import TextualNetwork
from cane_gane.data.splits import Split
from cane_gane.evaluation.fitted import FunctionFitted
from cane_gane.evaluation.protocols import PROTOCOLS, strict_contest
from cane_gane.evaluation.ranking import rank_targets
from cane_gane.evidence import additive, fit
from cane_gane.evidence import lists as lists_of_edges
from cane_gane.evidence.additive import Additive
from cane_gane.evidence.features import FEATURES, Evidence
from cane_gane.evidence.fit import fit_additive
from cane_gane.evidence.likeness import Texts
from cane_gane.evidence.lists import held_out_lists
from cane_gane.evidence.softmax import Softmax, fit_weights
from tests.evidence.networks import NODES, ODD, clique, evidence_of, topics

NAMES = tuple(FEATURES)


@pytest.fixture(scope="module")
def split():
    return topics()


def additive_of(split, **options):
    network = split.network
    texts, count = Texts(network.texts), network.node_count
    return fit_additive(held_out_lists(texts, split.train, count, **options))


@pytest.fixture(scope="module")
def fitted(split):
    return additive_of(split)


@pytest.fixture(scope="module")
def lists():
    """Lists whose first is chosen by a softmax of known weights."""
    rng = np.random.default_rng(8)
    planted = np.array([1.5, -0.8, 0.0, 0.4])
    found = rng.normal(size=(4000, 20, 4))
    scores = found @ planted + rng.gumbel(size=(4000, 20))
    rows, best = np.arange(4000), scores.argmax(axis=1)
    found[rows, best], found[:, 0] = found[:, 0].copy(), found[rows, best].copy()
    return planted, found


def test_the_gradient_is_that_of_finite_differences(lists):
    _, found = lists
    weights = np.array([0.7, -0.2, 0.1, -1.3])
    counts = np.random.default_rng(1).normal(size=(50, 20))
    loss = Softmax(found[:50], counts, 0.01)
    by_steps = approx_fprime(weights, loss.value, 1e-4)
    np.testing.assert_allclose(loss.slope(weights), by_steps, atol=2e-3)
    scores = found[:50] @ weights + counts
    shares = np.exp(scores[:, 0]) / np.exp(scores).sum(axis=1)
    penalty = 0.01 * (weights**2).sum()
    assert loss.value(weights) == pytest.approx(-np.log(shares).mean() + penalty, 1e-5)


def test_the_curvature_is_that_of_finite_differences(lists):
    weights = np.array([0.7, -0.2, 0.1, -1.3])
    loss = Softmax(lists[1][:50], np.zeros((50, 20)), 0.01)
    for column, row in enumerate(loss.curvature(weights)):
        by_steps = approx_fprime(weights, lambda own: loss.slope(own)[column], 1e-3)  # noqa: B023
        np.testing.assert_allclose(row, by_steps, atol=2e-3)


def test_scores_that_are_far_apart_do_not_overflow(lists):
    loss = Softmax(lists[1][:50], np.zeros((50, 20)), 0.01)
    far = np.full(4, 5000.0)
    assert np.isfinite(loss.value(far))
    assert np.isfinite(loss.slope(far)).all()


def test_planted_weights_are_found(lists):
    planted, found = lists
    found = fit_weights(found, np.zeros(found.shape[:2]), 1e-4)
    assert found == pytest.approx(planted, abs=0.08)


def test_a_candidate_that_stands_for_many_counts_as_many(lists):
    found = lists[1][:300].astype(np.float32)
    many = np.repeat(found, [1] + [3] * 19, axis=1)
    counts = np.r_[0, np.full(19, np.log(3))] + np.zeros((300, 1))
    once = fit_weights(found, counts, 1e-3)
    spread = found.reshape(-1, 4).std(axis=0) / many.reshape(-1, 4).std(axis=0)
    thrice = fit_weights(many, np.zeros(many.shape[:2]), 1e-3)
    np.testing.assert_allclose(once, thrice, atol=0.02 * spread.max())


def test_it_ranks_test_edges_above_others(split, fitted):
    contest = PROTOCOLS["strict"].contest(split)
    table = fitted.table(evidence_of(split))
    ranker = FunctionFitted(lambda sources: table[sources], NODES)
    assert rank_targets(ranker, contest).shares.mean() > 0.8


def test_a_score_is_the_sum_of_piecewise_linear_functions(split):
    rng = np.random.default_rng(0)
    names = ("words", "walks")
    slopes, bends = rng.normal(size=(2, 4)), rng.normal(size=(2, 3))
    evidence, sources = evidence_of(split), np.array([5, 80, 2])
    features = evidence.rows(sources, names).astype(np.float64)
    expected = sum(
        slopes[i, 0] * features[..., i]
        + sum(
            slopes[i, 1 + k] * np.maximum(features[..., i] - bends[i, k], 0)
            for k in range(3)
        )
        for i in range(2)
    )
    found = Additive.of_functions(names, slopes, bends).rows(evidence, sources)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def with_products(names):
    """A sum with functions and products of all features, drawn at random."""
    rng, count = np.random.default_rng(3), len(names)
    slopes, bends = rng.normal(size=(count, 4)), rng.normal(size=(count, 3))
    half = np.triu(rng.normal(size=(count, count)), 1)
    return Additive(names, slopes, bends, rng.normal(size=count), half + half.T)


def test_products_of_features_count_once(split):
    names = ("words", "walks", "degree")
    evidence, sources = evidence_of(split), np.array([5, 80, 2])
    features = evidence.rows(sources, names).astype(np.float64)
    whole = with_products(names)
    alone = Additive.of_functions(names, whole.slopes, whole.bends)
    centred = features - whole.centres
    expected = alone.rows(evidence, sources) + sum(
        2 * whole.products[i, j] * centred[..., i] * centred[..., j]
        for i, j in ((0, 1), (0, 2), (1, 2))
    )
    found = whole.rows(evidence, sources)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)


def test_parts_share_what_a_product_adds():
    names = ("words", "walks", "degree")
    products = np.zeros((3, 3))
    products[0, 2] = products[2, 0] = 0.5
    zeros = np.zeros((3, 4))
    own = Additive(names, zeros, zeros[:, 1:], np.array([1.0, 7.0, 2.0]), products)
    found = own.parts(np.array([4.0, 9.0, 7.0], np.float32))
    assert found == {"words": 7.5, "walks": 0, "degree": 7.5}  # (4 - 1) (7 - 2) / 2


def test_a_feature_counts_within_its_bounds():
    whole = with_products(("words", "walks", "degree"))
    bounds = np.array([[-1.0, 0.0, 2.0], [1.0, 4.0, 3.0]])
    bounded = replace(whole, bounds=bounds)
    features = np.random.default_rng(3).normal(0, 5, size=(3, 50)).astype(np.float32)
    within = np.minimum(np.maximum(features, bounds[0, :, None]), bounds[1, :, None])
    assert (within != features).any(axis=1).all()
    found, expected = bounded.parts(features), whole.parts(within.astype(np.float32))
    again = Additive.from_weights(json.loads(json.dumps(bounded.weights())))
    for name, values in again.parts(features).items():
        np.testing.assert_allclose(found[name], expected[name], rtol=1e-6)
        np.testing.assert_array_equal(values, found[name])


def test_bounds_are_those_of_the_lists():
    rng = np.random.default_rng(6)
    features = rng.normal(size=(2000, 11, 2)).astype(np.float32)
    counts = np.zeros((2000, 11), np.float32)
    counts[:, -1], features[:, -1] = -np.inf, 1e6  # of no node
    lists = lists_of_edges.Lists(("walks", "degree"), features, counts, np.arange(2000))
    # The quantiles of a normal distribution.
    np.testing.assert_allclose(np.abs(fit_additive(lists).bounds), 3.09, atol=0.35)
    assert fit_additive(lists.only(("walks",))).bounds is None


def test_weights_name_the_features_of_products():
    whole = with_products(("words", "walks", "degree"))
    found = whole.weights()["walks"]
    assert found["products"] == {"words": whole.products[1, 0],
                                 "degree": whole.products[1, 2]}  # fmt: skip
    assert found["centre"] == whole.centres[1]
    assert found["slopes"] == whole.slopes[1].tolist()


def test_a_planted_product_is_found():
    rng = np.random.default_rng(4)
    names = ("walks", "popularity", "seen")
    features = rng.normal(size=(3000, 21, 3)).astype(np.float32)
    scores = features[..., 0] * features[..., 1] + rng.gumbel(size=(3000, 21))
    rows, best = np.arange(3000), scores.argmax(axis=1)
    features[rows, best], features[:, 0] = features[:, 0].copy(), features[rows, best]
    counts = np.zeros((3000, 21), np.float32)
    found = fit_additive(lists_of_edges.Lists(names, features, counts, np.arange(3000)))
    # A third of the mean of three fits, of which shrinkage takes a little.
    assert 2 * found.products[0, 1] == pytest.approx(1 / 3, abs=0.05)
    assert not found.products[2].any()  # no feature whose products count
    np.testing.assert_array_equal(found.products, found.products.T)


def test_functions_of_texts_have_no_products(split):
    network = split.network
    texts, count = Texts(network.texts), network.node_count
    lists = held_out_lists(texts, split.train, count, fit.WORD_FEATURES)
    assert not fit_additive(lists).products.any()


def test_the_table_has_the_rows_of_all_nodes(split, fitted, monkeypatch):
    evidence = evidence_of(split)
    whole = fitted.rows(evidence, np.arange(NODES))
    monkeypatch.setattr(additive, "_CELLS", 7 * NODES)
    np.testing.assert_allclose(fitted.table(evidence), whole, rtol=1e-4, atol=1e-5)


def test_the_seed_decides(split):
    first, again, other = (additive_of(split, seed=seed).slopes for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


def test_the_number_of_threads_does_not_matter(split):
    found = []
    for threads in (1, 2):
        with threadpool_limits(threads):
            found.append(additive_of(split).slopes)
    np.testing.assert_array_equal(*found)


def test_features_of_a_fold_are_computed_without_it(split, monkeypatch):
    lists, seen = lists_of_edges._lists, []

    def watched(own, contest, names, rng):
        seen.append((own.joined, contest.scored))
        return lists(own, contest, names, rng)

    monkeypatch.setattr(lists_of_edges, "_lists", watched)
    additive_of(split)
    assert len(seen) == lists_of_edges.DRAWS * lists_of_edges.FOLDS
    train = {tuple(edge) for edge in split.train.tolist()}
    for joined, scored in seen:
        assert {tuple(edge) for edge in scored.tolist()} <= train
        assert (joined[scored[:, 0], scored[:, 1]] == 0).all()


def test_no_further_fold_is_held_out_when_there_is_enough(split, monkeypatch):
    monkeypatch.setattr(lists_of_edges, "ENOUGH", 40)
    texts = Texts(split.network.texts)
    fold = -(-len(split.train) // lists_of_edges.FOLDS)
    found = held_out_lists(texts, split.train, NODES).features
    assert 40 - fold < len(found) <= 40 + fold
    monkeypatch.setattr(lists_of_edges, "ENOUGH", len(split.train))
    assert len(held_out_lists(texts, split.train, NODES).features) > 4 * fold


def test_few_edges_are_held_out_several_times(split, monkeypatch):
    monkeypatch.setattr(lists_of_edges, "ENOUGH", 3 * len(split.train))
    texts = Texts(split.network.texts)
    found = held_out_lists(texts, split.train, NODES, ("words", "walks"))
    ids, times = np.unique(found.edge_ids, return_counts=True)
    edges = split.train[:, 0] * NODES + split.train[:, 1]
    assert set(ids) <= set(edges.tolist())
    assert times.max() == 3
    assert (times == 3).mean() > 0.9  # a reversed edge may be in the same fold
    assert found.edge_count == len(ids)
    # No edge changes what words say, and every draw changes what walks do.
    targets = found.features[found.edge_ids == ids[times == 3][0], 0]
    assert len(np.unique(targets[:, 0])) == 1
    assert len(np.unique(targets[:, 1])) == 3


def test_lists_that_are_there_twice_weigh_as_much_as_once(lists):
    features = lists[1][:300].astype(np.float32)
    counts, ids = np.zeros(features.shape[:2], np.float32), np.arange(300)
    names = ("words", "walks", "degree", "seen")
    once = lists_of_edges.Lists(names, features, counts, ids)
    twice = lists_of_edges.Lists(
        names, *(np.concatenate([own, own]) for own in (features, counts, ids))
    )
    found, again = fit_additive(once), fit_additive(twice)
    np.testing.assert_allclose(found.slopes, again.slopes, atol=1e-3)
    np.testing.assert_allclose(found.products, again.products, atol=1e-3)


def test_probabilities_are_fitted_on_edges_that_the_functions_have_not_seen(
    split, monkeypatch
):
    network, seen = split.network, []
    lists = held_out_lists(Texts(network.texts), split.train, NODES)
    whole, curve = fit.fit_additive, fit.fit_temperature

    def fitted(own):
        seen.append(set(own.edge_ids.tolist()))
        return whole(own)

    def measured(scores, counts):
        seen.append(len(scores))
        return curve(scores, counts)

    monkeypatch.setattr(fit, "fit_additive", fitted)
    monkeypatch.setattr(fit, "fit_temperature", measured)
    assert fit.calibrate(lists)
    ids, others = seen
    apart = ~np.isin(lists.edge_ids, list(ids))
    assert others == apart.sum()
    assert abs(len(ids) - lists.edge_count / 2) < 1


def test_fits_at_the_same_time_are_those_one_by_one(split, monkeypatch):
    together = additive_of(split).slopes
    monkeypatch.setattr(fit, "AT_ONCE", 1)
    np.testing.assert_array_equal(additive_of(split).slopes, together)


class Numbers:
    """Features that are the number of the node, so that a list shows who is on it."""

    def __init__(self, count):
        self.node_count = count

    def features(self, sources, names):
        nodes = np.arange(self.node_count, dtype=np.float32)
        return (np.tile(nodes, (len(sources), 1)) for _ in names)

    def rows(self, sources, names):
        return np.stack(list(self.features(sources, names)), axis=-1)


@pytest.mark.parametrize("count", [40, 900])
def test_an_edge_is_ranked_among_nodes_that_are_no_neighbours(count):
    rng = np.random.default_rng(0)
    train, held_out = (
        rng.integers(count, size=(count, 2)),
        rng.integers(count, size=(9, 2)),
    )
    contest = strict_contest(train, train, held_out, count)
    found = lists_of_edges._lists(
        Numbers(count), contest, ["n"], np.random.default_rng(1)
    )
    assert len(found.features) == len(contest.scored) > 5
    for (source, target), own, counts in zip(
        contest.scored.tolist(), found.features, found.counts, strict=True
    ):
        nodes = own[:, 0].astype(int)
        assert nodes[0] == target
        others = contest.candidates(source)
        there = nodes[1:][np.isfinite(counts[1:])]
        assert set(there) <= set(others)
        best = others[-lists_of_edges.HARD :]  # those with the largest numbers
        assert set(best) <= set(there[: lists_of_edges.HARD])
        # Together they stand for all nodes that are no neighbours.
        assert np.exp(counts[1:]).sum() == pytest.approx(len(others), rel=1e-4)


@pytest.mark.parametrize("texts", [["red fox"], ["red", "blue", "sea"], [""]])
@pytest.mark.parametrize(("count", "train"), [*ODD, (1, [[0, 0]])])
def test_odd_networks_have_finite_scores(texts, count, train):
    edges = np.array(train, np.int64).reshape(-1, 2)
    likeness = Texts([texts[node % len(texts)] for node in range(count)])
    found = fit_additive(held_out_lists(likeness, edges, count))
    table = found.table(Evidence(likeness, edges, count))
    assert table.shape == (count, count)
    assert np.isfinite(table).all()


def test_what_no_edge_can_be_held_out_of_has_no_weights():
    edges = np.array(clique())
    split = Split(TextualNetwork(["red fox"] * 6, edges), edges, edges[:0])
    assert not additive_of(split).slopes.any()


def test_a_feature_that_is_the_same_everywhere_has_no_weight(split):
    network = TextualNetwork(["one and the same"] * NODES, split.network.edges)
    slopes = additive_of(Split(network, split.train, split.test)).slopes
    by_name = dict(zip(NAMES, slopes, strict=True))
    assert not by_name["words"].any()
    assert not by_name["letters"].any()
    assert by_name["popularity"].any()
