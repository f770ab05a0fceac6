"""Run folders in which each file is damaged in every way."""

import json
import shutil

import pytest

import cane_gane
from cane_gane.report.run import RunReport
from tests.commands.hostile import FILES, attempt, begin, put
from tests.docs.pages import tries_of
from tests.serving.runs import named_topics

COMMANDS = {
    "evaluate": [],
    "report": [],
    "recommend": ["0", "--top=2"],
    "search": ["topic1word3"],
    "explain": ["0", "1"],
    "embed": ["--output=vectors.npy"],
}
RECORDS = ("config.json", "metrics.json", "examples.json")
VALUES = (None, [], {}, "text", -1, {"a": None})


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A run whose network is inside it."""
    folder = tmp_path_factory.mktemp("whole")
    split = named_topics(folder / "network").split(0.8, seed=1)
    cane_gane.fit(split, "tadw", dimension=8).save(folder / "run")
    return folder / "run"


@pytest.fixture
def run(whole, tmp_path, monkeypatch):
    """A copy to be spoiled; evaluation and figures, which take long, are not begun."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("cane_gane.runs.run.finish", begin)
    monkeypatch.setattr(RunReport, "write_figures", lambda self, folder: None)
    return shutil.copytree(whole, tmp_path / "run")


def files_of(run):
    return sorted(
        path.relative_to(run)
        for path in run.rglob("*")
        if path.is_file() and "figures" not in path.parts
    )


def truncate(path):
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])


def flip(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2 :][:1] = b"\x55"
    path.write_bytes(content)


DAMAGE = {
    **{kind: lambda path, kind=kind: put(kind, path) for kind in FILES},
    "truncated": truncate,
    "a byte flipped": flip,
}


@pytest.mark.parametrize("kind", DAMAGE)
def test_each_file_of_a_run(whole, run, kind):
    """Each with the next of the commands in turn."""
    for place, name in enumerate(files_of(whole), list(DAMAGE).index(kind)):
        command, words = list(COMMANDS.items())[place % len(COMMANDS)]
        DAMAGE[kind](run / name)
        attempt(command, run, *words, watched=None if command == "embed" else run)
        shutil.rmtree(run)
        shutil.copytree(whole, run)


@pytest.mark.parametrize("name", RECORDS)
@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_each_key_of_a_record(run, name, value):
    plain = json.loads((run / name).read_text())
    for key in plain:
        (run / name).write_text(json.dumps({**plain, key: value}))
        attempt("report", run)
        attempt("evaluate", run, watched=run)


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_each_setting_of_a_record(run, value):
    plain = json.loads((run / "config.json").read_text())
    for key in plain["settings"]:
        settings = {**plain["settings"], key: value}
        record = {**plain, "settings": settings}
        (run / "config.json").write_text(json.dumps(record))
        attempt("report", run)
        attempt("evaluate", run, watched=run)


def test_tries_are_as_many_as_the_documents_say(whole):
    damage, values = tries_of("tests/commands/test_damaged_runs.py").items()
    files = files_of(whole)
    assert f"{len(files)} files of a run folder, damaged in {len(DAMAGE)} " in damage[0]
    assert damage[1] == len(files) * len(DAMAGE)
    records = [json.loads((whole / name).read_text()) for name in RECORDS]
    keys = sum(map(len, [*records, records[0]["settings"]]))
    assert values[1] == 2 * keys * len(VALUES)  # by `report` and by `evaluate`
