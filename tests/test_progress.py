"""What is said of a long stage."""

import time

from cane_gane import progress
from cane_gane.progress import Progress


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
