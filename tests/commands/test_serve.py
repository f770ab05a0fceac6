"""The commands that serve a run, in processes of their own."""

import contextlib
import os
import signal
import subprocess
import sys

import pytest

import cane_gane
from cane_gane.web.server import bind
from tests.launch import ROOT, refused
from tests.web.serving import request


@contextlib.contextmanager
def started(command, run):
    """Starts a command on a free port; yields its address; it must end well."""
    process = subprocess.Popen(
        [sys.executable, "-m", "cane_gane", command, str(run), "--port=0"], text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT), "BROWSER": "false"},
    )  # fmt: skip
    try:
        line = process.stdout.readline()
        assert line.startswith("http://127.0.0.1:"), process.stderr.read()
        assert line.endswith("  (Ctrl-C stops it)\n")
        yield line.split()[0]
    finally:
        process.send_signal(signal.SIGTERM)
        out, _ = process.communicate(timeout=60)
    assert (process.returncode, out) == (0, "")


@pytest.mark.slow
def test_a_run_is_served_as_python_would_answer(copied):
    model = cane_gane.open(copied)
    with started("serve", copied) as home:
        _, health, _ = request(home, "/health")
        assert (health["run"], health["nodes"]) == (copied.name, 60)
        _, scored, _ = request(home, "/score", [{"source": 0, "target": 5}] * 2)
        _, found, _ = request(home, "/recommend", {"node": 0, "top": 3})
        _, vectors, _ = request(home, "/embed", {"nodes": [0]})
        status, refusal, _ = request(home, "/explain", {"source": 0, "target": 60})
    expected = float(model.score([(0, 5)])[0])
    assert [own["score"] for own in scored] == pytest.approx([expected] * 2, abs=1e-4)
    nodes = [own["node"]["id"] for own in found["suggestions"]]
    scores = model.score([(0, node) for node in nodes])
    own = [suggestion["score"] for suggestion in found["suggestions"]]
    assert own == pytest.approx(scores.tolist(), abs=1e-4)
    assert vectors["vectors"][0] == pytest.approx(model.vectors[0].tolist(), abs=1e-5)
    assert (status, refusal["error"][:13]) == (404, "found node 60")


@pytest.mark.slow
def test_a_run_is_explored(copied):
    with started("explore", copied) as home:
        assert copied.name.encode() in request(home, "/")[1]
        _, view, _ = request(home, "/api/network")
        assert len(view["x"]) == 60
        _, pair, _ = request(home, "/api/pair", {"source": 0, "target": 5})
    total = sum(part["value"] for part in pair["parts"])
    assert pair["score"] == pytest.approx(total, abs=1e-3)
    assert pair["lines"]


@pytest.mark.parametrize("command", ["serve", "explore"])
def test_what_is_no_run_is_refused(capsys, tmp_path, command):
    assert str(tmp_path) in refused(capsys, command, tmp_path, "--port=0")


@pytest.mark.parametrize("command", ["serve", "explore"])
def test_a_port_that_is_taken_is_refused(capsys, tmp_path, command):
    with bind("127.0.0.1", 0) as taken:
        taken.listen()
        port = taken.getsockname()[1]
        line = refused(capsys, command, tmp_path, f"--port={port}")
    assert "expected a free port" in line


def test_a_port_out_of_range_is_refused(capsys, tmp_path):
    line = refused(capsys, "serve", tmp_path, "--port=70000")
    assert "found --port=70000; expected" in line
