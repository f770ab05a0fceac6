"""Pages of one run anew and of several; what is damaged gets one line."""

import json
import shutil

import pytest

from cane_gane.__main__ import main
from cane_gane.data.catalog import PUBLISHED
from cane_gane.report import paper
from tests.conftest import SHARED
from tests.launch import refused
from tests.report.results import Page


@pytest.fixture
def pair(finished, tmp_path):
    """The finished run, and one that says it is GANE-AP on cora."""
    other = shutil.copytree(finished[0], tmp_path / "cora-0.55-ap-seed1")
    record = json.loads((other / "config.json").read_text())
    record["settings"].update(dataset="cora", ratio=0.55, variant="ap")
    record["data"] = PUBLISHED["cora"]
    (other / "config.json").write_text(json.dumps(record))
    return finished[0], other


def test_one_run_gives_the_same_page_again(finished, copied):
    shutil.rmtree(copied / "figures")
    assert main(["report", str(copied)]) == 0
    for name in ("report.html", "figures/map.svg", "figures/map.png"):
        assert (copied / name).read_bytes() == (finished[0] / name).read_bytes(), name


def test_several_runs_are_side_by_side_with_the_papers_figures(pair, tmp_path, capsys):
    output = tmp_path / "side"
    assert main(["report", *map(str, pair), f"--output={output}"]) == 0
    assert capsys.readouterr().out.strip() == str(output / "report.html")
    page = Page(output / "report.html")
    for run in pair:
        assert run.name in page.text
    cells = {cell for row in page.rows for cell in row}
    assert "98.0" in cells  # GANE-AP on cora at 55 %
    assert "82.3" in cells  # its Macro-F1 with 10 % of the labels
    names = {path.name for path in (output / "figures").iterdir()}
    # The paper's AUC stands beside each protocol that it may be of.
    drawn = [f"ratios_cora_{name}" for name in ("upstream", "strict", "all_edges")]
    assert names == {f"{name}.{kind}" for name in drawn for kind in ("png", "svg")}
    assert page.text.count("published, same model and ratio") == len(drawn)


def test_a_run_of_an_unknown_data_set_has_no_curves_of_the_paper(finished):
    assert not (finished[0] / "figures" / "ratios.svg").exists()


@pytest.mark.parametrize("words", [["nowhere"], ["nowhere", "elsewhere"]])
def test_a_folder_that_is_no_run_is_refused(words, capsys):
    assert "nowhere: found no finished run" in refused(capsys, "report", *words)


def test_a_run_without_examples_says_how_to_get_them(copied, capsys):
    (copied / "examples.json").unlink()
    error = refused(capsys, "report", copied)
    assert "examples.json: found no such file; expected it beside" in error
    assert f"bash run.sh evaluate {copied}" in error


@pytest.mark.parametrize(
    ("name", "content", "found"),
    [
        ("config.json", "[]", "no JSON object"),
        ("config.json", "{}", "no settings, data or files"),
        ("config.json", '{"settings": []}', "no settings, data or files"),
        ("config.json", '{"settings": {}}', "no dataset in the settings"),
        ("metrics.json", "{}", "no value @ $.link_prediction"),
        ("metrics.json", "[]", "no JSON object"),
        ("metrics.json", "{", "no JSON"),
        ("examples.json", "[]", "no JSON object"),
        ("examples.json", '{"map": {"nodes": [0]}}', "no value"),
        ("history.csv", "epoch,loss,seconds\n1,x,1\n", "no row of numbers"),
    ],
)
def test_a_damaged_file_gets_one_line(finished, copied, capsys, name, content, found):
    (copied / name).write_text(content)
    error = refused(capsys, "report", copied)
    assert f"{copied / name}" in error
    assert f"found {found}" in error
    if name in ("config.json", "metrics.json"):
        assert f"found {found}" in refused(capsys, "report", finished[0], copied)


def test_a_run_without_times_and_examples_has_a_page(copied):
    metrics = json.loads((copied / "metrics.json").read_text())
    del metrics["time"]
    (copied / "metrics.json").write_text(json.dumps(metrics))
    (copied / "examples.json").write_text("{}")
    (copied / "report.html").unlink()
    assert main(["report", str(copied)]) == 0
    auc = metrics["link_prediction"]["strict"]["auc"]
    assert f"{100 * auc:.1f}" in Page(copied / "report.html").text


def test_a_run_of_an_older_version_has_a_page(copied):
    record = json.loads((copied / "config.json").read_text())
    del record["files"], record["settings"]["popularity"]
    (copied / "config.json").write_text(json.dumps(record))
    (copied / "report.html").unlink()
    assert main(["report", str(copied)]) == 0
    assert (copied / "report.html").is_file()


@pytest.mark.parametrize("dataset", ["cora", "HepTh", "zhihu"])
def test_the_papers_figures_are_those_of_its_tables(dataset):
    path = SHARED / "paper" / "tables.json"
    if not path.is_file():
        pytest.skip(f"no tables at {path}")
    tables = json.loads(path.read_text())
    curves = paper.auc_curves(dataset)
    for name, theirs in tables["link_prediction_auc"][dataset].items():
        row = name.removeprefix("GANE-").split()[0].lower()
        assert [value for _, value in curves.pop(row)] == theirs
    readme = tables["upstream_cane_readme_auc"][dataset]
    assert [value for _, value in curves.pop(paper.README)] == readme
    assert not curves
