"""Node classification: separable cases, several labels, and small training sets."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis.extra import numpy as arrays
from sklearn.decomposition import TruncatedSVD
from sklearn.metrics import f1_score

from cane_gane.data.tfidf import tfidf_vectors
from cane_gane.errors import InputError
from cane_gane.evaluation.classification import can_classify, classify_nodes, f1_scores
from cane_gane.evaluation.results import to_json

RNG = np.random.default_rng(0)
DIRECTIONS = 5 * np.eye(6)
KINDS = np.arange(240) % 3
NEAR = RNG.normal(size=(240, 6), scale=0.3)
MARKS = arrays.arrays(np.bool_, (6, 3))


def single():
    """Three separable clouds, one label each."""
    return DIRECTIONS[KINDS] + NEAR, [("abc"[kind],) for kind in KINDS]


def several():
    """Clouds at sums of directions; a node has a label for each direction."""
    marks = np.array([[1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 1, 1]])[np.arange(240) % 4]
    labels = [tuple(np.array(list("abc"))[row == 1]) for row in marks]
    return marks @ DIRECTIONS[:3] + NEAR, labels


@pytest.mark.parametrize("case", [single, several])
def test_a_separable_case_is_solved(case):
    report = classify_nodes(*case(), ratios=[0.5])["0.5"]
    assert (report.macro_f1, report.micro_f1) == (1, 1)


def test_vectors_that_know_nothing_are_near_chance():
    report = classify_nodes(NEAR, single()[1], ratios=[0.5])["0.5"]
    assert report.micro_f1 == pytest.approx(1 / 3, abs=0.1)


def test_nodes_without_a_label_are_left_out_and_counted():
    vectors, labels = single()
    vectors = np.concatenate([vectors, 9 * NEAR[:7]])
    report = classify_nodes(vectors, labels + [()] * 7, ratios=[0.3])["0.3"]
    assert (report.train, report.test, report.unlabelled) == (72, 168, 7)


def test_a_node_without_a_vector_is_kept():
    vectors, labels = single()
    vectors[0] = np.nan
    report = classify_nodes(vectors, labels, ratios=[0.5], draws=2)["0.5"]
    assert report.train + report.test == 240


def test_a_label_that_no_training_node_has_is_never_predicted():
    vectors, labels = single()
    labels[0] = ("rare",)
    report = classify_nodes(vectors, labels, ratios=[0.1], draws=4)["0.1"]
    assert report.macro_f1 < 1 < report.macro_f1 + 0.3


def test_a_single_training_node_is_enough_to_run():
    report = classify_nodes(np.eye(3), [("a",), ("b",), ("a",)], ratios=[0.1])
    assert report["0.1"].train == 1


def test_the_seed_decides():
    vectors, labels = NEAR, single()[1]
    first, again, other = (
        classify_nodes(vectors, labels, [0.3], draws=2, seed=seed) for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other


def test_a_ratio_alone_gives_the_figures_it_has_among_others():
    vectors, labels = NEAR, single()[1]
    alone = classify_nodes(vectors, labels, [0.3], draws=2)
    assert classify_nodes(vectors, labels, [0.1, 0.3], draws=2)["0.3"] == alone["0.3"]


def test_the_report_has_its_keys_and_is_ready_for_json():
    report = json.loads(json.dumps(to_json(classify_nodes(*single(), draws=2))))
    keys = ["macro_f1", "micro_f1", "std", "train", "test", "unlabelled"]
    found = {ratio: list(own) for ratio, own in report.items()}
    assert found == dict.fromkeys(["0.1", "0.3", "0.5", "0.7"], keys)


def test_the_text_of_a_published_data_set_tells_its_labels(published):
    network = published("cora")
    vectors = TruncatedSVD(50, random_state=0).fit_transform(
        tfidf_vectors(network.texts)
    )
    report = classify_nodes(vectors, network.labels, ratios=[0.3], draws=3)["0.3"]
    assert report.unlabelled == 66
    assert 0.7 < report.macro_f1 < 0.85


@settings(deadline=None)
@given(MARKS, MARKS)
def test_f1_scores_are_scikit_learns(truth, predicted):
    truth[0, 0] = True
    expected = [
        f1_score(truth, predicted, average=average, zero_division=np.nan)
        for average in ("macro", "micro")
    ]
    assert f1_scores(truth, predicted) == pytest.approx(expected)


def test_labels_of_other_nodes_are_refused():
    with pytest.raises(InputError, match="found the labels of 2 nodes; expected 3"):
        classify_nodes(np.eye(3), [("a",), ("b",)])


@pytest.mark.parametrize("labels", [[("a",), ("a",)], [("a", "b"), ()]])
def test_too_few_labels_are_refused(labels):
    with pytest.raises(InputError, match="expected at least two of each"):
        classify_nodes(np.eye(2), labels)


@pytest.mark.parametrize(
    ("labels", "enough"),
    [
        (None, False),
        ([], False),
        ([("a",), ()], False),
        ([("a",), ("a",)], False),
        ([("a", "b"), ()], False),
        ([("a",), ("b",), ()], True),
    ],
)
def test_it_takes_two_nodes_and_two_labels(labels, enough):
    assert can_classify(labels) == enough


def test_of_many_labelled_nodes_some_are_drawn(monkeypatch):
    vectors, labels = single()
    labels = [*labels[:-5], *[()] * 5]
    monkeypatch.setattr("cane_gane.evaluation.classification.MOST", 60)
    report = classify_nodes(vectors, labels, ratios=[0.5])["0.5"]
    assert (report.train, report.test, report.unlabelled) == (30, 30, 5)
    assert report.sampled == 60
    assert report.macro_f1 == 1


def test_a_label_that_was_not_drawn_is_not_asked_for(monkeypatch):
    vectors, labels = single()
    labels[0] = ("rare",)
    monkeypatch.setattr("cane_gane.evaluation.classification.MOST", 60)
    drawn = np.random.default_rng(1).permutation(240)[:60]
    assert 0 not in drawn
    alone = [labels[node] for node in np.sort(drawn)]
    expected = classify_nodes(vectors[np.sort(drawn)], alone, [0.3])["0.3"]
    found = classify_nodes(vectors, labels, [0.3])["0.3"]
    assert (found.macro_f1, found.micro_f1) == (expected.macro_f1, expected.micro_f1)
