"""The front door for Python: fit, score, evaluate, save, open, without a command."""

import json
import shutil
import subprocess
import sys

import numpy as np
import pytest

import cane_gane
from cane_gane.__main__ import main
from cane_gane.errors import InputError
from tests.conftest import ROOT

SMALL = {"dimension": 8, "epochs": 2, "batch_size": 8, "device": "cpu"}


@pytest.fixture(scope="module")
def model(topics):
    """A small model; change nothing."""
    return cane_gane.fit(cane_gane.load(topics).split(0.6, seed=1), "wane", **SMALL)


@pytest.fixture(scope="module")
def saved(model, tmp_path_factory):
    path = tmp_path_factory.mktemp("runs") / "mine"
    model.save(path)
    return path


@pytest.mark.slow
def test_the_table_is_that_of_the_command(topics, tmp_path):
    """A fresh process of the command, with the same settings and seed."""
    command = [
        sys.executable, "-m", "cane_gane", str(topics), "0.6", "wane",
        "--dimension=8", "--epochs=2", "--batch_size=8", "--device=cpu",
        f"--runs_dir={tmp_path}",
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    code = (
        "import cane_gane\n"
        f"split = cane_gane.load({str(topics)!r}).split(0.6, seed=1)\n"
        f"print(cane_gane.fit(split, 'wane', **{SMALL!r}).evaluate())\n"
    )
    own = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT
    )
    assert own.stdout.strip() == done.stdout.rpartition("\n\n")[0], own.stderr


def test_a_score_does_not_depend_on_its_batch(model):
    pairs = [(0, 5), (3, 7), (5, 0)]
    alone = np.concatenate([model.score([pair]) for pair in pairs])
    np.testing.assert_allclose(model.score(pairs), alone, rtol=1e-5)


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([(0, 60)], "found node 60; expected 0 to 59"),
        ([(-1, 3)], "found node -1; expected 0 to 59"),
        ([("fox", 3)], "found node 'fox'; expected a name"),
        ([(0, 1, 2), (3, 4, 5)], r"found pairs \[2, 3\]; expected \[pairs, 2\]"),
    ],
)
def test_pairs_of_other_nodes_are_refused(model, pairs, message):
    with pytest.raises(InputError, match=message):
        model.score(pairs)


@pytest.mark.slow
def test_nodes_may_be_named(model):
    texts, edges = model.network.texts, model.network.edges
    names = [f"n{node}" for node in range(len(texts))]
    named = cane_gane.TextualNetwork(texts, edges, names=names)
    other = cane_gane.fit(named.split(0.6, seed=1), "wane", **SMALL)
    assert other.score([("n0", "n5")]) == other.score([(0, 5)])
    np.testing.assert_allclose(other.score([(0, 5)]), model.score([(0, 5)]), rtol=1e-5)


def test_the_evaluation_shows_itself_in_a_notebook(model):
    shown = model.evaluate()._repr_html_()
    assert shown.startswith("<table>")
    assert f"{100 * model.evaluate().link_prediction['strict'].auc:.1f}" in shown


def test_a_model_of_all_edges_has_nothing_to_evaluate(topics):
    whole = cane_gane.fit(cane_gane.load(topics), "wane", **{**SMALL, "epochs": 1})
    assert len(whole.split.train) == len(whole.network.edges)
    with pytest.raises(InputError, match="found no test edge"):
        whole.evaluate()


def test_a_saved_model_opens_with_the_same_scores_vectors_and_figures(model, saved):
    again = cane_gane.open(saved)
    pairs = model.split.test[:20]
    np.testing.assert_allclose(again.score(pairs), model.score(pairs), rtol=1e-5)
    np.testing.assert_allclose(again.vectors, model.vectors, rtol=1e-4, atol=1e-5)
    kept = json.loads((saved / "metrics.json").read_text())
    strict = again.evaluate().link_prediction["strict"].auc
    assert kept["link_prediction"]["strict"]["auc"] == pytest.approx(strict)


def test_no_pair_has_no_score(model):
    assert model.score([]).shape == (0,)


def test_a_saved_model_has_the_history_of_its_training(model, saved):
    lines = (saved / "history.csv").read_text().splitlines()
    assert len(lines) == 1 + len(model.history) == 3
    assert (saved / "figures" / "training.svg").is_file()


@pytest.mark.slow
def test_a_saved_model_is_a_run_that_commands_take(saved, capsys):
    assert main(["evaluate", str(saved)]) == 0
    assert main(["report", str(saved)]) == 0
    assert (saved / "report.html").is_file()


@pytest.mark.slow
def test_a_network_from_python_goes_along(tmp_path):
    rng = np.random.default_rng(0)
    texts = [f"red word{i % 7} blue word{i % 5}\nsea" for i in range(30)]
    edges = np.unique(rng.integers(30, size=(80, 2)), axis=0)
    network = cane_gane.TextualNetwork(texts, edges)
    split = network.split(0.6, "strict", seed=1)
    model = cane_gane.fit(split, "wane", **{**SMALL, "epochs": 1})
    model.save(tmp_path / "mine")
    moved = (tmp_path / "mine").rename(tmp_path / "elsewhere")
    again = cane_gane.open(moved)
    pairs = [(0, 1), (4, 9)]
    np.testing.assert_allclose(again.score(pairs), model.score(pairs), rtol=1e-5)


def test_a_run_is_not_replaced(model, saved):
    with pytest.raises(InputError, match="found a run there; expected a new folder"):
        model.save(saved)


def test_a_split_that_was_changed_is_refused(saved, tmp_path):
    copied = shutil.copytree(saved, tmp_path / "run")
    with open(copied / "graph.txt", "a") as file:
        file.write("0\t1\n")
    with pytest.raises(InputError, match=r"graph.txt: found content .* which the run"):
        cane_gane.open(copied)


def test_an_unknown_setting_is_refused_with_the_nearest(topics):
    with pytest.raises(InputError, match="did you mean 'epochs'"):
        cane_gane.fit(cane_gane.load(topics), "wane", epoch=3)


def test_the_record_has_the_seeds_of_split_and_training(topics, tmp_path):
    split = cane_gane.load(topics).split(0.6, seed=3)
    model = cane_gane.fit(split, "wane", **{**SMALL, "epochs": 1})
    assert model.config.seed == 3
    other = cane_gane.fit(split, "wane", seed=5, **{**SMALL, "epochs": 1})
    other.save(tmp_path / "other")
    again = cane_gane.open(tmp_path / "other")
    assert (again.config.seed, again.split.seed) == (5, 3)
    assert (again.split.train == split.train).all()


def test_answers_print_as_tables(model):
    assert "score" in str(model.recommend(0, top=3))
    assert len(model.recommend(0, top=3)) == 3
    assert "topic" in str(model.search(model.network.texts[0], top=2))
    assert "parts of the score" in str(model.explain(0, 5))
    for own in (model, model.recommend(0), model.explain(0, 5)):
        assert own._repr_html_().startswith("<table>")


def test_similar_vectors_are_those_of_the_largest_cosine(model):
    vectors = np.asarray(model.vectors)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    cosines = unit @ unit[4]
    cosines[4] = -1
    best = np.argsort(-cosines)[:3]
    found = model.vectors.most_similar(4, top=3)
    assert [name for name, _ in found] == [f"node {node}" for node in best]
    np.testing.assert_allclose([own for _, own in found], cosines[best], rtol=1e-5)


def test_vectors_are_an_array(model):
    vectors = model.vectors
    assert isinstance(vectors, np.ndarray)
    np.testing.assert_array_equal(vectors + 1, np.asarray(vectors) + 1)
    with pytest.raises(InputError, match="expected all of them"):
        vectors[:5].most_similar(0)
    with pytest.raises(InputError, match="expected a name or an id"):
        vectors.most_similar("nobody")


def weighted(topics, weight):
    """The network of topics with weights by a function of its edges."""
    plain = cane_gane.load(topics)
    weights = weight(plain.edges)
    return cane_gane.TextualNetwork(
        plain.texts, plain.edges, plain.labels, lines=plain.lines, weights=weights
    )


def test_weights_of_one_change_no_bit(topics, model):
    network = weighted(topics, lambda edges: np.ones(len(edges)))
    twin = cane_gane.fit(network.split(0.6, seed=1), "wane", **SMALL)
    assert twin.vectors.tobytes() == model.vectors.tobytes()
    losses = [[row["loss"] for row in own.history] for own in (twin, model)]
    assert losses[0] == losses[1]


def test_weights_change_what_is_learned(topics, model):
    network = weighted(topics, lambda edges: 1 + edges[:, 0] % 2)
    other = cane_gane.fit(network.split(0.6, seed=1), "wane", **SMALL)
    assert np.abs(np.asarray(other.vectors - model.vectors)).max() > 1e-3
    assert other.history[0]["loss"] > 1.2 * model.history[0]["loss"]


def test_a_saved_network_keeps_its_weights(topics, tmp_path):
    network = weighted(topics, lambda edges: 1 + edges[:, 0] / 3)
    small = {**SMALL, "epochs": 1}
    cane_gane.fit(network, "wane", **small).save(tmp_path / "run")
    again = cane_gane.open(tmp_path / "run", device="cpu").network
    np.testing.assert_array_equal(again.weights, network.weights)


def test_upstreams_preset_refuses_weights(topics):
    network = weighted(topics, lambda edges: np.ones(len(edges)))
    with pytest.raises(InputError, match=r"found weights in graph\.txt; expected two"):
        cane_gane.fit(network, "cane", preset="upstream", device="cpu")
