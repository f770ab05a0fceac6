"""The ablation: each cell a run folder, a cut loses one run at most."""

import json
import re
import sys

import numpy as np
import pytest

from cane_gane.__main__ import main
from cane_gane.report.titles import protocol_title
from cane_gane.runs.config import Config
from cane_gane.runs.folder import RunFolder
from tests.launch import FLAGS, ROOT
from tests.runs.fake_training import fake_evaluation

MEASURED = ("upstream", "strict", "all_edges")  # hard negatives give no AUC
SETTINGS = [flag for flag in FLAGS if not flag.startswith("--device")]


@pytest.fixture(autouse=True)
def fake(request, monkeypatch):
    """Stands in for training, but for the tests that are slow."""
    if not request.node.get_closest_marker("slow"):
        program = (sys.executable, "-m", "tests.runs.fake_training")
        monkeypatch.setattr("cane_gane.runs.cell.PROGRAM", program)
        monkeypatch.setenv("PYTHONPATH", str(ROOT))


def aucs(window, protocol):
    """Returns what the stand-in gives both repeats, in %."""
    configs = [Config.make(ratio=0.55, window=window, seed=seed) for seed in (1, 2)]
    links = [fake_evaluation(config).link_prediction for config in configs]
    return [100 * link[protocol].auc for link in links]


def run(topics, output, *flags):
    words = ["ablation", str(topics), "0.55", "--windows", "1,5", "--repeats", "2"]
    return main([*words, f"--output={output}", *flags])


def test_every_cell_is_trained_and_drawn(topics, tmp_path, capsys):
    assert run(topics, tmp_path) == 0
    found = json.loads((tmp_path / "ablation.json").read_text())
    for window in (1, 5):
        assert set(found[str(window)]) == set(MEASURED)
        for protocol in MEASURED:
            expected = pytest.approx(aucs(window, protocol))
            assert found[str(window)][protocol] == expected
    out = capsys.readouterr().out
    values = aucs(5, "upstream")
    spread = f"{np.mean(values):.1f} ± {np.std(values, ddof=1):.1f}"
    assert f"     5        2{spread:>22}" in out
    assert out.splitlines()[-1] == str(tmp_path / "report.html")
    for kind in ("png", "svg"):
        assert (tmp_path / "figures" / f"ablation.{kind}").is_file()


def test_every_column_of_the_terminal_has_room_for_its_title(topics, tmp_path, capsys):
    assert run(topics, tmp_path) == 0
    header, first, *_ = map(str.rstrip, capsys.readouterr().out.splitlines())
    titles = [protocol_title(name) for name in MEASURED]
    assert re.split(" {2,}", header.strip()) == ["window", "repeats", *titles]
    ends = [header.index(title) + len(title) for title in titles]
    for protocol, end in zip(MEASURED, ends, strict=True):
        values = aucs(1, protocol)
        spread = f"{np.mean(values):.1f} ± {np.std(values, ddof=1):.1f}"
        assert first[:end].endswith(f"  {spread}")


def test_cells_with_other_settings_are_refused(topics, tmp_path, capsys):
    assert run(topics, tmp_path) == 0
    capsys.readouterr()
    assert run(topics, tmp_path, "--epochs=2") == 2
    error = capsys.readouterr().err
    assert "found a run with epochs 5 (now 2)" in error
    assert error.count("\n") == 1


def test_an_unknown_data_set_is_refused_before_anything_is_begun(tmp_path, capsys):
    assert run("nowhere", tmp_path / "out") == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("windows", ["1,x", "0,5", "", "²", "1-3", "9" * 5000])
def test_windows_that_are_no_numbers_are_refused(topics, tmp_path, capsys, windows):
    assert run(topics, tmp_path, f"--windows={windows}") == 2
    error = capsys.readouterr().err
    assert "expected numbers from 1 on" in error
    assert error.count("\n") == 1
    assert len(error) < 300


@pytest.mark.slow
def test_a_cell_is_the_run_of_the_plain_command(topics, tmp_path, capsys):
    words = ["ablation", str(topics), "0.6", "--windows=3", "--repeats=1"]
    assert main([*words, *SETTINGS, "--epochs=1", f"--output={tmp_path}"]) == 0
    config = Config.make(
        dataset=str(topics), ratio=0.6, method="ap", window=3, dimension=8, epochs=1,
        batch_size=8, patience=6, validation=0.2, learning_rate=0.01,
    )  # fmt: skip
    folder = RunFolder(tmp_path / "window-3" / "topics-0.6-ap-seed1")
    assert folder.record()["settings"] == config.flat()
    auc = folder.evaluation().link_prediction["strict"].auc
    assert f"{100 * auc:.1f}" in capsys.readouterr().out


@pytest.mark.slow
def test_a_cell_that_fails_ends_it_with_one_line(topics, tmp_path, capfd):
    words = ["ablation", str(topics), "0.6", "--windows=3", "--repeats=1"]
    flags = [*SETTINGS, "--learning_rate=1000", f"--output={tmp_path}"]
    assert main([*words, *flags]) == 2
    error = capfd.readouterr().err
    told, last = error.splitlines()[-2:]
    assert "FAILED: found loss" in told
    assert "(exit code 3; " in told
    assert "found 1 of 1 runs failed" in last
    assert "Traceback" not in error
