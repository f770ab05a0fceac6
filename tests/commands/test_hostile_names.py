"""Names, labels and texts that a terminal would obey: every command shows signs."""

import io
import json
import os
import pty
import subprocess
import sys

import pytest

import cane_gane
from cane_gane.__main__ import main
from cane_gane.data.network import TextualNetwork
from cane_gane.progress import Terminal
from tests.commands.hostile import attempt
from tests.docs.pages import tries_of
from tests.launch import ROOT
from tests.networks import write_topics

EVIL = "\x1b]0;taken\x07\x1b[2J\x9b31m\u202e\u2066\x08\r"
COMMANDS = {
    "inspect": ["inspect", "NETWORK"],
    "split": ["split", "NETWORK", "0.5", "--output=SPLIT"],
    "recommend": ["recommend", "RUN", "0", "--top=3"],
    "recommend a text": ["recommend", "RUN", f"--text=topic1word3 {EVIL}"],
    "search": ["search", "RUN", "topic1word3"],
    "explain": ["explain", "RUN", "0", "1"],
    "embed": ["embed", "RUN", "--output=VECTORS"],
    "report": ["report", "RUN", "--output=PAGE"],
    "several": ["report", "RUN", "RUN", "--output=PAGES"],
    "unknown": ["recommend", "RUN", f"no such {EVIL}"],
    "no run": ["evaluate", f"no such {EVIL}"],
    "no command": [f"no such {EVIL}"],
}
ON_A_TERMINAL = (
    ["inspect", "NETWORK"],
    ["inspect", "NETWORK", "--json"],
    [f"x{EVIL}"],
)


def hostile(folder, evil):
    """A network whose every word and name is followed by something evil."""
    plain = TextualNetwork.read(write_topics(folder))
    return TextualNetwork(
        [" ".join(word + evil for word in text.split()) for text in plain.texts],
        plain.edges,
        [tuple(f"{label}{evil}" for label in own) for own in plain.labels],
        [f"node{n}{evil}" for n in range(plain.node_count)],
    )


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A network as files, in an evil folder, and a run on it."""
    folder = tmp_path_factory.mktemp("names")
    evil = EVIL.replace("\r", "")  # which would end a line of a file
    network = hostile(folder / "plain", evil)
    home = folder / f"evil{evil}"
    home.mkdir()
    write = {
        "data.txt": network.texts,
        "graph.txt": [f"{a} {b}" for a, b in network.edges],
        "group.txt": [" ".join(own) for own in network.labels],
        "ids.txt": network.names,
    }
    for name, lines in write.items():
        (home / name).write_text("".join(f"{line}\n" for line in lines))
    split = TextualNetwork.read(home).split(0.8, seed=1)
    run = folder / f"run{evil}"
    cane_gane.fit(split, "tadw", dimension=8).save(run)
    return {"NETWORK": home, "RUN": run}


def words_of(place, command, tmp_path):
    named = {"SPLIT": "split", "VECTORS": "vectors.npy", "PAGE": "a", "PAGES": "b"}
    here = {**place, **{key: tmp_path / own for key, own in named.items()}}
    words = COMMANDS[command]
    for key, own in here.items():
        words = [word.replace(key, str(own)) for word in words]
    return words


@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_prints_what_a_terminal_obeys(place, command, tmp_path):
    """`attempt` looks at all that was printed, on both streams."""
    attempt(*words_of(place, command, tmp_path), shown=in_a_terminal)


def in_a_terminal(text):
    """What `Terminal` makes of it, as `console` prints on one."""
    stream = io.StringIO()
    Terminal(stream).write(text)
    return stream.getvalue()


def on_a_terminal(words):
    """Runs a command in a process whose streams are a terminal; returns its output."""
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "cane_gane", *map(str, words)],
        stdin=slave, stdout=slave, stderr=slave,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm"},
    )  # fmt: skip
    os.close(slave)
    found = b""
    while True:
        try:
            part = os.read(master, 65536)
        except OSError:  # the last process has closed the terminal
            break
        if not part:
            break
        found += part
    os.close(master)
    return process.wait(), found.decode().replace("\r\n", "\n")


@pytest.mark.parametrize("words", ON_A_TERMINAL)
def test_a_real_terminal_is_shown_signs(place, words, tmp_path):
    words = [place["NETWORK"] if word == "NETWORK" else word for word in words]
    code, shown = on_a_terminal(words)
    assert code == (0 if words[0] == "inspect" else 2)
    assert "�" in shown
    assert not {c for c in shown if not c.isprintable()} - {"\n", "\t"}


def test_a_program_gets_names_as_they_are(place, capsys):
    assert main(["recommend", str(place["RUN"]), "0", "--json", "--top=1"]) == 0
    ((first,),) = (own["suggestions"] for own in json.loads(capsys.readouterr().out))
    assert first["node"]["name"].endswith(EVIL.strip())


def test_tries_are_as_many_as_the_documents_say():
    ((_, count),) = tries_of("tests/commands/test_hostile_names.py").items()
    assert count == len(COMMANDS) + len(ON_A_TERMINAL)
