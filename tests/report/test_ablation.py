"""The ablation of the window: means over repeats, in every protocol there is."""

import json

from cane_gane.evaluation.results import ModelFigures
from cane_gane.report.ablation import ablation_table, write_ablation
from tests.report.results import Page, evaluation, one_run, ranked


def runs(found):
    """Returns runs by window, with seeds from 1."""
    return {
        window: [one_run(found=own, seed=seed) for seed, own in enumerate(repeats, 1)]
        for window, repeats in found.items()
    }


def test_the_page_the_table_and_the_file_say_the_same(tmp_path):
    found = runs({5: [evaluation(0.9), evaluation(0.92)], 1: [evaluation(0.8)]})
    write_ablation("cora, 0.55", found, tmp_path, 4)
    page = Page(tmp_path / "report.html")
    assert page.row("1") == ["1", "80.0", "79.0"]
    assert page.row("5") == ["2", "91.0 ± 1.4", "90.0 ± 1.4"]
    assert "Window of GANE-AP: cora, 0.55" in page.text
    content = json.loads((tmp_path / "ablation.json").read_text())
    assert content["1"] == {"upstream": [80.0], "strict": [79.0]}
    head, _, last = ablation_table(found).splitlines()
    assert head.split("  ")[-1].strip() == "strict protocol"
    assert last == f"{5:>6}{2:>9}{'91.0 ± 1.4':>22}{'90.0 ± 1.4':>22}"
    assert (tmp_path / "figures" / "ablation.png").is_file()
    assert "3 of 4 runs" in page.text


def test_a_window_that_scores_nothing_is_left_out(tmp_path):
    none = ModelFigures(auc=None, std_error=None, interval=None)
    empty = evaluation(link_prediction={"upstream": none, "strict": none})
    write_ablation("x", runs({1: [empty], 5: [evaluation(0.9)]}), tmp_path, 2)
    page = Page(tmp_path / "report.html")
    assert [row[0] for row in page.rows] == ["window", "5"]
    assert "2 of 2 runs" not in page.text


def test_a_protocol_without_auc_is_left_out(tmp_path):
    write_ablation("x", runs({1: [ranked()], 5: [ranked()]}), tmp_path, 2)
    assert Page(tmp_path / "report.html").rows[0] == [
        "window", "repeats", "upstream's protocol", "strict protocol",
        "all edges (not a test of prediction)",
    ]  # fmt: skip
