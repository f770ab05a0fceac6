"""Workers are started, watched, started again after a loss, and end with us."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from cane_gane.errors import InputError
from cane_gane.methods.registry import METHODS
from cane_gane.runs import worker_process
from cane_gane.runs.config import Config
from cane_gane.runs.workers import FRUITLESS, Team
from tests.launch import ROOT, finish, refused, start
from tests.methods import toy

FAKE = (sys.executable, "-m", "tests.runs.fake_worker")


@pytest.fixture
def train(topics, tmp_path, monkeypatch):
    """Runs two fake workers by their plans; returns how often each was started."""
    monkeypatch.setattr(worker_process, "PROGRAM", FAKE)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    log = tmp_path / "starts.txt"
    monkeypatch.setenv("FAKE_STARTS", str(log))

    def run(plans, join_seconds=60):
        monkeypatch.setenv("FAKE_WORKER", json.dumps(plans))
        config = Config.make(dataset=str(topics), method="wane")
        try:
            Team.of(config, 2, "cpu", join_seconds).train(None)
        finally:
            run.starts = [line.split(":")[0] for line in log.read_text().split()]

    return run


def alive(process):
    """Whether a process runs; one that has ended and was not asked for does not."""
    try:
        return Path(f"/proc/{process}/stat").read_text().split()[2] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def children(process):
    return Path(f"/proc/{process}/task/{process}/children").read_text().split()


def test_workers_that_end_well_are_started_once(train, capsys):
    train({})
    assert sorted(train.starts) == ["0", "1"]
    assert capsys.readouterr().err == "epoch   1/1\n"  # what the chief says


def test_all_start_again_when_one_is_killed(train, capsys):
    train({"1": ["die", "work"], "0": ["wait", "work"]})
    assert sorted(train.starts) == ["0", "0", "1", "1"]
    said = capsys.readouterr().err
    assert "worker 1 ended by signal 9; starting again from the last check" in said


def test_the_cause_is_told_not_its_consequence(train):
    with pytest.raises(InputError, match=r"^found no such thing$"):
        train({"0": ["lose"], "1": ["refuse"]})


def test_a_worker_that_diverges_is_not_started_again(train):
    with pytest.raises(InputError, match="found loss nan") as found:
        train({"0": ["diverge"], "1": ["wait"]})
    assert found.value.exit_code == 3
    assert sorted(train.starts) == ["0", "1"]


def test_starts_that_come_to_nothing_are_given_up(train):
    with pytest.raises(InputError, match="worker 1 ended by signal 9"):
        train({"0": ["absent"], "1": ["die at once"]})
    assert train.starts.count("1") == FRUITLESS


def test_a_worker_that_never_comes_is_named_after_the_stated_time(train):
    begun = time.monotonic()
    with pytest.raises(InputError, match=r"no sign of .*worker 1.* after 1 s; expect"):
        train({"1": ["absent"]}, join_seconds=1)
    assert time.monotonic() - begun < 60


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_workers_end_with_their_parent(topics, tmp_path, number):
    code = (
        "import sys; from cane_gane.runs import worker_process; "
        f"worker_process.PROGRAM = {FAKE!r}; from cane_gane.__main__ import main; "
        "sys.exit(main(sys.argv[1:]))"
    )
    log = tmp_path / "starts.txt"
    parent = subprocess.Popen(
        [sys.executable, "-c", code, topics, "0.6", "wane", "--workers=2",
         f"--runs_dir={tmp_path}"],
        env={**os.environ, "PYTHONPATH": str(ROOT), "FAKE_STARTS": str(log),
             "FAKE_WORKER": '{"0": ["wait"], "1": ["wait"]}'},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    while not (log.exists() and log.read_text().count("\n") == 2):
        time.sleep(0.05)
    started = [line.split(":")[1] for line in log.read_text().split()]
    parent.send_signal(number)
    parent.wait(60)
    limit = time.monotonic() + 10
    while any(map(alive, started)) and time.monotonic() < limit:
        time.sleep(0.05)
    assert not any(map(alive, started))


def test_a_method_that_has_no_steps_is_refused(topics, capsys, monkeypatch):
    monkeypatch.setitem(METHODS, "toy", toy.METHOD)
    line = refused(capsys, topics, "0.6", "toy", "--workers=2")
    assert "several workers with method toy; expected one of cane, wane, ot, ap" in line


def test_a_cluster_and_workers_are_one_too_many(topics, capsys, monkeypatch):
    text = '{"cluster": {"worker": ["a:1", "b:2"]}, "task": {"index": 1}}'
    monkeypatch.setenv("TF_CONFIG", text)
    line = refused(capsys, topics, "0.6", "wane", "--workers=2")
    assert "found --workers=2 with a cluster in TF_CONFIG" in line


@pytest.mark.slow
def test_a_run_whose_worker_is_killed_ends_as_one_process_would(
    finished, topics, tmp_path
):
    folder = tmp_path / "topics-0.6-wane-seed1"
    # What is added to the score has no part in training, and takes its time.
    process = start(topics, tmp_path, "--workers=2", "--evidence=none")
    history = folder / "history.csv"
    while not (history.exists() and history.read_text().count("\n") > 2):
        assert process.poll() is None
        time.sleep(0.02)
    os.kill(int(children(process.pid)[1]), signal.SIGKILL)
    code, out, err = finish(process)
    assert code == 0, err
    assert "starting again from the last checkpoint" in err
    assert out.splitlines()[-1] == str(folder / "report.html")
    found, expected = (
        np.genfromtxt(one / "history.csv", delimiter=",", names=True)
        for one in (folder, finished[0])
    )
    np.testing.assert_allclose(found["loss"], expected["loss"], rtol=1e-5)
    names = {path.name for path in folder.iterdir()} | {"evidence.json", "words.txt"}
    assert names == {path.name for path in finished[0].iterdir()}
