"""A command that was cut, at whichever write, ends as an undisturbed one would.

`bash run.sh test --long` cuts at every write, rename and sync; without it, at a few.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.crash import KILLED, content
from tests.launch import ROOT

pytestmark = pytest.mark.slow
NAME = "topics-0.6-deepwalk-seed1"
NEURAL = ["--dimension=8", "--epochs=2", "--batch_size=64", "--validation=0.2"]
# How many points of each, without --long: where it is killed, where the disk is full.
FEW = {
    "train": (2, 1),
    "neural": (1, 0),
    "evaluate": (0, 1),
    "ask": (1, 1),
    "table": (1, 0),
}


@pytest.fixture(scope="module")
def order(tmp_path_factory):
    """Gives a command to the process whose forks run it."""
    log = tmp_path_factory.mktemp("log") / "log.txt"
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.crash"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TF_CPP_MIN_LOG_LEVEL": "3"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )

    def give(words, root, **how):
        words = list(map(str, words))
        asked = {"words": words, "root": str(root), "log": str(log), **how}
        process.stdin.write(json.dumps(asked) + "\n")
        process.stdin.flush()
        code, count = json.loads(process.stdout.readline())
        return code, count, log.read_text()

    yield give
    process.stdin.close()
    process.stdout.close()
    process.wait()


def training(topics, root):
    return [topics, "0.6", "deepwalk", "--dimension=8", f"--runs_dir={root}"]


@pytest.fixture(scope="module")
def ended(order, topics, tmp_path_factory):
    """A run that nothing disturbed. Change nothing."""
    root = tmp_path_factory.mktemp("ended")
    code, _, said = order(training(topics, root), root)
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
        root.mkdir()

    def finished():
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


def cuts(count, few):
    """Yields where to cut a command of so many points, and whether the disk is full."""
    for fails in (False, True):
        steps = few[fails] if few else count
        for step in range(steps):
            yield 1 + (2 * step + 1) * count // (2 * steps), fails


def test_points_are_spread_and_long_has_all():
    assert list(cuts(3, None)) == [(n, f) for f in (False, True) for n in (1, 2, 3)]
    assert list(cuts(100, (2, 1))) == [(26, False), (76, False), (51, True)]


@pytest.mark.parametrize("name", FEW)
def test_the_same_command_ends_as_if_nothing_had_happened(
    order, commands, pytestconfig, name
):
    root, (words, prepare) = commands[0], commands[1][name]
    prepare()
    code, count, said = order(words, root)
    assert code == 0, said
    assert count > 5, said
    expected = content(root)
    few = None if pytestconfig.getoption("long") else FEW[name]
    for point, fails in cuts(count, few):
        where = f"{name}, {'disk full' if fails else 'killed'} at {point} of {count}"
        print(where, flush=True)
        shutil.rmtree(root)
        prepare()
        code, _, said = order(words, root, at=point, fails=fails)
        if fails and code:
            last = said.splitlines()[-1]
            assert code == 2, said
            assert last.startswith("cane_gane: [Errno 28] No space left"), said
            assert str(root) in last
        assert code == KILLED or fails, f"{where}: {said}"
        unkept = fails and code == 0  # a cache could not be written, nothing else
        code, _, said = order(words, root)
        assert code == 0, f"{where}: {said}"
        found = content(root)
        differ = [
            key
            for key in {*found, *expected}
            if found.get(key) != expected.get(key)
            and not (unkept and Path(key).parent.name == "answers")
        ]
        assert differ == [], where


def test_a_disk_that_is_full_while_tensorflow_writes(order, commands):
    """It writes the SavedModel by itself, where no point can be cut."""
    root, (words, prepare) = commands[0], commands[1]["neural"]
    prepare()
    code, _, said = order(words, root)
    assert code == 0, said
    expected = content(root)
    (model,) = root.glob("*/saved_model")
    sizes = {p: p.stat().st_size for p in root.rglob("*") if p.is_file()}
    own = max(size for path, size in sizes.items() if model in path.parents)
    others = [
        s for p, s in sizes.items() if not {"saved_model", "serving"} & {*p.parts}
    ]
    assert own > 2 * max(others)
    shutil.rmtree(root)
    prepare()
    code, _, said = order(words, root, largest=own // 2)
    last = said.splitlines()[-1]
    assert code == 2, said
    assert last.startswith("cane_gane: [Errno 28] No space left on device: make room")
    assert str(model) in last
    assert not list(root.glob("*/saved_model*"))
    code, _, said = order(words, root)
    assert code == 0, said
    assert content(root) == expected
