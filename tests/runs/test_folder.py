"""A run's folder: whose it is, who may use it, and what it refuses to read."""

import json
import os
from pathlib import Path

import pytest

from cane_gane.errors import InputError
from cane_gane.runs.config import Config
from cane_gane.runs.folder import RunFolder, settings_digest
from tests.runs.fake_training import write_run


@pytest.fixture
def config(topics):
    return Config.make(dataset=str(topics), ratio=0.5)


@pytest.mark.parametrize(
    ("dataset", "name"),
    [("cora", "cora"), ("Cora", "cora"), ("hepth", "HepTh"), ("some/net.v1", "net.v1")],
)
def test_a_data_set_has_one_folder_however_it_is_spelled(dataset, name):
    config = Config.make(dataset=dataset, ratio=0.55, method="ap", seed=2)
    folder = RunFolder.of(config, Path("runs"))
    assert folder.path == Path(f"runs/{name}-0.55-ap-seed2")


def test_the_folder_that_one_is_in_has_its_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = RunFolder.of(Config.make(dataset="."), Path("runs"))
    assert folder.path == Path(f"runs/{tmp_path.name}-0.55-ap-seed1")


def test_a_second_run_in_the_same_folder_says_so(config, tmp_path):
    first, second = (RunFolder.of(config, tmp_path) for _ in range(2))
    with (
        first.opened(config),
        pytest.raises(InputError, match=f"in use by process {os.getpid()}"),
        second.opened(config),
    ):
        pass


def test_a_lock_that_is_a_link_is_not_written_through(config, tmp_path):
    target = tmp_path / "precious"
    target.write_text("text")
    folder = RunFolder(tmp_path / "run")
    folder.path.mkdir()
    (folder.path / ".lock").symlink_to(target)
    with pytest.raises(InputError, match=r"\.lock: found a symbolic link"):
        folder.held().__enter__()
    assert target.read_text() == "text"


@pytest.mark.parametrize("name", ["figures", "checkpoints", "saved_model", "answers"])
@pytest.mark.parametrize("overwrite", [False, True])
def test_a_folder_of_a_run_that_is_a_link_is_refused(config, tmp_path, name, overwrite):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "map.png").write_text("mine")
    folder = RunFolder.of(config, tmp_path)
    write_run(config, folder)
    (folder.path / name).symlink_to(elsewhere)
    with pytest.raises(InputError, match=rf"{name}: found a symbolic link"):
        folder.opened(config, overwrite=overwrite).__enter__()
    assert folder.finished
    assert (elsewhere / "map.png").read_text() == "mine"


def test_drafts_of_a_killed_process_are_removed_when_the_folder_is_held(tmp_path):
    (tmp_path / ".saved_model.x.draft").mkdir()
    (tmp_path / "checkpoints").mkdir()
    (tmp_path / "checkpoints" / ".epoch-0001.npz.x.draft").write_text("half")
    with RunFolder(tmp_path).held():
        found = {path.name for path in tmp_path.rglob("*")}
    assert found == {".lock", "checkpoints"}


def test_a_start_that_fails_at_once_leaves_no_folder(config, tmp_path):
    folder = RunFolder.of(config, tmp_path / "runs")
    with pytest.raises(InputError), folder.opened(config):
        raise InputError("too small to split")
    assert not folder.path.exists()
    with folder.opened(config):
        folder.write_text("history.csv", "epoch\n")
    assert (folder.path / "history.csv").exists()


def test_overwriting_clears_the_folder(config, tmp_path):
    folder = RunFolder.of(config, tmp_path)
    with folder.opened(config):
        folder.write_json("metrics.json", {})
        folder.write_text("checkpoints/epoch-0001.npz", "old")
        folder.write_text("figures/map.png", "old")
    with folder.opened(config, overwrite=True):
        assert not folder.finished
        assert [path.name for path in folder.path.iterdir()] == [".lock"]


def test_overwriting_leaves_files_that_no_run_writes(config, tmp_path):
    folder = RunFolder.of(config, tmp_path)
    write_run(config, folder)
    mine = ["thesis.docx", "notes/a.txt", "figures/plan.pdf", ".hidden"]
    for name in mine:
        folder.write_text(name, "mine")
    (folder.path / "linked").symlink_to(tmp_path)
    with folder.opened(config, overwrite=True):
        assert not folder.finished
    assert all((folder.path / name).read_text() == "mine" for name in mine)
    assert (folder.path / "linked").is_symlink()


def test_nothing_is_cleared_where_the_data_set_is_gone(config, tmp_path):
    folder = RunFolder.of(config, tmp_path)
    write_run(config, folder)
    gone = Config.make(dataset=str(tmp_path / "gone"), ratio=0.5)
    with pytest.raises(InputError), folder.opened(gone, overwrite=True):
        pass
    assert folder.finished


def test_a_setting_that_is_newer_than_the_run_had_its_default(config, tmp_path):
    folder = RunFolder.of(config, tmp_path)
    write_run(config, folder)
    record = folder.record()
    del record["settings"]["popularity"]
    folder.write_json("config.json", record)
    folder.check(config, "")
    other = Config.make(dataset=config.dataset, ratio=0.5, popularity=0.5)
    with pytest.raises(InputError, match=r"popularity 1\.0 \(now 0\.5\)"):
        folder.check(other, "")


RECORD = {"settings": {"dataset": "x", "ratio": 0.5, "variant": "ap", "seed": 1}}


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (None, "no such file"),
        ("", "no JSON"),
        ("[]", "no JSON object"),
        ("null", "no JSON object"),
        ("{}", "no settings, data or files"),
        ('{"settings": []}', "no settings, data or files"),
        ('{"settings": {}}', "no dataset in the settings"),
        (json.dumps({**RECORD, "data": []}), "no settings, data or files"),
        (json.dumps({"settings": {**RECORD["settings"], "seed": "1"}}), "no seed in"),
    ],
)
def test_a_damaged_record_is_refused(tmp_path, content, found):
    if content is not None:
        (tmp_path / "config.json").write_text(content)
    with pytest.raises(InputError, match=rf"config\.json(:1)?: found {found}"):
        RunFolder(tmp_path).record()


def test_a_folder_without_a_run_is_named_once(tmp_path):
    with pytest.raises(InputError) as error:
        RunFolder(tmp_path).config()
    assert str(error.value).count("config.json") == 1


@pytest.mark.parametrize(
    "content",
    ["epoch,loss,seconds\n1,x,2\n", "epoch,loss\n1,2\n", "a\n1\n", "epoch,loss\n1,2,3"],
)
def test_a_damaged_history_is_refused(tmp_path, content):
    (tmp_path / "history.csv").write_text(content)
    with pytest.raises(InputError, match=r"history\.csv: found no row of numbers"):
        RunFolder(tmp_path).history()


def test_a_setting_that_was_edited_is_refused(tmp_path):
    record = {**RECORD, "settings_sha256": settings_digest(RECORD["settings"])}
    (tmp_path / "config.json").write_text(json.dumps(record))
    RunFolder(tmp_path).check_files()
    record["settings"] = {**RECORD["settings"], "ratio": 0.6}
    (tmp_path / "config.json").write_text(json.dumps(record))
    with pytest.raises(InputError, match=r"config\.json: found settings that were"):
        RunFolder(tmp_path).check_files()


def test_other_versions_of_packages_are_said_in_one_line(tmp_path, capsys):
    record = {**RECORD, "versions": {"numpy": "2.1", "keras": "3"}}
    (tmp_path / "config.json").write_text(json.dumps(record))
    folder = RunFolder(tmp_path)
    assert folder.say_versions({"numpy": "2.1", "keras": "3"}) is None
    assert capsys.readouterr().err == ""
    assert folder.say_versions({"numpy": "2.2", "keras": "3"}) == record["versions"]
    said = f"{tmp_path} was made with numpy 2.1 (now 2.2): figures may differ\n"
    assert capsys.readouterr().err == said


def test_a_setting_of_another_version_is_named(tmp_path):
    settings = {**RECORD["settings"], "future": 1}
    (tmp_path / "config.json").write_text(json.dumps({"settings": settings}))
    with pytest.raises(InputError, match=r"found setting 'future'.* use the version"):
        RunFolder(tmp_path).config()
