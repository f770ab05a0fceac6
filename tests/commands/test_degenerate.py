"""Networks with next to nothing in them: recognised before training, or trained."""

import itertools
import re

import pytest

from cane_gane.__main__ import main
from tests.docs.pages import tries_of
from tests.launch import refused

LOOPS = [(n, n) for n in range(8)]
PATH = [(n, n + 1) for n in range(11)]
NETWORKS = {
    "one node": (1, []),
    "one node that links to itself": (1, [(0, 0)]),
    "two nodes": (2, [(0, 1)]),
    "no edge": (5, []),
    "self-loops": (8, LOOPS),
    "one edge again and again": (5, [(0, 1)] * 9),
    "star": (20, [(0, n) for n in range(1, 20)]),
    "clique": (6, list(itertools.combinations(range(6), 2))),
    "pairs": (20, [(n, n + 1) for n in range(0, 20, 2)]),
    "no text": (12, PATH),
    "one text": (12, PATH),
}
TEXTS = {"no text": "", "one text": "red fox"}
# What is wrong with them, at ratio 0.5 by the strict rule; the others are trained.
REFUSED = {
    "one node": r"graph\.txt: found no edge; expected two node ids on each line",
    "no edge": r"graph\.txt: found no edge; expected two node ids on each line",
    "one node that links to itself": "the network has 0 pairs of joined nodes",
    "two nodes": "the network has 1 pairs of joined nodes, and needs two",
    "self-loops": "the network has 0 pairs of joined nodes, and needs two",
    "one edge again and again": "the network has 1 pairs of joined nodes",
}
# Protocols without an edge to score.
EMPTY = {"star": 2, "clique": 1, "pairs": 1, "no text": 0, "one text": 0}
SMALL = {
    "deepwalk": ["--dimension=4", "--walks=2"],
    "mmb": ["--groups=2", "--sweeps=2"],
    "ap": ["--dimension=4", "--epochs=1"],
}
NEURAL = ("star", "no text")  # what an `ap` is trained on: it takes its time
TRAINED = [
    (name, method)
    for name, method in itertools.product(EMPTY, SMALL)
    if method != "ap" or name in NEURAL
]
WITHOUT_NEGATIVES = ("one node that links to itself", "two nodes")


def write(name, folder):
    count, edges = NETWORKS[name]
    folder.mkdir()
    texts = [TEXTS.get(name, f"word{n} red fox{n % 3}") for n in range(count)]
    (folder / "data.txt").write_text("".join(f"{text}\n" for text in texts))
    (folder / "graph.txt").write_text("".join(f"{a} {b}\n" for a, b in edges))
    return folder


def test_every_network_is_accounted_for():
    assert {*REFUSED, *EMPTY} == {*NETWORKS}
    ((what, count),) = tries_of("tests/commands/test_degenerate.py").items()
    assert what.startswith(f"{len(NETWORKS)} degenerate networks")
    assert count == len(REFUSED) * len(SMALL) + len(TRAINED) + len(WITHOUT_NEGATIVES)


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("method", SMALL)
def test_what_cannot_be_split_is_refused(name, method, tmp_path, capsys):
    folder = write(name, tmp_path / "network")
    words = [folder, "0.5", method, *SMALL[method], "--split=strict"]
    assert re.search(
        REFUSED[name], refused(capsys, *words, f"--runs_dir={tmp_path / 'runs'}")
    )
    assert not list((tmp_path / "runs").glob("*"))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "method"), TRAINED)
def test_what_cannot_be_scored_is_said_before_training(name, method, tmp_path, capfd):
    folder = write(name, tmp_path / "network")
    words = [folder, "0.5", method, *SMALL[method], "--split=strict"]
    assert main([*map(str, words), f"--runs_dir={tmp_path / 'runs'}"]) == 0
    said = capfd.readouterr().err
    before = said.split("exporting")[0]
    assert before.count("nothing to score in ") == EMPTY[name]
    assert "exporting" in said
    (run,) = (tmp_path / "runs").glob("network*")
    assert (run / "report.html").is_file()


@pytest.mark.parametrize("name", WITHOUT_NEGATIVES)
def test_a_network_without_negatives_is_refused_and_leaves_nothing(
    name, tmp_path, capfd
):
    folder = write(name, tmp_path / "network")
    words = [folder, "all", "ap", *SMALL["ap"], f"--runs_dir={tmp_path / 'runs'}"]
    assert main([*map(str, words)]) == 2
    last = capfd.readouterr().err.splitlines()[-1]
    assert "found no admissible negative for edge 0" in last
    assert not list((tmp_path / "runs").glob("network*"))
