"""The command that makes the paper's tables: its outlook, its runs, its page."""

import re
import sys

import pytest

from cane_gane.__main__ import main
from cane_gane.commands import reproduce
from cane_gane.evaluation.results import Examples, NodeMap, to_json
from cane_gane.report import paper
from cane_gane.report.reproduction import beside_paper
from cane_gane.runs import reproduction
from tests.conftest import ROOT
from tests.report.results import Page
from tests.runs.fake_training import fake_evaluation, write_run


@pytest.fixture
def few(monkeypatch):
    """Three methods, two ratios and two windows, with runs that take no time."""
    monkeypatch.setattr(reproduction, "ROWS", ("line", "ot", "ap"))
    monkeypatch.setattr(reproduction, "RATIOS", (0.55, 0.95))
    monkeypatch.setattr(reproduction, "WINDOWS", (1, 21))
    program = (sys.executable, "-m", "tests.runs.fake_training")
    monkeypatch.setattr("cane_gane.runs.cell.PROGRAM", program)
    monkeypatch.setattr("cane_gane.data.catalog.find_dataset", lambda name: None)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))


def finish(output, seeds=(1, 2)):
    """Writes all runs, as the command would have."""
    for cell in reproduction.union(reproduction.parts(seeds, output)):
        write_run(cell.config, cell.folder, labels=cell.config.dataset == "cora")
        chart = NodeMap([0, 1], [0.0, 1.0], [1.0, 0.0], ["a", "b"])
        cell.folder.write_json("examples.json", to_json(Examples(map=chart)))


def call(output, *words):
    return main(["reproduce", f"--output={output}", "--seeds=1,2", *words])


def test_the_papers_models_run_without_evidence(few, tmp_path):
    cells = reproduction.union(reproduction.parts((1,), tmp_path))
    kinds = {
        (cell.config.method, getattr(cell.config.settings, "evidence", None))
        for cell in cells
    }
    assert kinds == {("line", None), ("ot", "none"), ("ap", "none")}
    assert all("--evidence=none" in cell.words for cell in cells[1:3])


def test_what_is_finished_is_shown_at_once(few, tmp_path, capsys):
    finish(tmp_path)
    assert call(tmp_path) == 0
    out = capsys.readouterr().out
    assert re.search(r"Link prediction on cora +12 runs,   12 finished; nothing", out)
    assert re.search(r"together +28 runs,   28 finished; nothing to do", out)
    page = Page(tmp_path / "report.html")
    sections = page.of("section", "id")
    assert sections[-2:] == ["ablation", "map"]
    text = (tmp_path / "reproduction.md").read_text()
    for caption in ("cora: AUC in %, strict", "HepTh: AUC in %, upstream",
                    "cora: Macro-F1", "cora: AUC in % by window",
                    "HepTh: time and memory to fit"):  # fmt: skip
        assert caption in text


def test_figures_are_beside_the_papers_and_marked_where_far(few, tmp_path, capsys):
    finish(tmp_path)
    call(tmp_path, "--only=cora")
    (line,) = re.findall(
        r"\*\*cora: AUC in %, strict protocol\*\*.*?\n(\| LINE .*?)\n",
        (tmp_path / "reproduction.md").read_text(), re.DOTALL,
    )  # fmt: skip
    cell = line.split("|")[2].strip()
    configs = [
        cell.config
        for cell in reproduction.parts((1, 2), tmp_path)[0].cells
        if (cell.config.method, cell.config.ratio) == ("line", 0.55)
    ]
    aucs = [fake_evaluation(own).link_prediction["strict"].auc for own in configs]
    mean, theirs = 50 * sum(aucs), paper.auc("cora", "line", 0.55)
    mark = " ↑" if mean > theirs + 2 else " ↓" if mean < theirs - 2 else ""
    assert re.fullmatch(rf"{mean:.1f} ± \d+\.\d \({theirs}\){mark}", cell)


def test_a_figure_of_some_seeds_says_of_how_many(few, tmp_path, capsys):
    finish(tmp_path, seeds=(1,))
    cells = reproduction.union(reproduction.parts((1, 2), tmp_path))
    there = [cell for cell in cells if cell.folder.finished]
    found = reproduce._found(reproduction.parts((1, 2), tmp_path), (1, 2))
    assert found.done == (len(there), len(cells))
    text = beside_paper(found.tables[0], "strict").markdown()
    assert re.search(r"\| LINE \| \d+\.\d, n = 1 \(77\.6\)", text)


def test_a_run_that_is_missing_is_made_and_no_other(few, tmp_path, capsys):
    finish(tmp_path)
    gone = tmp_path / "ablation" / "window-21" / "cora-0.55-ap-seed2"
    (gone / "metrics.json").unlink()
    assert call(tmp_path, "--only=ablation", "--jobs=1") == 0
    out, err = capsys.readouterr()
    assert "4 runs,    3 finished; about" in out
    assert (gone / "metrics.json").is_file()
    assert "4/4" in err


def test_the_outlook_is_that_of_runs_that_ended(few, tmp_path):
    finish(tmp_path)
    cells = reproduction.parts((1, 2), tmp_path)[1].cells
    times = [cell.folder.evaluation().time for cell in cells
             if cell.config.method == "ot"]  # fmt: skip
    for cell in cells:
        if cell.config.ratio == 0.95:
            (cell.folder.path / "metrics.json").unlink()
    seconds = reproduction.estimator(cells)(cells[-2])
    assert cells[-2].config.method == "ot"
    known = [own.train + own.evaluate for own in times[::2]]
    assert seconds == pytest.approx(sum(known) / 2 + reproduction._BEGIN)


def test_guesses_go_with_the_pace_of_runs_that_ended(few, tmp_path):
    cells = reproduction.parts((1, 2), tmp_path)[0].cells
    before = reproduction.estimator(cells)
    ended = [cell for cell in cells if cell.config.method == "ot"]
    for cell in ended:
        write_run(cell.config, cell.folder)
    after, other = reproduction.estimator(cells), cells[0]
    assert other.config.method == "line"
    pace = after(ended[0]) / before(ended[0])
    assert after(other) == pytest.approx(pace * before(other))


def test_a_part_that_is_not_known_is_refused(tmp_path, capsys):
    assert call(tmp_path, "--only=corra") == 2
    assert "found --only=corra; expected some of cora, hepth" in capsys.readouterr().err
