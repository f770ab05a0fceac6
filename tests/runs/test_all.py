"""Training on all edges: nothing to evaluate on, and a page that says so."""

import json

import pytest

from cane_gane.__main__ import main
from cane_gane.runs.folder import RunFolder
from tests.launch import FLAGS, refused
from tests.networks import write_topics

QUICK = [*FLAGS, "--epochs=1", "--validation=0"]


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A run on all edges, and the one that checks it."""
    folder = tmp_path_factory.mktemp("all")
    network = write_topics(folder / "mine")
    words = [str(network), "all", "wane", *QUICK, f"--runs_dir={folder}", "--check"]
    assert main(words) == 0
    return folder


@pytest.mark.slow
def test_no_edge_is_left_for_testing(runs):
    folder = runs / "mine-all-wane-seed1"
    edges = (runs / "mine/graph.txt").read_text().splitlines()
    assert len((folder / "graph.txt").read_text().splitlines()) == len(edges)
    assert (folder / "test_graph.txt").read_text() == ""


@pytest.mark.slow
def test_the_page_says_that_nothing_was_evaluated_and_shows_the_check(runs):
    page = (runs / "mine-all-wane-seed1/report.html").read_text()
    assert "Not evaluated: all edges were used for training" in page
    assert "mine-0.9-wane-seed1" in page
    metrics = json.loads((runs / "mine-all-wane-seed1/metrics.json").read_text())
    assert metrics["evaluated"] is False
    assert metrics["link_prediction"] == {}
    theirs = json.loads((runs / "mine-0.9-wane-seed1/metrics.json").read_text())
    assert metrics["check"]["link_prediction"] == theirs["link_prediction"]


@pytest.mark.slow
def test_it_is_not_compared_with_evaluated_runs(runs, capsys):
    both = [runs / f"mine-{ratio}-wane-seed1" for ratio in ("all", "0.9")]
    assert "expected one with test edges" in refused(capsys, "report", *both)


@pytest.mark.slow
def test_the_folder_has_card_and_versioned_model(runs):
    folder = runs / "mine-all-wane-seed1"
    assert RunFolder(folder).finished
    for name in ("serving/1/saved_model.pb", "answers/index.voyager"):
        assert (folder / name).is_file()
    card = (folder / "README.md").read_text()
    assert card.startswith("---\nlicense:")
    assert "results: []" in card
    other = (runs / "mine-0.9-wane-seed1/README.md").read_text()
    assert "type: auc" in other


def test_check_goes_with_all_alone(capsys, tmp_path):
    network = write_topics(tmp_path / "mine")
    line = refused(capsys, network, "0.5", "wane", "--check")
    assert "expected it with all" in line
