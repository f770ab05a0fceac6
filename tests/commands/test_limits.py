"""Every flag of every command at its limits: taken, or refused with one line."""

import importlib

import pytest
from absl import flags

from cane_gane.__main__ import COMMANDS
from tests.commands.hostile import VALUES, attempt, begin
from tests.docs.pages import tries_of

# Where each command's work begins; what its words are.
WORK = {
    "train": ("cane_gane.runs.run.write_inputs", ["NETWORK", "0.5", "METHOD"]),
    "evaluate": ("cane_gane.runs.vectors.evaluate_vectors", ["VECTORS"]),
    "recommend": ("cane_gane.runs.answers.open_answers", ["VECTORS", "0"]),
    "search": ("cane_gane.runs.answers.open_answers", ["VECTORS", "fox"]),
    "explain": ("cane_gane.runs.answers.open_answers", ["VECTORS", "0", "1"]),
    "embed": ("cane_gane.runs.answers.open_answers", ["VECTORS"]),
    "explore": ("cane_gane.runs.answers.open_answers", ["VECTORS"]),
    "serve": ("cane_gane.runs.answers.open_answers", ["VECTORS"]),
    "report": ("cane_gane.report.several.write_several", ["VECTORS", "VECTORS"]),
    "table": ("cane_gane.runs.grid.Grid.run", ["NETWORK"]),
    "ablation": ("cane_gane.runs.grid.Grid.run", ["NETWORK", "0.5"]),
    "reproduce": ("cane_gane.runs.grid.Grid.run", []),
    "compare": (
        "cane_gane.upstream.comparison.Comparison.results",
        ["NETWORK", "0.5"],
    ),
    "import": ("cane_gane.data.network.TextualNetwork.write", ["TABLE"]),
    "inspect": ("cane_gane.commands.inspect.inspect_network", ["NETWORK"]),
    "split": ("cane_gane.data.splits.Split.write", ["NETWORK", "0.5"]),
    "parity": ("cane_gane.upstream.parity.compare", ["VECTORS"]),
}


def flags_of(command):
    values = flags.FlagValues()
    importlib.import_module(f"cane_gane.commands.{command}").define(values)
    return sorted(values)


FLAGS = [(command, flag) for command in COMMANDS for flag in flags_of(command)]


def test_every_command_is_tried():
    assert set(WORK) == set(COMMANDS)


def test_tries_are_as_many_as_the_documents_say():
    ((what, count),) = tries_of("tests/commands/test_limits.py").items()
    assert f"({len(FLAGS)} flags) at {len(VALUES)} values" in what
    assert count == len(FLAGS) * len(VALUES)


@pytest.mark.parametrize(("command", "flag"), FLAGS)
def test_a_flag_at_its_limits(command, flag, network, checkout, tmp_path, monkeypatch):
    work, words = WORK[command]
    monkeypatch.setattr(work, begin)
    monkeypatch.setattr("cane_gane.data.catalog._fetch", begin)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "vectors").mkdir()
    for name in ("graph.txt", "test_graph.txt", "embed.txt"):
        (tmp_path / "vectors" / name).write_text("0 1\n")
    (tmp_path / "table.csv").write_text("id,text,links\na,fox,b\nb,sea,a\n")
    known = {
        "TABLE": "table.csv",
        "NETWORK": network,
        "VECTORS": "vectors",
        "METHOD": "ap",
    }
    words = [known.get(word, word) for word in words]
    if command == "compare":
        words.append(f"--upstream={checkout}")
    for value in VALUES:
        attempt(command, *words, f"--{flag}={value}", watched=tmp_path)
