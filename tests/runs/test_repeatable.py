"""The same seed gives the same bytes: on one core, with other hashes, side by side."""

import os
import subprocess
import sys

import pytest

from tests.launch import FLAGS, ROOT
from tests.states import content

pytestmark = pytest.mark.slow
FLAGS_OF = {"deepwalk": ["--dimension=8"], "line": ["--dimension=8", "--epochs=5"]}


def run(*words, cores=None, hashes="0"):
    """Runs a command in a process of its own, on some of the cores."""
    command = [sys.executable, "-m", "cane_gane", *map(str, words)]
    if cores is not None:
        pin = f"import os, sys; os.sched_setaffinity(0, {set(cores)}); "
        command = [sys.executable, "-c", f"{pin}os.execv(sys.executable, sys.argv[1:])",
                   *command]  # fmt: skip
    settings = {"PYTHONPATH": str(ROOT), "PYTHONHASHSEED": hashes}
    done = subprocess.run(
        command, env={**os.environ, **settings}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def files(folder):
    """All of a run but times, the SavedModel's protobuf and the command."""
    found = content(folder)
    del found["config.json"]["command"]
    return {name: own for name, own in found.items() if name != "log.txt"}


def assert_same(one, other):
    first, second = files(one), files(other)
    assert first.keys() == second.keys()
    assert [name for name in first if first[name] != second[name]] == []
    for name in ("embed.txt", "graph.txt", "metrics.json", "config.json"):
        assert first[name]


@pytest.fixture
def one_core():
    if not hasattr(os, "sched_setaffinity") or len(os.sched_getaffinity(0)) < 2:
        pytest.skip("needs two cores to choose from")
    return sorted(os.sched_getaffinity(0))[:1]


def test_a_neural_model_is_the_same_on_one_core(finished, topics, one_core, tmp_path):
    run(topics, "0.6", "wane", *FLAGS, f"--runs_dir={tmp_path}",
        cores=one_core, hashes="7")  # fmt: skip
    assert_same(finished[0], tmp_path / finished[0].name)


def test_runs_of_a_table_side_by_side_are_the_same(topics, one_core, tmp_path):
    for method, flags in FLAGS_OF.items():
        run(topics, "0.6", method, *flags, f"--runs_dir={tmp_path / 'alone'}",
            cores=one_core, hashes="7")  # fmt: skip
        run("table", topics, f"--methods={method}", "--ratios=0.6", "--seeds=1-2",
            *flags, "--jobs=2", f"--output={tmp_path / method}")  # fmt: skip
        name = f"topics-0.6-{method}-seed1"
        assert_same(tmp_path / "alone" / name, tmp_path / method / name)
