"""Baselines: their figures on the published data sets, and small cases by hand."""

import numpy as np
import pytest

from cane_gane.data.network import TextualNetwork
from cane_gane.data.splits import Split
from cane_gane.evaluation.evaluate import exact_figures
from cane_gane.evaluation.protocols import PROTOCOLS
from cane_gane.methods.baselines import BASELINES, Baseline, fit_baselines

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
TEST = np.array([[0, 2], [4, 3]])
ALL = np.arange(len(TEXTS))
STRUCTURE = ("common_neighbours", "preferential_attachment")


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
            contests = {key: own.contest(split) for key, own in PROTOCOLS.items()}
            prepared[name] = fit_baselines(split), contests
        fitted, contests = prepared[name]
        found = exact_figures(
            fitted[baseline], PROTOCOLS[protocol], contests[protocol], seed=1
        )
        return 100 * found.auc

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


@pytest.mark.parametrize("baseline", BASELINES)
def test_no_test_edge_is_looked_at(baseline):
    known, unknown = split_of(TEXTS), split_of(TEXTS, test=TEST[:0])
    assert rows(baseline, known).tolist() == rows(baseline, unknown).tolist()


@pytest.mark.parametrize("texts", [[""] * 5, ["  "] * 5])
def test_without_texts_there_are_the_baselines_of_structure(texts):
    fitted, known = fit_baselines(split_of(texts)), fit_baselines(split_of(TEXTS))
    assert tuple(fitted) == STRUCTURE
    assert tuple(known) == tuple(BASELINES)
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
