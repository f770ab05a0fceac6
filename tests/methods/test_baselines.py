"""Baselines: their figures on the published data sets, and small cases by hand."""

import networkx as nx
import numpy as np
import pytest

from cane_gane.data.graph import neighbours
from cane_gane.data.network import TextualNetwork
from cane_gane.data.splits import Split
from cane_gane.data.tfidf import tfidf_vectors
from cane_gane.evaluation.fitted import VectorFitted
from cane_gane.evaluation.protocols import PROTOCOLS
from cane_gane.evaluation.ranking import rank_targets
from cane_gane.methods.baselines import (
    BASELINES,
    Baseline,
    fit_baselines,
    left_out,
)
from cane_gane.models.start.walks import walk_step

# Percent, the mean of three splits; one split is within about a point of it.
FIGURES = [
    ("cora", "tfidf", "upstream", 85.6),
    ("cora", "tfidf_one_hop", "upstream", 96.6),
    ("cora", "tfidf_one_hop", "strict", 96.0),
    ("HepTh", "tfidf", "upstream", 91.5),
    ("HepTh", "tfidf_one_hop", "upstream", 96.4),
    ("HepTh", "tfidf_one_hop", "strict", 95.2),
    ("cora", "walks", "strict", 97.0),
    ("cora", "pagerank", "strict", 79.6),
    ("HepTh", "pagerank", "strict", 79.9),
]
TEXTS = ["red fox", "Red sea", "blue sea", "", "red red fox"]
TRAIN = np.array([[0, 1], [1, 0], [1, 2], [3, 3]])
TEST = np.array([[0, 2], [4, 3]])
ALL = np.arange(len(TEXTS))
STRUCTURE = ("pagerank", "common_neighbours", "preferential_attachment")
FITTED = [key for key, baseline in BASELINES.items() if baseline.fit]


def split_of(texts, test=TEST):
    return Split(TextualNetwork(texts, np.concatenate([TRAIN, TEST])), TRAIN, test)


def rows(baseline, split):
    return fit_baselines(split)[baseline].score_rows(ALL)


@pytest.fixture(scope="module")
def measured(published):
    """Gives the AUC in percent at ratio 0.55, each data set prepared once."""
    prepared = {}

    def auc(name, baseline, protocol):
        if name not in prepared:
            split = published(name).split(0.55, "upstream", seed=1)
            contests = {
                key: PROTOCOLS[key].contest(split) for key in ("upstream", "strict")
            }
            prepared[name] = fit_baselines(split), contests
        fitted, contests = prepared[name]
        return 100 * rank_targets(fitted[baseline], contests[protocol]).shares.mean()

    return auc


@pytest.mark.parametrize(("name", "baseline", "protocol", "figure"), FIGURES)
def test_a_figure_is_what_was_measured_before(
    measured, name, baseline, protocol, figure
):
    assert measured(name, baseline, protocol) == pytest.approx(figure, abs=1)


@pytest.mark.parametrize("baseline", STRUCTURE)
def test_structure_alone_is_better_than_chance_and_worse_than_text(measured, baseline):
    auc = measured("cora", baseline, "strict")
    assert 60 < auc < measured("cora", "tfidf", "strict")


def test_tfidf_scores_are_cosines():
    scores = rows("tfidf", split_of(TEXTS))
    assert np.diag(scores) == pytest.approx([1, 1, 1, 0, 1])


def test_one_hop_reads_the_words_of_training_neighbours():
    scores = rows("tfidf_one_hop", split_of(TEXTS))
    # "blue sea" and "red red fox" share no word, but 2 has the neighbour "Red sea".
    assert rows("tfidf", split_of(TEXTS))[2, 4] == 0
    assert 0 < scores[2, 4] < 1
    assert np.diag(scores) == pytest.approx([1, 1, 1, 0, 1])


def test_common_neighbours_are_counted_once_and_without_self_loops():
    assert rows("common_neighbours", split_of(TEXTS)).tolist() == [
        [1, 0, 1, 0, 0],
        [0, 2, 0, 0, 0],
        [1, 0, 1, 0, 0],
        [0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0],
    ]


def test_preferential_attachment_is_the_product_of_degrees():
    scores = rows("preferential_attachment", split_of(TEXTS))
    assert scores.tolist() == np.outer([1, 2, 1, 0, 0], [1, 2, 1, 0, 0]).tolist()


def test_pagerank_ranks_as_networkx_does():
    graph = nx.connected_watts_strogatz_graph(40, 4, 0.5, seed=1)
    edges = np.array(graph.edges)
    split = Split(TextualNetwork([""] * 40, edges), edges, edges[:0])
    scores = fit_baselines(split)["pagerank"].score_rows(np.array([7]))[0]
    ranks = nx.pagerank(graph, 0.85, {7: 1}, max_iter=1000, tol=1e-14)
    others = [node for node in range(40) if node != 7]
    expected = [ranks[node] / 0.15 for node in others]
    assert scores[others] == pytest.approx(expected, abs=2e-3)


def test_walks_are_those_that_node_vectors_start_from():
    """The text graph is the models' own: the same matrix is solved."""
    split = split_of(TEXTS)
    joined = neighbours(TRAIN, len(TEXTS))
    step = walk_step(tfidf_vectors(TEXTS, longest=2), joined).toarray()
    walked = np.linalg.inv(np.eye(len(TEXTS)) - step)
    expected = np.log(np.maximum(walked, 0) + 1e-4)
    assert rows("walks", split) == pytest.approx(expected, abs=1e-2)


def test_the_start_of_a_method_is_a_baseline_where_it_has_one():
    start = VectorFitted(np.eye(5))
    fitted = fit_baselines(split_of(TEXTS), start)
    assert next(iter(fitted.items())) == ("start", start)
    assert list(fitted) == list(BASELINES)


@pytest.mark.parametrize("baseline", FITTED)
def test_no_test_edge_is_looked_at(baseline):
    known, unknown = split_of(TEXTS), split_of(TEXTS, test=TEST[:0])
    assert rows(baseline, known).tolist() == rows(baseline, unknown).tolist()


@pytest.mark.parametrize("texts", [[""] * 5, ["  "] * 5])
def test_without_texts_there_are_the_baselines_of_structure(texts):
    fitted, known = fit_baselines(split_of(texts)), fit_baselines(split_of(TEXTS))
    assert tuple(fitted) == STRUCTURE
    assert list(known) == FITTED
    for name in fitted:
        assert (
            fitted[name].score_rows(ALL).tolist()
            == known[name].score_rows(ALL).tolist()
        )


def test_two_networks_have_each_their_own_words():
    """What was computed for a network before must not answer for another."""
    first, second = split_of(TEXTS), split_of([*TEXTS[1:], TEXTS[0]])
    scores = [rows("tfidf", split) for split in (first, second, first)]
    assert scores[0].tolist() == scores[2].tolist() != scores[1].tolist()


def test_a_baseline_that_is_registered_is_fitted(monkeypatch):
    own = BASELINES["tfidf"].fit
    added = Baseline("again", "TF-IDF again", own, reads_texts=True)
    monkeypatch.setitem(BASELINES, "again", added)
    split = split_of(TEXTS)
    assert rows("again", split).tolist() == rows("tfidf", split).tolist()


def test_a_large_network_is_without_some_baselines(monkeypatch):
    split = split_of(TEXTS)
    assert left_out(split) == {}
    few = Baseline("walks", "walks", BASELINES["walks"].fit, True, most_nodes=4)
    monkeypatch.setitem(BASELINES, "walks", few)
    assert set(fit_baselines(split)) == set(FITTED) - {"walks"}
    assert left_out(split) == {"walks": "left out, as there are more than 4 nodes"}
    assert left_out(split_of([""] * len(TEXTS))) == {}  # texts are what it lacks


@pytest.mark.parametrize("key", ["pagerank", "walks"])
def test_pairs_of_many_sources_are_scored_from_either_end(key):
    rng = np.random.default_rng(8)
    texts = [" ".join(rng.choice(["sea", "fox", "red", "owl"], 2)) for _ in range(30)]
    edges = rng.integers(29, size=(50, 2))  # the last node has none
    split = Split(TextualNetwork(texts, edges), edges[:40], edges[40:])
    fitted = fit_baselines(split)[key]
    pairs = np.concatenate([[[3, n] for n in range(30)], [[n, 5] for n in range(30)]])
    expected = fitted.score_rows(np.arange(30))[pairs[:, 0], pairs[:, 1]]
    np.testing.assert_allclose(fitted.score_pairs(pairs), expected, 1e-5, 1e-7)
