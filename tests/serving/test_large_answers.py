"""Answers with the evidence of a large network, here of a small one taken for large."""

import json
import subprocess
import sys

import numpy as np
import pytest

from cane_gane.evidence import fit
from cane_gane.evidence.large import LargeEvidence, LargeTexts
from cane_gane.runs.answering import answers_of
from cane_gane.serving import text_answers
from tests.serving.runs import small_model

TEXT = "topic1word3 topic1word5 topic1word7"
PAIRS = [(0, 7), (4, 12), (59, 0)]

SCRIPT = """
import json, sys
import tensorflow as tf
assert "cane_gane" not in sys.modules
model = tf.saved_model.load(sys.argv[1])
source, target = (tf.constant(side, tf.int64) for side in json.loads(sys.argv[2]))
scores = model.signatures["score_nodes"](source=source, target=target)["score"]
found = model.signatures["explain_evidence"](source=source, target=target)
rows = model.signatures["evidence"](nodes=source)["evidence"]
own = {"scores": scores, "parts": found["parts"], "rows": rows}
print(json.dumps({key: value.numpy().tolist() for key, value in own.items()}))
"""


@pytest.fixture(scope="module")
def patch():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fit, "WHOLE", 20)
        patch.setattr(text_answers, "WHOLE", 20)
        yield patch


@pytest.fixture(scope="module")
def model(patch, tmp_path_factory):
    return small_model(tmp_path_factory.mktemp("large"))


@pytest.fixture(scope="module")
def answers(model):
    return answers_of(model.split, model._fitted, 1)


@pytest.fixture(scope="module")
def evidence(model):
    """The evidence of the same network, by numpy."""
    texts = LargeTexts.fit(model.network.texts, model.config.seed)
    edges = np.array(model._fitted.weights.get("edges", model.split.train))
    return LargeEvidence.fit(texts, edges, model.config.seed)


def joined(model, node):
    train = model.split.train
    return {node, *train[train[:, 0] == node, 1], *train[train[:, 1] == node, 0]}


def total(parts):
    return sum(part.value for part in parts)


def test_the_evidence_of_pairs_is_that_of_numpy(model, answers, evidence):
    functions = answers._evidence.functions
    for source, target in PAIRS:
        rows = functions.parts(evidence.features(np.array([source]), functions.names))
        mine = answers._evidence.of_pairs(np.array([[source, target]]))
        for name, own in rows.items():
            assert mine[name][0] == pytest.approx(own[0, target], abs=5e-3), name


def test_suggestions_are_the_best_of_all_nodes_that_are_no_neighbours(model, answers):
    others = [n for n in range(60) if n not in joined(model, 17)]
    scores = model.score([(17, other) for other in others])
    best = np.array(others)[np.argsort(-scores)[:5]]
    assert [own.node.id for own in answers.recommend(17, top=5)] == best.tolist()


def test_the_parts_add_up_to_the_score(answers):
    found = answers.recommend(4) + answers.search(TEXT)
    for own in found + answers.recommend(text=TEXT, links=[1, 2]):
        assert total(own.parts) == pytest.approx(own.score, abs=5e-3)


def test_probabilities_are_shares(answers):
    found = [own.probability for own in answers.recommend(4)]
    assert found == sorted(found, reverse=True)
    assert 0 < found[0] < 1


def test_a_new_node_is_placed_beside_a_known_one_of_the_same_text_and_edges(
    model, answers, evidence
):
    node = int(np.argmax(answers.degrees))
    links = sorted(joined(model, node) - {node})
    new = answers._new(model.network.texts[node], links)
    names = answers._evidence.functions.names
    own = evidence.features(np.array([node]), names)
    theirs = answers._evidence.functions.parts(values[0] for values in own)
    others = np.setdiff1d(np.arange(60), [*links, node])
    mine, known = (
        np.sum(list(parts.values()), axis=0)[others] for parts in (new.evidence, theirs)
    )
    assert np.corrcoef(mine, known)[0, 1] > 0.9


def test_no_words_and_no_links_are_answered(answers):
    for own in answers.recommend(text="", top=3) + answers.recommend(text="?", top=3):
        assert np.isfinite(own.score)


@pytest.mark.slow
def test_a_fresh_process_scores_alike(model, answers, tmp_path):
    model._fitted.save(tmp_path / "saved_model")
    sides = json.dumps([list(side) for side in zip(*PAIRS, strict=True)])
    command = [sys.executable, "-c", SCRIPT, str(tmp_path / "saved_model"), sides]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    np.testing.assert_allclose(found["scores"], model.score(PAIRS), rtol=1e-4)
    parts = np.sum(found["parts"], axis=1)
    rows = [row[target] for row, (_, target) in zip(found["rows"], PAIRS, strict=True)]
    np.testing.assert_allclose(parts, rows, atol=5e-3)
