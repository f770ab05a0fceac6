"""Several runs side by side, each beside what the paper has for its own data."""

import pytest

from cane_gane.evaluation.protocols import PROTOCOLS, Protocol
from cane_gane.evaluation.results import Timing
from cane_gane.methods.method import Method
from cane_gane.methods.registry import METHODS
from cane_gane.report.several import over_repeats, write_several
from tests.report.results import Page, evaluation, labels, one_run


@pytest.fixture
def page(tmp_path):
    """Writes the page of runs, and reads it."""

    def write(*runs):
        write_several(runs, tmp_path)
        return Page(tmp_path / "report.html")

    return write


def figures_of(folder):
    return sorted(path.stem for path in (folder / "figures").glob("*.svg"))


def test_each_run_has_a_column(page, tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "report.html").touch()
    found = page(
        one_run(tmp_path / "a", evaluation(0.95)),
        one_run(tmp_path / "b", evaluation(0.85), seed=2),
    )
    assert found.rows[0] == ["", "a", "b"]
    assert found.of("a", "href")[-1] == "./a/report.html"  # b has no page
    assert found.row("· model, pair by pair") == ["95.0 ± 0.3", "85.0 ± 0.3 ↓"]
    assert found.row("seed") == ["1", "2"]
    assert "85.0 ± 0.3 ↓" in found.red
    assert found.row("training") == ["12.5 s", "12.5 s"]


def test_the_papers_figures_are_beside_the_papers_data_alone(page, tmp_path):
    found = evaluation(node_classification=labels())
    shown = page(one_run("real", found), one_run("fake", found, data={}))
    assert shown.row("published, same model and ratio") == ["98.0", "–"]
    assert shown.row("CANE's README, same ratio") == ["93.4", "–"]
    assert shown.row("· 10 % of the labels, paper") == ["82.3", "–"]
    assert figures_of(tmp_path) == ["ratios_cora"]  # of the real one


def test_a_folder_called_cora_gets_no_figure_of_the_paper(page, tmp_path):
    runs = [one_run(str(r), dataset="cora", ratio=r, data={}) for r in (0.15, 0.55)]
    found = page(*runs)
    assert "published" not in found.text
    drawn = (tmp_path / "figures" / "ratios_cora.svg").read_text()
    assert "<!-- GANE-AP, here -->" in drawn
    assert "published" not in drawn


def test_rows_of_dashes_are_left_out(page):
    found = page(one_run("a", data={}), one_run("b", data={}))
    assert not any({*row[1:]} == {"–"} for row in found.rows if len(row) > 1)


def test_a_single_ratio_is_no_curve(page, tmp_path):
    found = page(one_run("a", data={}), one_run("b", data={}, seed=2))
    assert "training ratio" not in found.text
    assert figures_of(tmp_path) == []


def test_data_sets_of_one_name_are_drawn_apart(page, tmp_path):
    runs = [
        one_run(f"{home}{ratio}", dataset=f"{home}/net.v1", ratio=ratio, data={})
        for home in "ab"
        for ratio in (0.15, 0.55)
    ]
    assert page(*runs).text.count("AUC against the training ratio: net.v1") == 4
    assert figures_of(tmp_path) == ["ratios_net.v1", "ratios_net.v1_2"]


def test_runs_of_other_versions_and_without_times_are_shown(page):
    old = evaluation(protocols=("upstream",), time=Timing(None, None), best_epoch=None)
    found = page(one_run("old", old, variant="gone"), one_run("new"))
    assert found.row("training") == ["–", "12.5 s"]
    assert found.row("variant") == ["gone", "ap"]
    strict = [row for row in found.rows if row[0] == "· TF-IDF cosine"][1]
    assert strict[1:] == ["–", "90.0 ± 0.4"]


def test_a_new_protocol_and_a_new_method_need_no_change_here(
    page, tmp_path, monkeypatch
):
    toy = Method("toy", "Toy method", "", fit=None, open=None)
    monkeypatch.setitem(METHODS, "toy", toy)
    third = Protocol("third", "third protocol", "Scores by lot.", contest=None)
    monkeypatch.setitem(PROTOCOLS, "third", third)
    own = evaluation(protocols=("upstream", "strict", "third"))
    found = page(one_run("a", own, variant="toy"), one_run("b"))
    assert found.row("third protocol:") == ["", ""]
    assert (
        "<!-- Toy method, here -->"
        in (tmp_path / "figures" / "ratios_cora.svg").read_text()
    )


def test_repeats_have_a_mean_and_a_deviation():
    runs = [one_run(found=evaluation(auc), seed=s) for auc, s in ((0.8, 2), (0.9, 1))]
    found = over_repeats(runs, lambda run: run.auc("upstream"))
    assert found.mean == pytest.approx(0.85)
    assert found.std == pytest.approx(0.1 / 2**0.5)
    assert found.std_error is None
    assert found.seeds == (1, 2)


def test_a_single_run_has_its_own_error():
    found = over_repeats([one_run()], lambda run: run.auc("strict"))
    assert (found.std, found.std_error) == (None, 0.003)
    assert over_repeats([one_run()], lambda run: run.auc("third")) is None
