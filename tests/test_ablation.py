"""The ablation: each cell a run folder, a cut loses one run at the most."""

import json

import pytest

from cane_gane.__main__ import main
from cane_gane.commands import ablation
from cane_gane.config import make_config
from cane_gane.runs import RunFolder
from tests.launch import FLAGS

SETTINGS = [flag for flag in FLAGS if not flag.startswith("--device")]


@pytest.fixture
def trained(monkeypatch):
    """Stands in for training: notes the cells, and writes what a run leaves."""
    cells = []

    def train(config, folder, values):
        cells.append((config.window, config.seed))
        if len(cells) == train.cut:
            raise KeyboardInterrupt
        auc = 0.9 + 0.001 * config.window + 0.01 * config.seed
        links = {name: {"auc": auc} for name in ("upstream", "strict")}
        folder.write_json("config.json", {"settings": vars(config)})
        folder.write_json("metrics.json", {"link_prediction": links})

    train.cut = None
    monkeypatch.setattr(ablation, "_train", train)
    return train, cells


def run(topics, output, *flags):
    words = ["ablation", str(topics), "0.55", "--windows", "1,5", "--repeats", "2"]
    return main([*words, f"--output={output}", *flags])


def test_every_cell_is_trained_once_and_drawn(topics, tmp_path, trained, capsys):
    assert run(topics, tmp_path) == 0
    assert trained[1] == [(1, 1), (5, 1), (1, 2), (5, 2)]
    found = json.loads((tmp_path / "ablation.json").read_text())
    assert found["5"]["strict"] == pytest.approx([91.5, 92.5])
    out = capsys.readouterr().out
    assert "     5        2      92.0 ± 0.7" in out
    assert out.splitlines()[-1] == str(tmp_path / "report.html")
    for kind in ("png", "svg"):
        assert (tmp_path / "figures" / f"ablation.{kind}").is_file()


def test_a_cut_loses_no_finished_cell(topics, tmp_path, trained):
    trained[0].cut = 3
    assert run(topics, tmp_path) == 130
    assert set(json.loads((tmp_path / "ablation.json").read_text())) == {"1", "5"}
    trained[0].cut = None
    assert run(topics, tmp_path) == 0
    assert trained[1][3:] == [(1, 2), (5, 2)]


def test_cells_with_other_settings_are_refused(topics, tmp_path, trained, capsys):
    assert run(topics, tmp_path) == 0
    assert run(topics, tmp_path, "--epochs=2") == 2
    assert "found a run with epochs 30 (now 2)" in capsys.readouterr().err


def test_an_unknown_data_set_is_refused_before_anything_is_begun(tmp_path, capsys):
    assert run("nowhere", tmp_path / "out") == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("windows", ["1,x", "0,5", ""])
def test_windows_that_are_no_numbers_are_refused(topics, tmp_path, capsys, windows):
    assert run(topics, tmp_path, f"--windows={windows}") == 2
    error = capsys.readouterr().err
    assert "expected numbers from 1 on" in error
    assert error.count("\n") == 1


@pytest.mark.slow
def test_a_cell_is_the_run_of_the_plain_command(topics, tmp_path, capsys):
    words = ["ablation", str(topics), "0.6", "--windows=3", "--repeats=1"]
    assert main([*words, *SETTINGS, "--epochs=1", f"--output={tmp_path}"]) == 0
    config = make_config(
        dataset=str(topics), ratio=0.6, variant="ap", window=3, dimension=8, epochs=1,
        batch_size=8, patience=6, validation=0.2, learning_rate=0.01,
    )  # fmt: skip
    folder = RunFolder(tmp_path / "window-3" / "topics-0.6-ap-seed1")
    assert folder.record()["settings"] == vars(config)
    auc = folder.read_json("metrics.json")["link_prediction"]["strict"]["auc"]
    assert f"{100 * auc:.1f}" in capsys.readouterr().out


@pytest.mark.slow
def test_a_cell_that_fails_ends_it_with_one_line(topics, tmp_path, capfd):
    words = ["ablation", str(topics), "0.6", "--windows=3", "--repeats=1"]
    flags = [*SETTINGS, "--learning_rate=1e18", f"--output={tmp_path}"]
    assert main([*words, *flags]) == 2
    error = capfd.readouterr().err
    assert "found exit code 3 (see above)" in error.splitlines()[-1]
    assert "Traceback" not in error
