"""Pages of one run anew and of several, and the table that marks weak models."""

import json
import shutil

import pytest

from cane_gane.__main__ import main
from cane_gane.report import paper
from cane_gane.report.tables import link_rows, percent, summary
from tests.conftest import SHARED


@pytest.fixture
def pair(finished, tmp_path):
    """The finished run, and one that says it is GANE-AP on cora."""
    other = shutil.copytree(finished[0], tmp_path / "cora-0.55-ap-seed1")
    record = json.loads((other / "config.json").read_text())
    record["settings"].update(dataset="cora", ratio=0.55, variant="ap")
    (other / "config.json").write_text(json.dumps(record))
    return finished[0], other


def test_one_run_gives_the_same_page_again(finished, tmp_path):
    copied = shutil.copytree(finished[0], tmp_path / finished[0].name)
    shutil.rmtree(copied / "figures")
    assert main(["report", str(copied)]) == 0
    for name in ("report.html", "figures/map.svg", "figures/map.png"):
        assert (copied / name).read_bytes() == (finished[0] / name).read_bytes(), name


def test_several_runs_stand_side_by_side_with_the_papers_figures(
    pair, tmp_path, capsys
):
    output = tmp_path / "side"
    assert main(["report", *map(str, pair), f"--output={output}"]) == 0
    assert capsys.readouterr().out.strip() == str(output / "report.html")
    text = (output / "report.html").read_text()
    for run in pair:
        assert f">{run.name}</a>" in text
    assert "<td>98.0</td>" in text  # GANE-AP on cora at 55 %
    assert "<td>82.3</td>" in text  # its Macro-F1 with 10 % of the labels
    names = {path.name for path in (output / "figures").iterdir()}
    assert names == {
        f"ratios_{name}.{kind}"
        for name in ("topics", "cora")
        for kind in ("png", "svg")
    }


def test_a_run_of_an_unknown_data_set_has_no_curves_of_the_paper(finished):
    assert not (finished[0] / "figures" / "ratios.svg").exists()


@pytest.mark.parametrize("words", [["nowhere"], ["nowhere", "elsewhere"]])
def test_a_folder_that_is_no_run_is_refused(words, capsys):
    assert main(["report", *words]) == 2
    error = capsys.readouterr().err
    assert "nowhere: found no finished run" in error
    assert error.count("\n") == 1


def test_a_run_without_examples_says_how_to_get_them(finished, tmp_path, capsys):
    copied = shutil.copytree(finished[0], tmp_path / "run")
    (copied / "examples.json").unlink()
    assert main(["report", str(copied)]) == 2
    assert "bash run.sh evaluate" in capsys.readouterr().err


def figures(auc):
    return {"auc": auc, "std_error": 0.01, "scored": 8, "edges": 9}


def metrics(model, baseline):
    link = {"score": "embed.txt", **figures(model)}
    return {
        "link_prediction": {"upstream": link, "strict": link},
        "baselines": {
            name: {"tfidf": figures(baseline), "common_neighbours": figures(0.5)}
            for name in ("upstream", "strict")
        },
    }


def test_a_model_below_a_baseline_is_marked_and_red():
    text = summary(metrics(0.9, 0.95), colour=True)
    assert text.count("\033[31m") == 2
    assert text.count("90.0 ± 1.0 ↓") == 2
    assert text.endswith("↓ below a baseline that learns nothing")


def test_a_model_above_all_baselines_is_not():
    text = summary(metrics(0.96, 0.95), colour=True)
    assert "↓" not in text
    assert "\033" not in text


def test_the_baselines_above_a_model_are_named_best_first():
    model, *baselines = link_rows(metrics(0.4, 0.95))
    assert model.below["strict"] == ("tfidf", "common_neighbours")
    assert all(row.below["strict"] == () for row in baselines)


def test_a_figure_that_is_missing_is_a_dash():
    assert percent(None) == "–"


@pytest.mark.parametrize("dataset", ["cora", "HepTh", "zhihu"])
def test_the_papers_figures_are_those_of_its_tables(dataset):
    path = SHARED / "paper" / "tables.json"
    if not path.is_file():
        pytest.skip(f"no tables at {path}")
    tables = json.loads(path.read_text())
    curves = paper.auc_curves(dataset)
    for variant, name in paper.NAMES.items():
        row = tables["link_prediction_auc"][dataset][name]
        assert [value for _, value in curves[variant]] == row
    readme = tables["upstream_cane_readme_auc"][dataset]
    assert [value for _, value in curves["upstream"]] == readme
