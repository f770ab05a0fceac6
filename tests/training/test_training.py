"""Runs that are killed, resumed, repeated and spoiled, as a user would do it."""

import json
import signal
import time

import numpy as np
import pytest

from cane_gane.data.vectors import read_embeddings
from tests.launch import finish, start
from tests.word2vec import read_word2vec


def history(folder):
    return (folder / "history.csv").read_text().splitlines()


def test_the_folder_holds_what_its_readme_lists(finished):
    folder, _, _ = finished
    listed = [
        line.split()[0].rstrip("/")
        for line in (folder / "README.txt").read_text().splitlines()[2:]
        if line and not line.startswith(" ")
    ]
    present = {p.name for p in folder.iterdir()} - {"README.txt", ".lock"}
    # Those two are of a grid, and of a network from Python.
    assert set(listed) - {"log.txt", "network"} == present


def test_it_ends_with_a_table_and_the_report(finished):
    folder, out, _ = finished
    assert out.splitlines()[-1] == str(folder / "report.html")
    assert "model, pair by pair" in out


def test_progress_tells_epoch_loss_validation_and_time_left(finished):
    lines = [line for line in finished[2].splitlines() if line.startswith("epoch")]
    assert len(lines) == 6
    assert all("loss" in line and "validation AUC" in line for line in lines)
    assert "left" in lines[0]


def test_a_network_with_topics_is_learned(finished):
    metrics = json.loads((finished[0] / "metrics.json").read_text())
    assert metrics["link_prediction"]["strict"]["auc"] > 0.7
    assert metrics["node_classification"]["0.5"]["micro_f1"] > 0.8


def test_the_record_is_complete(finished):
    record = json.loads((finished[0] / "config.json").read_text())
    assert record["settings"]["learning_rate"] == 0.01
    assert set(record["data"]) == {"data.txt", "graph.txt", "group.txt"}
    assert record["versions"]["tensorflow"]
    assert "0.6 wane" in record["command"]


def test_the_embeddings_agree_with_each_other(finished):
    folder, _, _ = finished
    both = read_embeddings(folder / "embed.txt")
    halves = [read_embeddings(folder / f"embed_{h}.txt") for h in ("structure", "text")]
    np.testing.assert_array_equal(both, np.concatenate(halves, 1))
    names, vectors = read_word2vec(folder / "embeddings.word2vec")
    assert len(names) == len(both)  # walks give every node a vector,
    trained = ~np.isnan(both[:, 0])  # embed.txt has those with a training edge
    edges = np.loadtxt(folder / "graph.txt", dtype=int)
    np.testing.assert_array_equal(np.unique(edges), np.flatnonzero(trained))
    order = np.argsort([int(name) for name in names])
    np.testing.assert_allclose(vectors[order][trained], both[trained], rtol=1e-6)


def test_a_finished_run_is_not_trained_again(finished, topics):
    folder, out, _ = finished
    code, again, err = finish(start(topics, folder.parent))
    assert (code, again) == (0, out)
    assert "is finished" in err


def test_other_settings_do_not_go_into_the_same_folder(finished, topics):
    code, _, err = finish(start(topics, finished[0].parent, "--negatives=2"))
    assert code == 2
    assert "found a run with negatives 1 (now 2)" in err


@pytest.mark.slow
def test_a_run_killed_at_any_moment_ends_as_if_undisturbed(finished, topics, tmp_path):
    folder = tmp_path / "topics-0.6-wane-seed1"
    generator = np.random.default_rng()
    kills = 0
    for epoch in (0, 2, 4):
        process = start(topics, tmp_path)
        # Wait until the epoch is kept, then a random moment longer.
        while process.poll() is None and not (
            epoch == 0
            or ((folder / "history.csv").exists() and len(history(folder)) > epoch)
        ):
            time.sleep(0.02)
        time.sleep(generator.uniform(0, 8 if epoch == 0 else 0.5))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        kills += process.returncode == -signal.SIGKILL
    code, _, err = finish(start(topics, tmp_path))
    assert code == 0, err
    assert kills >= 1
    for name in ("embed.txt", "embeddings.word2vec", "graph.txt"):
        assert (folder / name).read_bytes() == (finished[0] / name).read_bytes(), name
    losses = [
        [line.split(",")[:3] for line in history(f)] for f in (folder, finished[0])
    ]
    assert losses[0] == losses[1]
    strays = [p.name for p in folder.rglob(".*") if p.name != ".lock"]
    assert len(strays) <= kills  # a kill may leave the file that was being written


@pytest.mark.slow
def test_a_diverging_run_stops_with_code_3(topics, tmp_path):
    code, _, err = finish(start(topics, tmp_path, "--learning_rate=1000"))
    assert code == 3
    assert "try a lower --learning_rate" in err
    assert "Traceback" not in err
