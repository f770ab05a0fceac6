"""The linear ranker: its features, its fit, odd networks, and the script beside it."""

import json
import subprocess
import sys

import networkx as nx
import numpy as np
import pytest
from scipy.optimize import approx_fprime
from sklearn.feature_extraction.text import TfidfVectorizer
from threadpoolctl import threadpool_limits

from cane_gane.data.network import TextualNetwork
from cane_gane.data.splits import Split
from cane_gane.evaluation.protocols import PROTOCOLS, strict_contest
from cane_gane.evaluation.ranking import rank_targets
from cane_gane.methods import linear
from cane_gane.methods.evidence import NAMES, Evidence, TextVectors
from cane_gane.methods.linear import LinearRanker, fit_linear, loss
from tests.conftest import SHARED

TOPICS = ["graph edge node path", "matrix vector rank norm", "cell gene protein dna"]
NODES = 90


def evidence_of(split):
    texts = TextVectors(split.network.texts)
    return Evidence(texts, split.train, split.network.node_count)


@pytest.fixture(scope="module")
def split():
    """Nodes of three topics, with edges inside a topic, loops and reversed edges."""
    rng = np.random.default_rng(5)
    texts = [
        " ".join(rng.choice(TOPICS[node % 3].split(), 3)) + f" common w{node // 2}"
        for node in range(NODES)
    ]
    ends = rng.integers(0, 29, size=(NODES - 1, 3)) * 3
    edges = np.array([(u, v + u % 3) for u, row in enumerate(ends) for v in row])
    network = TextualNetwork(texts, np.concatenate([edges, edges[:9, ::-1], [[4, 4]]]))
    return network.split(0.6, seed=1)


@pytest.fixture(scope="module")
def evidence(split):
    return evidence_of(split)


@pytest.fixture(scope="module")
def features(evidence):
    """Every feature of all pairs, by name."""
    rows = evidence.rows(np.arange(NODES))
    return dict(zip(NAMES, np.moveaxis(rows, -1, 0), strict=True))


@pytest.fixture(scope="module")
def graph(split):
    graph = nx.Graph()
    graph.add_nodes_from(range(NODES))
    graph.add_edges_from((u, v) for u, v in split.train.tolist() if u != v)
    return graph


def unit(vectors):
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)


def dense(split, longest):
    """The texts' TF-IDF vectors, words of a single text included."""
    weigh = TfidfVectorizer(sublinear_tf=True, ngram_range=(1, longest))
    return weigh.fit_transform(split.network.texts).toarray()


def test_features_of_texts_are_cosines(split, features, graph):
    mean = unit(nx.to_numpy_array(graph))  # of the neighbours, up to a factor
    words, pairs = dense(split, 1), dense(split, 2)
    near = unit(mean @ pairs)
    hops = [unit(own + unit(mean @ own)) for own in (words, pairs)]
    for name, left, right in (
        ("words", words, words),
        ("word_pairs", pairs, pairs),
        ("words_one_hop", hops[0], hops[0]),
        ("pairs_one_hop", hops[1], hops[1]),
        ("neighbours", near, near),
    ):
        np.testing.assert_allclose(features[name], left @ right.T, atol=1e-5)
    across = pairs @ near.T + near @ pairs.T
    np.testing.assert_allclose(features["across"], across, atol=1e-5)


def test_features_of_edges_are_networkxs(split, features, graph):
    pairs = [(u, v) for u in range(NODES) for v in range(NODES) if u != v]
    for u, v, value in nx.adamic_adar_index(graph, pairs):
        assert features["adamic_adar"][u, v] == pytest.approx(np.log1p(value), rel=1e-5)
    degrees = np.array([graph.degree[node] for node in range(NODES)])
    ends = [v for u, v in split.train.tolist() if u != v]
    popularity = [np.log1p(ends.count(node)) for node in range(NODES)]
    for name, column in (
        ("popularity", popularity),
        ("degree", np.log1p(degrees)),
        ("seen", degrees > 0),
    ):
        expected = np.broadcast_to(column, (NODES, NODES))
        np.testing.assert_allclose(features[name], expected, rtol=1e-6)
    assert not features["seen"].all()


def test_some_sources_have_the_rows_of_all(evidence, features):
    some = evidence.rows(np.array([70, 3]))
    whole = np.stack(list(features.values()), axis=-1)
    np.testing.assert_array_equal(some, whole[[70, 3]])


def test_a_score_is_the_weighted_sum_of_features(evidence):
    weights, scale = np.random.default_rng(0).normal(size=(2, len(NAMES)))
    ranker = LinearRanker(evidence, weights, scale)
    sources = np.array([5, 80, 2])
    expected = evidence.rows(sources) @ (weights / scale)
    np.testing.assert_allclose(ranker.score_rows(sources), expected, rtol=1e-5)
    assert ranker.weights == dict(zip(NAMES, weights, strict=True))


def test_nodes_with_the_same_features_tie():
    edges = np.array([[u, 0] for u in range(1, 30)])
    network = TextualNetwork([*["red fox"] * 40, *["blue sea"] * 12], edges)
    split = Split(network, edges, edges[:0])
    scores = fit_linear(evidence_of(split), split).score_rows(np.arange(40))
    assert (scores[:, 40:] == scores[:, 40:41]).all()


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
    value, slope = loss(weights, found[:50])
    by_steps = approx_fprime(weights, lambda own: loss(own, found[:50])[0], 1e-6)
    np.testing.assert_allclose(slope, by_steps, atol=1e-5)
    scores = found[:50] @ weights
    shares = np.exp(scores[:, 0]) / np.exp(scores).sum(axis=1)
    penalty = linear.SHRINKAGE * (weights**2).sum()
    assert value == pytest.approx(-np.log(shares).mean() + penalty)


def test_scores_that_are_far_apart_do_not_overflow(lists):
    value, slope = loss(np.full(4, 5000.0), lists[1][:50])
    assert np.isfinite(value)
    assert np.isfinite(slope).all()


def test_planted_weights_are_found(lists):
    planted, found = lists
    assert linear._weights(found) == pytest.approx(planted, abs=0.08)


def test_it_ranks_test_edges_above_others(split, evidence):
    contest = PROTOCOLS["strict"].contest(split)
    assert rank_targets(fit_linear(evidence, split), contest).shares.mean() > 0.8


@pytest.mark.parametrize("name", NAMES)
def test_a_single_weight_leaves_a_single_feature(evidence, features, name):
    weights = (np.array(NAMES) == name) * 2.0
    ranker = LinearRanker(evidence, weights, np.full(len(NAMES), 2.0))
    found = ranker.score_rows(np.arange(NODES))
    np.testing.assert_allclose(found, features[name], rtol=1e-6)


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
    assert fit_linear(evidence, split).weights == whole


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
    weights = linear._weights
    monkeypatch.setattr(
        linear, "_weights", lambda x: sizes.append(len(x)) or weights(x)
    )
    monkeypatch.setattr(linear, "MOST_EDGES", 4)
    fit_linear(evidence, split)
    assert sizes == [3 * 4]


class Numbers:
    """Features that are the number of the node, so that a list shows who is on it."""

    def rows(self, sources):
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


def star():
    return [[0, leaf] for leaf in range(1, 8)] + [[leaf, 0] for leaf in range(1, 8)]


def clique():
    return [[a, b] for a in range(6) for b in range(6) if a != b]


@pytest.mark.parametrize("texts", [["red fox"], ["red", "blue", "sea"], [""]])
@pytest.mark.parametrize(
    ("count", "train"),
    [
        (5, []),
        (5, [[0, 1]]),
        (5, [[3, 3]]),
        (5, [[0, 1], [1, 0], [0, 1]]),
        (2, [[0, 1], [1, 0]] * 5),
        (9, star()),
        (8, star()),
        (6, clique()),
        (7, clique()),
        (400, star()),
    ],
)
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
