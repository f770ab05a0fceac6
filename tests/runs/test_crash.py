"""A command that was cut, at whichever write, ends as an undisturbed one would.

`bash run.sh test --long` cuts at every write, rename and sync; without it, at a few.
"""

import json
import os
import shutil
import subprocess
import sys

import pytest

from tests.crash import KILLED, content
from tests.launch import ROOT

pytestmark = pytest.mark.slow
NAME = "topics-0.6-deepwalk-seed1"
NEURAL = ["--dimension=8", "--epochs=2", "--batch_size=64", "--validation=0.2"]
# Points of each, without --long.
FEW = {"train": 4, "neural": 2, "evaluate": 2, "ask": 2, "table": 2}


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


@pytest.mark.parametrize("fails", [False, True], ids=["killed", "disk full"])
@pytest.mark.parametrize("name", FEW)
def test_the_same_command_ends_as_if_nothing_had_happened(
    order, commands, pytestconfig, name, fails
):
    root, (words, prepare) = commands[0], commands[1][name]
    prepare()
    code, count, said = order(words, root)
    assert code == 0, said
    assert count > 5, said
    expected = content(root)
    few = FEW[name] // 2
    step = 1 if pytestconfig.getoption("long") else max(1, count // few)
    for point in range(1 + (step // 2 + step * fails // 3) % step, count + 1, step):
        shutil.rmtree(root)
        prepare()
        code, _, said = order(words, root, at=point, fails=fails)
        if fails and code:
            last = said.splitlines()[-1]
            assert code == 2, said
            assert last.startswith("cane_gane: [Errno 28] No space left"), said
            assert str(root) in last
        assert code == KILLED or fails, f"point {point}: {said}"
        code, _, said = order(words, root)
        assert code == 0, f"point {point}: {said}"
        found = content(root)
        differ = [
            key for key in {*found, *expected} if found.get(key) != expected.get(key)
        ]
        assert differ == [], f"point {point} of {count}"
