"""A command that was cut, at whichever write, ends as an undisturbed one would.

`bash run.sh test --long` cuts at every write, rename and sync; without it, at some.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.crash import KILLED
from tests.launch import ROOT
from tests.states import States, content

pytestmark = pytest.mark.slow
NAME = "topics-0.6-deepwalk-seed1"
NEURAL = ["--dimension=8", "--epochs=2", "--batch_size=64", "--validation=0.2"]
# Of how many points one is tried, without --long.
EVERY = {"train": 10, "neural": 100, "evaluate": 10, "ask": 10, "table": 10}


@pytest.fixture(scope="module")
def order(tmp_path_factory):
    """Gives a command to the process whose forks run it."""
    place = tmp_path_factory.mktemp("log")
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.crash"],
        cwd=ROOT,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "TF_CPP_MIN_LOG_LEVEL": "3",
            "TMPDIR": str(place),  # for what killed processes leave there
        },
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )

    def give(words, root, **how):
        log, words = place / "log.txt", list(map(str, words))
        asked = {"words": words, "root": str(root), "log": str(log), **how}
        process.stdin.write(json.dumps(asked) + "\n")
        process.stdin.flush()
        code, count, found = json.loads(process.stdout.readline())
        return code, count, log.read_text(), found

    yield give
    process.stdin.close()
    process.stdout.close()
    process.wait()
    shutil.rmtree(place)


def training(topics, root):
    return [topics, "0.6", "deepwalk", "--dimension=8", f"--runs_dir={root}"]


@pytest.fixture(scope="module")
def ended(order, topics, tmp_path_factory):
    """A run that nothing disturbed. Change nothing."""
    root = tmp_path_factory.mktemp("ended")
    code, _, said, _ = order(training(topics, root), root)
    assert code == 0, said
    return root


@pytest.fixture
def commands(topics, ended, tmp_path):
    """The words of each command, and what makes the folder as it was before."""
    root = tmp_path / "runs"
    train = training(topics, root)
    neural = [topics, "0.6", "wane", *NEURAL, f"--runs_dir={root}"]
    table = ["table", topics, "--methods=deepwalk", "--ratios=0.6", "--seeds=1",
             "--dimension=8", "--jobs=1", f"--output={root}"]  # fmt: skip

    def empty():
        shutil.rmtree(root, ignore_errors=True)
        root.mkdir()

    def finished():
        shutil.rmtree(root, ignore_errors=True)
        shutil.copytree(ended, root)

    def unasked():
        finished()
        shutil.rmtree(root / NAME / "answers")

    return root, {
        "train": (train, empty),
        "neural": (neural, empty),
        "evaluate": (["evaluate", root / NAME], finished),
        "ask": (["recommend", root / NAME, "0"], unasked),
        "table": (table, finished),
    }


@pytest.fixture
def states(tmp_path):
    """Where what is left at each point is kept: a lot, for a while."""
    (tmp_path / "states").mkdir()
    yield tmp_path / "states"
    shutil.rmtree(tmp_path / "states")


@pytest.mark.parametrize("name", EVERY)
def test_the_same_command_ends_as_if_nothing_had_happened(
    order, commands, states, pytestconfig, name
):
    root, (words, prepare) = commands[0], commands[1][name]
    prepare()
    every = 1 if pytestconfig.getoption("long") else EVERY[name]
    code, count, said, cuts = order(words, root, record=[str(states), every])
    assert code == 0, said
    assert count > 5, said
    points = [point for point in range(1, count + 1) if is_tried(point, every)]
    assert [cut["point"] for cut in cuts] == [p for p in points for _ in range(2)]
    assert [cut["full"] for cut in cuts] == [False, True] * len(points)
    expected, seen = content(root), {}
    for cut in cuts:
        how = "disk full" if cut["full"] else "killed"
        where = f"{name}, {how} at {cut['point']} of {count}"
        print(where, cut["code"], flush=True)
        if cut["full"] and cut["code"] < 0:  # it went on, and a fork has no threads
            prepare()
            cut["code"], _, said, _ = order(words, root, at=cut["point"])
            cut["last"] = said.splitlines()[-1]
        else:
            shutil.rmtree(root)
            shutil.copytree(cut["state"], root, symlinks=True)
        if cut["code"]:
            assert_said_in_one_line(cut, root)
        kept = cut["code"] != 0  # else a cache could not be written, nothing else
        if kept and cut["state"] in seen:
            continue  # the same files were left, and gone on from, before
        code, _, said, _ = order(words, root)
        assert code == 0, f"{where}: {said}"
        assert differences(content(root), expected, kept) == [], where
        seen |= {cut["state"]: where} if kept else {}
    print(f"{name}: {len(cuts)} cuts, {len(seen)} states", flush=True)


def is_tried(point, every):
    """Whether `record` looks at a point."""
    return point % every == (1 + every) // 2 % every


def assert_said_in_one_line(cut, root):
    assert cut["code"] == 2, cut
    assert cut["last"].startswith("cane_gane: [Errno 28] No space left"), cut
    assert str(root) in cut["last"]


def differences(left, expected, kept):
    return [
        key
        for key in {*left, *expected}
        if left.get(key) != expected.get(key)
        and (kept or Path(key).parent.name != "answers")
    ]


def test_a_killed_process_leaves_what_is_recorded(order, commands, states, tmp_path):
    """What `record` copies beside a process that lives is what a dead one leaves."""
    root, (words, prepare) = commands[0], commands[1]["train"]
    prepare()
    _, count, _, cuts = order(words, root, record=[str(states / "found"), 30])
    assert count > 100
    (tmp_path / "left").mkdir()
    for cut in (cut for cut in cuts if cut["code"] in (None, 2)):
        prepare()
        code, *_ = order(words, root, at=cut["point"], kills=not cut["full"])
        assert code == (cut["code"] if cut["full"] else KILLED)
        both = States(states / f"both{cut['point']}{cut['full']}")
        assert both.keep(root) == both.keep(cut["state"]), cut


def test_a_disk_that_is_full_while_tensorflow_writes(order, commands):
    """It writes the SavedModel by itself, where no point can be cut."""
    root, (words, prepare) = commands[0], commands[1]["neural"]
    prepare()
    code, _, said, _ = order(words, root)
    assert code == 0, said
    expected = content(root)
    (model,) = root.glob("*/saved_model")
    sizes = {p: p.stat().st_size for p in root.rglob("*") if p.is_file()}
    own = max(size for path, size in sizes.items() if model in path.parents)
    others = [
        s for p, s in sizes.items() if not {"saved_model", "serving"} & {*p.parts}
    ]
    assert own > 2 * max(others)
    prepare()
    code, _, said, _ = order(words, root, largest=own // 2)
    last = said.splitlines()[-1]
    assert code == 2, said
    assert last.startswith("cane_gane: [Errno 28] No space left on device: make room")
    assert str(model) in last
    assert not list(root.glob("*/saved_model*"))
    code, _, said, _ = order(words, root)
    assert code == 0, said
    assert content(root) == expected
