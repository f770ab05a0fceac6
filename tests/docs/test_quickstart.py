"""The page for the day after training: every command and all of its Python runs."""

import re
import shlex
from functools import cache

import pytest

from cane_gane.__main__ import main
from cane_gane.data import catalog, pydocs
from cane_gane.data.network import TextualNetwork
from cane_gane.runs.answers import open_answers
from tests.docs.pages import blocks, code_of
from tools.outputs import shown as outputs
from tools.outputs import skeleton

PAGE = "docs/quickstart.md"
FAST = ["--epochs=1", "--dimension=8", "--iterations=2", "--device=cpu"]


@pytest.fixture
def some_pydocs(tmp_path, monkeypatch):
    """The part of pydocs that the page asks about, for speed."""
    folder = tmp_path / "whole"
    pydocs.build(folder)
    whole = TextualNetwork.read(folder)
    kept = [
        n for n, name in enumerate(whole.names) if "linalg" in name or "fft" in name
    ]
    place = {node: new for new, node in enumerate(kept)}
    edges = [
        (place[a], place[b]) for a, b in whole.edges.tolist() if {a, b} <= {*place}
    ]
    part = TextualNetwork(
        [whole.texts[n] for n in kept], edges,
        [whole.labels[n] for n in kept], [whole.names[n] for n in kept],
    )  # fmt: skip
    part.write(tmp_path / "pydocs")
    monkeypatch.setattr(catalog, "_build_pydocs", lambda: tmp_path / "pydocs")
    monkeypatch.chdir(tmp_path)
    # The run is opened once, not by each command.
    opened = cache(lambda path, dataset, device: open_answers(path, device="cpu"))
    monkeypatch.setattr("cane_gane.runs.answers.open_answers", opened)
    return tmp_path


def command_lines():
    lines = [
        line.removeprefix("$ ")
        for block in blocks(PAGE, "")
        for line in block.splitlines()
    ]
    return [shlex.split(line)[2:] for line in lines if line.startswith("bash run.sh")]


def titles(lines):
    """What an answer says of any network: heads of tables, and parts of a score."""
    heads = ("probability", "score ", "parts of the score", "matched words")
    said = [skeleton(line) for line in lines if line.strip().startswith(heads)]
    parts = [skeleton(line) for line in lines if re.match(r"  \D{24,} [+-]\d", line)]
    return said, parts


@pytest.mark.slow
def test_the_page_runs_from_the_first_line_to_the_last(some_pydocs, capsys):
    training, *questions = command_lines()
    assert main([*training, *FAST]) == 0
    assert "not evaluated" in capsys.readouterr().out
    shown = {
        command: lines for page, command, lines in outputs() if page.name == PAGE[5:]
    }
    for words in questions:
        assert main(words) == 0, words
        printed = capsys.readouterr().out.splitlines()
        assert printed
        command = shlex.join(["bash", "run.sh", *words]).replace("'", '"')
        if lines := shown.pop(command, None):
            assert titles(lines) == titles(printed)
    assert not shown
    assert (some_pydocs / "why.html").is_file()
    exec(compile(code_of(PAGE), PAGE, "exec"), {})
    printed = capsys.readouterr().out
    assert printed.count("numpy.linalg.svd") >= 2
