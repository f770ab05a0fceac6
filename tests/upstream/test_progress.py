"""Upstream's printed lines become epochs and time left."""

import pytest

from cane_gane.progress import duration
from cane_gane.upstream import progress
from cane_gane.upstream.progress import Progress, parse_epoch


@pytest.fixture
def clock(monkeypatch):
    """Sets the time that the module sees."""
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    return now


def test_a_run_that_goes_on_counts_on(clock, capsys):
    told = Progress("upstream", done=40, epochs=50)
    clock[0] = 100.0
    told.line("start training.......\n")
    for number in range(1, 11):
        clock[0] += 30.0
        told.line(f"epoch:  {number}  loss:  {1000.0 / number}\n")
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "upstream  epoch  41/50  loss 1000.0  30.0 s  4.5 min left"
    assert lines[-1] == "upstream  epoch  50/50  loss 100.0  30.0 s"


def test_time_left_follows_the_last_epochs(clock, capsys):
    told = Progress("upstream", done=0, epochs=20)
    for number in range(1, 11):
        clock[0] += 100.0 if number < 5 else 2.0
        told.line(f"epoch:  {number}  loss:  1.0\n")
    assert capsys.readouterr().err.splitlines()[-1].endswith("20.0 s left")


def test_other_lines_say_nothing(capsys):
    told = Progress("upstream", 0, 3)
    told.line("Total load 1088 edges.\n")
    told.line("1000000\n")
    assert capsys.readouterr().err == ""


def test_a_loss_that_is_no_number_is_parsed():
    number, loss = parse_epoch("epoch:  7  loss:  nan")
    assert number == 7
    assert loss != loss


@pytest.mark.parametrize(
    ("seconds", "text"), [(89, "89.0 s"), (90, "1.5 min"), (5400, "1.5 h")]
)
def test_durations(seconds, text):
    assert duration(seconds) == text
