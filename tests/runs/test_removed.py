"""A run folder that somebody removes, moves or replaces while the run writes to it."""

import importlib
import itertools
import shutil
from pathlib import Path

import pytest

from cane_gane.__main__ import main

NAME = "topics-0.6-{}-seed1"
SMALL = {
    "deepwalk": ["--dimension=4", "--walks=2"],
    "wane": ["--dimension=4", "--epochs=2", "--batch_size=64", "--device=cpu"],
}


def remove(folder):
    shutil.rmtree(folder)


def move(folder):
    folder.rename(folder.with_name("moved"))


def replace(folder):
    move(folder)
    folder.mkdir()


def before(monkeypatch, name, act):
    """Lets something happen the first time that a function is called."""
    place, _, own = name.rpartition(".")
    try:
        home = importlib.import_module(place)
    except ModuleNotFoundError:
        module, _, kind = place.rpartition(".")
        home = getattr(importlib.import_module(module), kind)
    plain, left = getattr(home, own), [act]

    def call(*words, **named):
        if left:
            left.pop()()
        return plain(*words, **named)

    monkeypatch.setattr(home, own, call)


# Each just before the run writes something; of the neural ones, which take long, few.
STAGES = [
    *itertools.product(
        ["deepwalk"],
        ["runs.run.export", "runs.finish.write_vectors", "runs.finish.write_outcomes"],
        [remove, move, replace],
    ),
    ("wane", "training.checkpoints.Checkpoints.save", move),
    ("wane", "tensorflow.saved_model.save", remove),
]


@pytest.mark.slow
@pytest.mark.parametrize(("method", "stage", "happens"), STAGES)
def test_it_ends_with_one_line_and_writes_nothing_more(
    topics, tmp_path, monkeypatch, capfd, method, stage, happens
):
    folder = tmp_path / NAME.format(method)
    stage = stage if "tensorflow" in stage else f"cane_gane.{stage}"
    before(monkeypatch, stage, lambda: happens(folder))
    words = [topics, "0.6", method, *SMALL[method], f"--runs_dir={tmp_path}"]
    assert main([*map(str, words)]) == 2
    last = capfd.readouterr().err.splitlines()[-1]
    assert f"{folder}: found it removed or replaced" in last
    assert "expected the folder to stay: start the same command again" in last
    assert len(last) < 1000
    # TensorFlow makes the folder anew, but nothing is left in it.
    left = list(Path(folder).glob("*")) if folder.is_dir() else []
    assert left == []
