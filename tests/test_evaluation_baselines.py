"""Baselines: their figures on the published data sets, and small cases by hand."""

import numpy as np
import pytest

from cane_gane.evaluation.baselines import (
    BASELINES,
    baseline_scorers,
    one_hop_vectors,
    tfidf_vectors,
    training_neighbours,
)
from cane_gane.evaluation.protocols import make_protocols
from cane_gane.evaluation.ranking import link_prediction
from cane_gane.splits import split_edges

# Percent, the mean of three splits; one split is within about a point of it.
FIGURES = [
    ("cora", "tfidf", "upstream", 85.6),
    ("cora", "tfidf_one_hop", "upstream", 96.6),
    ("cora", "tfidf_one_hop", "strict", 96.0),
    ("HepTh", "tfidf", "upstream", 91.5),
    ("HepTh", "tfidf_one_hop", "upstream", 96.4),
    ("HepTh", "tfidf_one_hop", "strict", 95.2),
]
TEXTS = ["red fox", "Red sea", "blue sea", "", "red red fox"]
TRAIN = np.array([[0, 1], [1, 0], [1, 2], [3, 3]])
ALL = np.arange(len(TEXTS))


@pytest.fixture(scope="module")
def measured(published):
    """Gives the AUC in percent at ratio 0.55, each data set prepared once."""
    prepared = {}

    def auc(name, baseline, protocol):
        if name not in prepared:
            network = published(name)
            split = split_edges(network.edges, 0.55, "upstream", seed=1)
            prepared[name] = (
                baseline_scorers(split.train, network.node_count, network.texts),
                make_protocols(
                    network.edges, split.train, split.test, network.node_count
                ),
            )
        scorers, protocols = prepared[name]
        return 100 * link_prediction(scorers[baseline], protocols[protocol])["auc"]

    return auc


@pytest.mark.parametrize(("name", "baseline", "protocol", "figure"), FIGURES)
def test_a_figure_is_what_was_measured_before(
    measured, name, baseline, protocol, figure
):
    assert measured(name, baseline, protocol) == pytest.approx(figure, abs=1)


@pytest.mark.parametrize("baseline", BASELINES[2:])
def test_structure_alone_is_better_than_chance_and_worse_than_text(measured, baseline):
    auc = measured("cora", baseline, "strict")
    assert 60 < auc < measured("cora", "tfidf", "strict")


def test_tfidf_scores_are_cosines():
    scores = baseline_scorers(TRAIN, len(TEXTS), TEXTS)["tfidf"](ALL)
    assert np.diag(scores) == pytest.approx([1, 1, 1, 0, 1])


def test_case_does_not_count():
    assert (tfidf_vectors(["Red sea"] * 2) != tfidf_vectors(["red SEA"] * 2)).nnz == 0


@pytest.mark.parametrize("texts", [["", ""], ["red", "blue"], ["red"]])
def test_texts_that_share_no_word_have_zero_vectors(texts):
    assert tfidf_vectors(texts).count_nonzero() == 0


def test_one_hop_adds_the_normalised_mean_and_normalises():
    own = tfidf_vectors(TEXTS)
    hop = one_hop_vectors(own, training_neighbours(TRAIN, len(TEXTS))).toarray()
    own = own.toarray()
    mean = (own[0] + own[2]) / 2
    expected = own[1] + mean / np.linalg.norm(mean)
    assert hop[1] == pytest.approx(expected / np.linalg.norm(expected))


def test_a_node_without_neighbours_keeps_its_vector():
    own = tfidf_vectors(TEXTS)
    hop = one_hop_vectors(own, training_neighbours(TRAIN, len(TEXTS)))
    assert hop.toarray()[4] == pytest.approx(own.toarray()[4])


def test_common_neighbours_are_counted_once_and_without_self_loops():
    scores = baseline_scorers(TRAIN, len(TEXTS), TEXTS)["common_neighbours"](ALL)
    assert scores.tolist() == [
        [1, 0, 1, 0, 0],
        [0, 2, 0, 0, 0],
        [1, 0, 1, 0, 0],
        [0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0],
    ]


def test_preferential_attachment_is_the_product_of_degrees():
    scores = baseline_scorers(TRAIN, len(TEXTS), TEXTS)["preferential_attachment"](ALL)
    assert scores.tolist() == np.outer([1, 2, 1, 0, 0], [1, 2, 1, 0, 0]).tolist()


def test_without_texts_there_are_the_baselines_of_structure():
    scorers = baseline_scorers(TRAIN, len(TEXTS))
    assert tuple(scorers) == BASELINES[2:]
    known = baseline_scorers(TRAIN, len(TEXTS), TEXTS)
    assert tuple(known) == BASELINES
    for name in scorers:
        assert scorers[name](ALL).tolist() == known[name](ALL).tolist()
