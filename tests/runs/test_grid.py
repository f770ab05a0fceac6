"""The grid: each cell a process and a folder; what is finished is not run again."""

import os
import re
import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest

from cane_gane.errors import InputError
from cane_gane.runs.cell import Cell
from cane_gane.runs.grid import CellError, Grid
from tests.launch import ROOT
from tests.networks import write_topics
from tests.runs.fake_training import fake_evaluation

FAKE = (sys.executable, "-m", "tests.runs.fake_training")


@pytest.fixture
def fake(monkeypatch, tmp_path):
    """Stands in for training, on a network called x."""
    write_topics(tmp_path / "data" / "x", nodes=8)
    monkeypatch.setattr("cane_gane.runs.cell.PROGRAM", FAKE)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))


def make_cells(home, methods=("cane", "ap"), seeds=(1, 2), **settings):
    chosen = {"dataset": str(home / "data" / "x"), "ratio": 0.5, **settings}
    return [
        Cell.of({**chosen, "method": method, "seed": seed}, home)
        for seed in seeds
        for method in methods
    ]


def started(home):
    """Returns the words of each start: name, process, threads."""
    return [line.split() for line in (home / "started.txt").read_text().splitlines()]


def test_all_cells_run_in_their_order_and_changes_are_told(fake, tmp_path, capsys):
    grid = Grid(make_cells(tmp_path), tmp_path, jobs=1)
    seen = []
    assert grid.run(lambda: seen.append(len(grid.finished))) is None
    assert seen == [1, 2, 3, 4]
    assert [words[0] for words in started(tmp_path)] == [
        "x-0.5-cane-seed1", "x-0.5-ap-seed1", "x-0.5-cane-seed2", "x-0.5-ap-seed2",
    ]  # fmt: skip
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("4 runs, 0 of them finished before; 1 at once")
    assert lines[1] == "epoch   1/1"  # a single run at once is followed
    links = fake_evaluation(grid.finished[0].config).link_prediction
    measured = ("upstream", "strict", "all_edges")  # hard negatives give no AUC
    told = [f"{100 * links[name].auc:.1f} {name}" for name in measured]
    pattern = rf"1/4  x-0.5-cane-seed1  AUC {', '.join(told)}  \d.\d s  about .* left"
    assert re.fullmatch(pattern, lines[2])
    last = r"4/4  x-0.5-ap-seed2  AUC .*, .* strict, .* all_edges  \d.\d s"
    assert re.fullmatch(last, lines[-1])


def test_a_slow_page_is_written_less_often_and_at_the_end(fake, tmp_path):
    grid = Grid(make_cells(tmp_path), tmp_path, jobs=1)
    seen = []

    def write():
        seen.append(len(grid.finished))
        time.sleep(2)  # the next one is due in 40 s

    assert grid.run(write) is None
    assert seen[0] == 1
    assert seen[-1] == 4
    assert len(seen) < 4


def begun(*seconds):
    """Runs that have been going for so long."""
    return [SimpleNamespace(cell=None, seconds=own) for own in seconds]


def test_the_time_left_is_that_of_the_mean_run_shared_by_the_jobs(tmp_path):
    grid = Grid(make_cells(tmp_path), tmp_path, jobs=2)
    assert grid._left([None] * 4, []) is None  # nothing has ended yet
    grid._seconds, grid._weight = 200, 2
    assert grid._left([None] * 4, begun(40, 100)) == pytest.approx((400 + 60 + 10) / 2)
    assert grid._left([], begun(150)) == pytest.approx(10)
    assert grid._left([], []) is None


WEIGHTS = {"slow": 9.0, "fast": 1.0}


def test_a_run_that_weighs_more_takes_longer(tmp_path):
    grid = Grid(make_cells(tmp_path), tmp_path, jobs=1, weigh=WEIGHTS.get)
    grid._seconds, grid._weight = 20, 10
    assert grid._left(["slow", "fast"], []) == pytest.approx(20)


def test_finished_cells_are_not_run_again(fake, tmp_path):
    three = make_cells(tmp_path)[:3]
    Grid(three, tmp_path, jobs=2).run(lambda: None)
    again = Grid(make_cells(tmp_path), tmp_path, jobs=2)
    seen = []
    again.run(lambda: seen.append(len(again.finished)))
    assert seen[0] >= 3
    assert seen[-1] == 4
    assert [words[0] for words in started(tmp_path)].count("x-0.5-ap-seed2") == 1
    assert len(started(tmp_path)) == 4


def test_nothing_is_started_where_all_is_finished(fake, tmp_path, capsys):
    Grid(make_cells(tmp_path), tmp_path, jobs=2).run(lambda: None)
    capsys.readouterr()
    seen = []
    Grid(make_cells(tmp_path), tmp_path).run(lambda: seen.append(1))
    assert seen == [1]
    assert len(started(tmp_path)) == 4
    assert capsys.readouterr().err == ""


def test_several_at_once_share_the_cores_and_say_nothing(fake, tmp_path, capsys):
    cores = len(os.sched_getaffinity(0))
    Grid(make_cells(tmp_path), tmp_path, jobs=2).run(lambda: None)
    threads = str(max(1, cores // 2))
    assert all(words[2:] == [threads] * 3 for words in started(tmp_path))
    assert "epoch" not in capsys.readouterr().err
    log = tmp_path / "x-0.5-ap-seed1" / "log.txt"
    assert log.read_text() == "epoch   1/1\n"


def test_a_cell_that_fails_is_told_in_one_line_and_the_others_run(
    fake, tmp_path, monkeypatch, capsys
):
    monkeypatch.setenv("FAKE_FAIL", "x-0.5-cane-seed1")
    grid = Grid(make_cells(tmp_path), tmp_path, jobs=2)
    error = grid.run(lambda: None)
    assert isinstance(error, CellError)
    assert "found 1 of 4 runs failed" in str(error)
    assert error.exit_code != 0
    assert len(grid.finished) == 3
    told = [line for line in capsys.readouterr().err.splitlines() if "FAILED" in line]
    assert len(told) == 1
    assert (
        "x-0.5-cane-seed1  FAILED: found loss nan in epoch 1 (exit code 3; " in told[0]
    )
    monkeypatch.delenv("FAKE_FAIL")
    assert Grid(make_cells(tmp_path), tmp_path).run(lambda: None) is None
    assert len(started(tmp_path)) == 5


def test_that_all_fail_is_an_error_at_once(fake, tmp_path, monkeypatch):
    monkeypatch.setenv("FAKE_FAIL", "x-0.5-cane-seed1,x-0.5-ap-seed1")
    cells = make_cells(tmp_path, seeds=[1])
    with pytest.raises(CellError, match="found 2 of 2 runs failed"):
        Grid(cells, tmp_path, jobs=2).run(lambda: None)


def test_other_settings_are_refused_before_anything_is_begun(fake, tmp_path):
    Grid(make_cells(tmp_path)[:1], tmp_path).run(lambda: None)
    with pytest.raises(InputError, match=r"found a run with epochs 5 \(now 2\)"):
        Grid(make_cells(tmp_path, epochs=2), tmp_path)
    assert len(started(tmp_path)) == 1


@pytest.mark.parametrize("name", ["data.txt", "graph.txt"])
def test_changed_data_is_refused_before_anything_is_begun(fake, tmp_path, name):
    Grid(make_cells(tmp_path)[:1], tmp_path).run(lambda: None)
    path = tmp_path / "data" / "x" / name
    path.write_bytes(path.read_bytes() + b"0\t1\n")
    with pytest.raises(InputError) as found:
        Grid(make_cells(tmp_path), tmp_path)
    message = str(found.value)
    assert message.startswith(f"{path}: found content ")
    assert f"which {tmp_path / 'x-0.5-cane-seed1'} was trained on" in message
    assert message.endswith("choose another --output")
    assert len(started(tmp_path)) == 1


def test_flags_are_those_of_the_chosen_settings(tmp_path):
    cell = make_cells(tmp_path, scale=False, clip=True, rho="1,2,3")[1]
    assert cell.words == (
        str(tmp_path / "data" / "x"), "0.5", "ap", "--noscale", "--clip",
        "--rho=1,2,3", "--seed=1",
    )  # fmt: skip


def test_an_error_of_ours_leaves_no_child_behind(fake, tmp_path, monkeypatch):
    monkeypatch.setenv("FAKE_WAIT", "x-0.5-ap-seed1")

    def fail():
        raise OSError("no space left on device")

    with pytest.raises(OSError, match="no space"):
        Grid(make_cells(tmp_path), tmp_path, jobs=2).run(fail)
    for words in started(tmp_path):
        assert not running(int(words[1]))


def running(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stop_ends_the_children_and_the_same_command_goes_on(
    topics, tmp_path, number
):
    """Ctrl-C goes to the whole group, SIGTERM to us alone."""
    script = (
        "import signal, sys; from cane_gane import __main__\n"
        # a job in the background, as the tests may be, starts with SIGINT ignored
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        f"from cane_gane.runs import cell; cell.PROGRAM = {FAKE!r}\n"
        "sys.exit(__main__.main(sys.argv[1:]))"
    )
    command = [
        sys.executable, "-c", script, "ablation", str(topics), "0.55",
        "--windows=1,5,7", "--repeats=1", "--jobs=2", f"--output={tmp_path}",
    ]  # fmt: skip
    wait = {**os.environ, "PYTHONPATH": str(ROOT), "FAKE_WAIT": "topics-0.55-ap-seed1"}
    process = subprocess.Popen(
        command, env=wait, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    homes = [tmp_path / f"window-{window}" for window in (1, 5)]
    deadline = time.monotonic() + 60
    while not all((home / "started.txt").is_file() for home in homes):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    if number == signal.SIGINT:
        os.killpg(process.pid, number)
    else:
        process.send_signal(number)
    error = process.communicate(timeout=60)[1]
    assert process.returncode == 130
    assert error.splitlines()[1:] == [
        f"cane_gane: stopped; 0 of 3 runs are finished in {tmp_path}; "
        "the same command continues from there"
    ]
    assert not any(running(int(started(home)[0][1])) for home in homes)
    env = {**wait, "FAKE_WAIT": ""}
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert [len(started(home)) for home in homes] == [2, 2]
