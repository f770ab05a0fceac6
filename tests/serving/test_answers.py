"""Answers of a small model, beside searches through all nodes and texts."""

import numpy as np
import pytest

from cane_gane.errors import InputError
from cane_gane.evidence.features import FEATURES
from cane_gane.evidence.quantities import LARGE_FEATURES
from cane_gane.runs.answering import answers_of
from cane_gane.serving import trust
from cane_gane.serving.parts import GROUPS
from cane_gane.serving.table import VectorTable
from cane_gane.serving.trust import first_stage, reliability
from tests.serving.runs import small_model

TEXT = "topic1word3 topic1word5 topic1word7"


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return small_model(tmp_path_factory.mktemp("answers"))


@pytest.fixture(scope="module")
def answers(model):
    return model.answers


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """A model without evidence."""
    return small_model(tmp_path_factory.mktemp("plain"), evidence="none").answers


@pytest.fixture(scope="module")
def table(model):
    """A method that leaves vectors alone."""
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(model.network.node_count, 4))
    vectors[3] = np.nan
    return answers_of(model.split, VectorTable(vectors), 1), np.nan_to_num(vectors)


def joined(model, node):
    train = model.split.train
    return {node, *train[train[:, 0] == node, 1], *train[train[:, 1] == node, 0]}


def total(parts):
    return sum(part.value for part in parts)


@pytest.mark.parametrize("node", [0, 17, 59])
def test_suggestions_are_the_best_of_all_nodes_that_are_no_neighbours(
    model, answers, node
):
    others = [n for n in range(60) if n not in joined(model, node)]
    scores = model.score([(node, other) for other in others])
    best = np.array(others)[np.argsort(-scores)[:5]]
    found = answers.recommend(node, top=5)
    assert [own.node.id for own in found] == best.tolist()
    np.testing.assert_allclose(
        [own.score for own in found], np.sort(scores)[::-1][:5], rtol=1e-5
    )


@pytest.mark.parametrize("kind", ["answers", "plain"])
def test_the_parts_add_up_to_the_score(kind, request):
    found = request.getfixturevalue(kind).recommend(4)
    found += request.getfixturevalue(kind).search(TEXT)
    found += request.getfixturevalue(kind).recommend(text=TEXT, links=[1, 2])
    for own in found:
        assert total(own.parts) == pytest.approx(own.score, abs=2e-3)


def test_every_feature_is_in_one_part():
    members = [name for _, names in GROUPS.values() for name in names]
    assert sorted(members) == sorted({*FEATURES, *LARGE_FEATURES})


def test_probabilities_fall_with_the_score_and_add_up_to_few_edges(model, answers):
    found = answers.recommend(0, top=60)
    chances = [own.probability for own in found]
    assert chances == sorted(chances, reverse=True)
    assert 0 < chances[-1] <= chances[0] < 1
    degrees = answers.degrees
    expected = 0.2 * (degrees[0] + degrees.mean()) / 2
    assert sum(chances) == pytest.approx(expected, rel=0.3)


def test_a_model_without_evidence_has_no_probabilities(plain):
    assert {own.probability for own in plain.recommend(0)} == {None}


def test_matched_words_are_of_the_two_texts(model, answers):
    (best,) = answers.recommend(5, top=1)
    texts = model.network.texts
    for pair in best.words:
        assert pair.source in texts[5].split()
        assert pair.target in texts[best.node.id].split()
        assert 0 < pair.weight <= 1


def test_search_puts_texts_in_the_order_of_the_text_score(model, answers):
    texts = model.network.texts
    scores = model.score_texts([TEXT] * 60, texts)
    found = answers.search(TEXT, top=5)
    ids = [own.node.id for own in found]
    assert scores[ids].tolist() == sorted(scores[ids].tolist(), reverse=True)
    assert scores[ids[0]] == pytest.approx(scores.max())


def test_a_whole_text_finds_its_own_node(model, answers):
    texts = model.network.texts
    assert texts[answers.search(texts[9], top=1)[0].node.id] == texts[9]


def test_a_new_node_gets_no_suggestion_of_what_it_is_joined_to(answers):
    found = answers.recommend(text=TEXT, links=[1, 2, 3], top=60)
    assert not {own.node.id for own in found} & {1, 2, 3}
    assert len(found) == 57


def test_a_new_node_is_placed_beside_a_known_one_of_the_same_text_and_edges(
    model, answers
):
    known = answers.vectors
    node = int(np.argmax(answers.degrees))
    links = sorted(joined(model, node) - {node})
    new = answers._new(model.network.texts[node], links)
    mine = new.structure / np.linalg.norm(new.structure)
    theirs = known[:, :8] / np.linalg.norm(known[:, :8], axis=1, keepdims=True)
    cosines = theirs @ mine
    assert cosines[node] > 0.8
    assert (cosines > cosines[node]).mean() < 0.1


def test_a_text_is_embedded_beside_the_nodes(answers):
    found = answers.embed(texts=[TEXT, "nothing known"])
    assert found.shape == (2, 16)
    assert np.isfinite(found).all()
    np.testing.assert_array_equal(answers.embed([3, 5]), answers.vectors[[3, 5]])
    assert answers.embed(texts=[]).shape == (0, 16)


def test_an_explanation_is_of_the_score_of_the_pair(model, answers):
    found = answers.explain("node-a0", 7)
    assert (found.source.id, found.target.id) == (0, 7)
    assert found.score == pytest.approx(float(model.score([(0, 7)])[0]), rel=1e-5)
    assert total(found.parts) == pytest.approx(found.score, abs=2e-3)
    assert found.match.plan.sum() == pytest.approx(1)
    assert found.as_json()["match"]["source_words"] == model.network.texts[0].split()


def test_texts_are_explained_by_their_words(model, answers):
    texts = model.network.texts
    found = answers.explain(TEXT, texts[7])
    assert (found.source.id, found.target.id, found.probability) == (-1, -1, None)
    expected = model.score_texts([TEXT], [texts[7]])[0]
    assert found.score == pytest.approx(float(expected), rel=1e-4)


def test_a_text_and_a_node_are_explained_as_a_new_node(answers):
    found = answers.explain(TEXT, "node-b0")
    (best,) = [own for own in answers.recommend(text=TEXT, top=60) if own.node.id == 1]
    assert found.score == pytest.approx(best.score, abs=1e-4)
    assert found.probability == pytest.approx(best.probability, rel=1e-3)


@pytest.mark.parametrize(
    ("which", "message"),
    [
        ("node-a00", "did you mean 'node-a0'"),
        (60, "expected 0 to 59"),
        (-1, "expected 0 to 59"),
        ("99", "expected 0 to 59"),
    ],
)
def test_an_unknown_node_is_named(answers, which, message):
    with pytest.raises(InputError, match=message):
        answers.node(which)


def test_the_map_has_a_place_for_each_node(answers):
    found = answers.map()
    assert found.shape == (60, 2)
    assert np.isfinite(found).all()


def test_vectors_alone_recommend_by_inner_products(model, table):
    answers, vectors = table
    others = [n for n in range(60) if n not in joined(model, 0) and n != 3]
    best = sorted(others, key=lambda n: -vectors[0] @ vectors[n])[:4]
    assert [own.node.id for own in answers.recommend(0, top=4)] == best
    assert answers.recommend(3) == []


@pytest.mark.parametrize(
    "ask",
    [
        lambda own: own.search(TEXT),
        lambda own: own.recommend(text=TEXT),
        lambda own: own.embed(texts=[TEXT]),
    ],
)
def test_vectors_alone_say_that_they_read_no_text(table, ask):
    with pytest.raises(InputError, match="reads none"):
        ask(table[0])


def test_a_question_is_about_a_node_or_a_text(answers):
    for wrong in ({}, {"node": 1, "text": TEXT}, {"node": 1, "links": [2]}):
        with pytest.raises(InputError):
            answers.recommend(**wrong)


def test_the_first_stage_of_a_small_network_names_all(answers, table):
    assert first_stage(answers, 1).recall == 1
    stage = first_stage(table[0], 1)
    assert 0.9 < stage.recall <= 1


def test_the_first_stage_of_a_large_network_is_beside_more_candidates(
    table, monkeypatch
):
    answers, vectors = table
    monkeypatch.setattr(trust, "BUDGET", 50)
    monkeypatch.setattr(trust, "WIDER", 25)
    monkeypatch.setattr(answers, "candidates", lambda node: answers.strangers(node)[:9])
    found = first_stage(answers, 1)
    assert (found.among, found.sources, found.candidates) == (25, 2, 9)
    named = []
    for node in np.random.default_rng(1).permutation(60)[:2]:
        others = answers.strangers(node)
        scores = np.nan_to_num(vectors[others]) @ np.nan_to_num(vectors[node])
        best = others[np.argsort(-scores, kind="stable")[:10]]
        named.append(np.isin(best, others[:9]).mean())
    assert found.recall == pytest.approx(np.mean(named))


def test_reliability_counts_test_edges_among_candidates(model, answers):
    found = reliability(answers, 1)
    assert sum(own.count for own in found.bins) == found.pairs
    true = sum(own.true * own.count for own in found.bins)
    assert true == pytest.approx(found.edges)
    assert 0 < found.edges <= len(model.split.test)
    assert found.missing == pytest.approx(len(model.split.test) / 180, rel=0.05)
    assert found.error < 0.2
