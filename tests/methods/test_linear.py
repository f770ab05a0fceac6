"""The linear ranker: its features, its fit, odd networks, and the script beside it."""

import json
import subprocess
import sys

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from cane_gane.data.network import TextualNetwork
from cane_gane.data.splits import Split
from cane_gane.evaluation.protocols import PROTOCOLS, strict_contest
from cane_gane.evaluation.ranking import rank_targets
from cane_gane.methods import linear
from cane_gane.methods.linear import NAMES, LinearRanker, fit_linear
from tests.conftest import SHARED
from tests.evidence.networks import NODES, ODD, clique, evidence_of, topics


@pytest.fixture(scope="module")
def split():
    return topics()


@pytest.fixture(scope="module")
def evidence(split):
    return evidence_of(split)


def test_a_score_is_the_weighted_sum_of_features(evidence):
    weights = np.random.default_rng(0).normal(size=len(NAMES))
    ranker = LinearRanker(evidence, weights)
    sources = np.array([5, 80, 2])
    expected = evidence.rows(sources, NAMES) @ weights
    np.testing.assert_allclose(
        ranker.score_rows(sources), expected, rtol=1e-5, atol=1e-5
    )
    assert ranker.weights == dict(zip(NAMES, weights, strict=True))


def test_nodes_with_the_same_features_tie():
    edges = np.array([[u, 0] for u in range(1, 30)])
    network = TextualNetwork([*["red fox"] * 40, *["blue sea"] * 12], edges)
    split = Split(network, edges, edges[:0])
    scores = fit_linear(evidence_of(split), split).score_rows(np.arange(40))
    assert (scores[:, 40:] == scores[:, 40:41]).all()


def test_it_ranks_test_edges_above_others(split, evidence):
    contest = PROTOCOLS["strict"].contest(split)
    assert rank_targets(fit_linear(evidence, split), contest).shares.mean() > 0.8


def test_the_seed_decides(split, evidence):
    first, again, other = (
        fit_linear(evidence, split, seed).weights for seed in (1, 1, 2)
    )
    assert first == again != other


def test_the_number_of_threads_does_not_matter(split, evidence):
    found = []
    for threads in (1, 2):
        with threadpool_limits(threads):
            ranker = fit_linear(evidence, split)
            found.append((ranker.weights, ranker.score_rows(np.arange(9)).tolist()))
    assert found[0] == found[1]


def test_blocks_do_not_change_the_weights(split, evidence, monkeypatch):
    whole = fit_linear(evidence, split).weights
    monkeypatch.setattr(linear, "_CELLS", 3 * NODES * len(NAMES))
    # products of other shapes may be rounded otherwise
    weights = fit_linear(evidence, split).weights
    assert weights == pytest.approx(whole, rel=1e-4, abs=1e-4)


def test_features_of_a_fold_are_computed_without_it(split, evidence, monkeypatch):
    lists, seen = linear._lists, []

    def watched(own, contest, rng):
        seen.append((own.joined, contest.scored))
        return lists(own, contest, rng)

    monkeypatch.setattr(linear, "_lists", watched)
    fit_linear(evidence, split)
    assert len(seen) == linear.USED
    train = {tuple(edge) for edge in split.train.tolist()}
    for joined, scored in seen:
        assert {tuple(edge) for edge in scored.tolist()} <= train
        assert (joined[scored[:, 0], scored[:, 1]] == 0).all()
        assert 0.7 < joined.nnz / evidence.joined.nnz < 1


def test_no_more_edges_than_allowed_are_ranked(split, evidence, monkeypatch):
    sizes = []
    weights = linear.fit_weights
    monkeypatch.setattr(
        linear,
        "fit_weights",
        lambda x, *rest: sizes.append(len(x)) or weights(x, *rest),
    )
    monkeypatch.setattr(linear, "MOST_EDGES", 4)
    fit_linear(evidence, split)
    assert sizes == [3 * 4]


class Numbers:
    """Features that are the number of the node, so that a list shows who is on it."""

    def rows(self, sources, names):
        nodes = np.arange(self.count, dtype=np.float32)
        return np.broadcast_to(nodes[:, None], (len(sources), self.count, len(NAMES)))

    def __init__(self, count):
        self.count = count


@pytest.mark.parametrize("count", [40, 900])
def test_an_edge_is_ranked_among_nodes_that_are_no_neighbours(count):
    rng = np.random.default_rng(0)
    train, held_out = (
        rng.integers(count, size=(count, 2)),
        rng.integers(count, size=(9, 2)),
    )
    contest = strict_contest(train, train, held_out, count)
    found = linear._lists(Numbers(count), contest, np.random.default_rng(1))
    assert len(found) == len(contest.scored) > 5
    for (source, target), own in zip(contest.scored.tolist(), found, strict=True):
        nodes = own[:, 0].astype(int)
        assert nodes[0] == target
        others = contest.candidates(source)
        assert len(nodes) == 1 + linear.CANDIDATES
        assert set(nodes[1:]) <= set(others)
        if count > 500:
            assert len(set(nodes[1:])) == linear.CANDIDATES
            # More of the best, here of the largest numbers, than chance would give.
            assert np.isin(others[-linear.HARD :], nodes).mean() > 0.5


@pytest.mark.parametrize("texts", [["red fox"], ["red", "blue", "sea"], [""]])
@pytest.mark.parametrize(("count", "train"), ODD)
def test_odd_networks_have_finite_scores(texts, count, train):
    edges, test = np.array(train, np.int64).reshape(-1, 2), np.array([[0, 1]])
    network = TextualNetwork(
        [texts[node % len(texts)] for node in range(count)],
        np.concatenate([edges, test]),
    )
    split = Split(network, edges, test)
    ranker = fit_linear(evidence_of(split), split)
    assert np.isfinite(list(ranker.weights.values())).all()
    scores = ranker.score_rows(np.arange(count))
    assert scores.shape == (count, count)
    assert np.isfinite(scores).all()


def test_what_no_edge_can_be_held_out_of_has_weights_of_one():
    edges = np.array(clique())
    split = Split(TextualNetwork(["red fox"] * 6, edges), edges, edges[:0])
    assert set(fit_linear(evidence_of(split), split).weights.values()) == {1.0}


def test_a_feature_that_is_the_same_everywhere_has_no_weight(split):
    network = TextualNetwork(["one and the same"] * NODES, split.network.edges)
    alike = Split(network, split.train, split.test)
    weights = fit_linear(evidence_of(alike), alike).weights
    assert (weights["words"], weights["letters"]) == (0, 0)
    assert weights["popularity"] != 0


@pytest.mark.slow
def test_it_is_as_good_as_the_script_that_it_was_made_after(published, tmp_path):
    script = SHARED / "tools" / "linear_ranker.py"
    network = published("HepTh")
    if not script.is_file():
        pytest.skip(f"no script at {script}")
    split = network.split(0.55, "upstream", seed=1)
    split.write(tmp_path)
    done = subprocess.run(
        [sys.executable, script, SHARED / "datasets" / "HepTh", tmp_path],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    theirs = json.loads(done.stdout.splitlines()[-1])
    contest = PROTOCOLS["strict"].contest(split)
    assert theirs["edges"] == len(contest.scored)
    found = rank_targets(fit_linear(evidence_of(split), split), contest)
    assert 100 * found.column("auc").mean() == pytest.approx(theirs["auc"], abs=0.3)
    assert 100 * found.column("mrr").mean() == pytest.approx(theirs["mrr"], abs=1.0)
