"""What is said of a long stage."""

import subprocess
import sys
import time

import pytest

from cane_gane import progress
from cane_gane.progress import (
    Progress,
    Stopwatch,
    counted,
    has_colour,
    is_quiet,
    quietly,
    say,
    warn,
)


def wait_for(capsys, words):
    found = ""
    while words not in found:
        time.sleep(0.005)
        found += capsys.readouterr().err
    return found


def test_a_long_stage_says_its_share_and_the_time_left(capsys, monkeypatch):
    monkeypatch.setattr(progress, "EVERY", 0.01)
    with Progress("walks", 8) as stage:
        assert " so far" in wait_for(capsys, "walks: ")
        stage.add(6)
        assert " left" in wait_for(capsys, "walks: 75 %")


def test_the_time_left_follows_from_the_share(monkeypatch):
    clock = iter([100.0, 110.0, 130.0])
    monkeypatch.setattr(progress.time, "perf_counter", lambda: next(clock))
    with Progress("index", 100) as stage:
        assert stage.line() == "  index: 10.0 s so far"
        stage.add(25)
        assert stage.line() == "  index: 25 %, 1.5 min left"


def test_nothing_is_said_of_a_short_stage(capsys):
    with Progress("walks", 8) as stage:
        stage.add(8)
    assert capsys.readouterr().err == ""


def test_of_stages_inside_each_other_the_inner_one_speaks(capsys, monkeypatch):
    monkeypatch.setattr(progress, "EVERY", 0.01)
    with Stopwatch()("score pairs"):
        wait_for(capsys, "score pairs: ")
        with Progress("pairs of nodes", 8) as stage:
            stage.add(4)
            wait_for(capsys, "pairs of nodes: ")
            capsys.readouterr()
            assert "score pairs" not in wait_for(capsys, "pairs of nodes: 50 %")
        wait_for(capsys, "score pairs: ")


def test_a_quiet_job_warns_but_says_nothing_else(capfd):
    script = "from cane_gane.progress import say, warn; say('told'); warn('warned')"
    with quietly():
        say("told")
        warn("warned")
        subprocess.run([sys.executable, "-c", script], check=True)
        with quietly():
            pass
        assert is_quiet()
    assert not is_quiet()
    assert capfd.readouterr().err == "warned\nwarned\n"


@pytest.mark.parametrize(
    ("terminal", "variables", "expected"),
    [
        (True, {}, True),
        (False, {}, False),
        (True, {"NO_COLOR": "1"}, False),
        (True, {"NO_COLOR": ""}, True),  # as no-color.org says
        (True, {"TERM": "dumb"}, False),
    ],
)
def test_colours_are_for_terminals_whose_users_want_them(
    monkeypatch, terminal, variables, expected
):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal)
    assert has_colour() is expected


def test_parts_are_counted_when_the_next_is_asked_for(monkeypatch):
    said = []
    monkeypatch.setattr(Progress, "add", lambda self, parts=1: said.append(parts))
    assert [(part, len(said)) for part in counted("epochs", 3)] == [
        (0, 0), (1, 1), (2, 2)
    ]  # fmt: skip
    assert said == [1, 1, 1]
