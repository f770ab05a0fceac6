"""Several runs side by side, each beside what the paper has for its own data."""

import numpy as np
import pytest

from cane_gane.evaluation.outcomes import Outcomes, differences, write_outcomes
from cane_gane.evaluation.protocols import PROTOCOLS, Protocol
from cane_gane.evaluation.results import Timing
from cane_gane.methods.method import Method
from cane_gane.methods.registry import METHODS
from cane_gane.report.repeats import over_repeats
from cane_gane.report.several import write_several
from tests.report.results import Page, evaluation, labels, one_run, ranked


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
    assert ["strict protocol, %", "a", "b"] in found.rows
    assert found.of("a", "href")[-1] == "./a/report.html"  # b has no page
    assert found.row("model, pair by pair") == ["94.0 ± 0.3", "84.0 ± 0.3 ↓"]
    assert found.row("seed") == ["1", "2"]
    assert "84.0 ± 0.3 ↓" in found.red
    assert found.row("training") == ["12.5 s", "12.5 s"]


def test_runs_of_one_name_are_told_apart_by_their_parents(page, tmp_path):
    runs = [one_run(tmp_path / place / "mine", evaluation()) for place in "ab"]
    assert ["strict protocol, %", "a/mine", "b/mine"] in page(*runs).rows


def test_the_papers_figures_are_beside_the_papers_data_alone(page, tmp_path):
    found = evaluation(node_classification=labels())
    shown = page(one_run("real", found), one_run("fake", found, data={}))
    published = [row for row in shown.rows if "published" in row[0]]
    assert published == [["published, same model and ratio", "98.0", "–"]] * 2
    assert shown.row("CANE's README, same ratio") == ["93.4", "–"]
    assert shown.row("10 % of the labels, paper") == ["82.3", "–"]
    assert figures_of(tmp_path) == ["ratios_cora_strict", "ratios_cora_upstream"]


def test_a_folder_called_cora_gets_no_figure_of_the_paper(page, tmp_path):
    runs = [one_run(str(r), dataset="cora", ratio=r, data={}) for r in (0.15, 0.55)]
    found = page(*runs)
    assert "published" not in found.text
    drawn = (tmp_path / "figures" / "ratios_cora_strict.svg").read_text()
    assert ">GANE-AP, here</text>" in drawn
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
    assert page(*runs).text.count("AUC by training ratio: net.v1") == 4
    assert figures_of(tmp_path) == [
        "ratios_net.v1_2_strict", "ratios_net.v1_2_upstream",
        "ratios_net.v1_strict", "ratios_net.v1_upstream",
    ]  # fmt: skip


def test_runs_of_other_versions_and_without_times_are_shown(page):
    old = evaluation(protocols=("upstream",), time=Timing(None, None), best_epoch=None)
    found = page(one_run("old", old, variant="gone"), one_run("new"))
    assert found.row("training") == ["–", "12.5 s"]
    assert found.row("variant") == ["gone", "ap"]
    assert found.row("TF-IDF cosine") == ["–", "90.0 ± 0.4"]  # strict


def test_a_new_protocol_and_a_new_method_need_no_change_here(
    page, tmp_path, monkeypatch
):
    toy = Method("toy", "Toy method", "", fit=None, open=None)
    monkeypatch.setitem(METHODS, "toy", toy)
    third = Protocol("third", "third protocol", "Scores by lot.", contest=None)
    monkeypatch.setitem(PROTOCOLS, "third", third)
    own = evaluation(protocols=("upstream", "strict", "third"))
    found = page(one_run("a", own, variant="toy"), one_run("b"))
    assert found.row("third protocol, %") == ["a", "b"]
    drawn = (tmp_path / "figures" / "ratios_cora_strict.svg").read_text()
    assert ">Toy method</text>" in drawn


def test_repeats_have_a_mean_and_a_deviation():
    runs = [one_run(found=evaluation(auc), seed=s) for auc, s in ((0.8, 2), (0.9, 1))]
    found = over_repeats(runs, lambda run: run.figure("upstream"))
    assert found.mean == pytest.approx(0.85)
    assert found.std == pytest.approx(0.1 / 2**0.5)
    assert found.std_error is None
    assert found.seeds == (1, 2)


def test_a_single_run_has_its_own_error():
    found = over_repeats([one_run()], lambda run: run.figure("strict"))
    assert (found.std, found.std_error) == (None, 0.003)
    assert over_repeats([one_run()], lambda run: run.figure("third")) is None


def test_mrr_and_hits_are_rows_beside_auc(page):
    found = page(one_run("a", ranked()), one_run("b", ranked(0.65)))
    start = found.rows.index(["strict protocol, %", "a", "b"])
    strict = found.rows[start + 1 : start + 16]
    model = [row for row in strict if row[0] == "model, pair by pair"]
    assert [row[1:] for row in model] == [
        ["95.0", "95.0"], ["55.0 ↓", "65.0"], ["70.0", "70.0"]
    ]  # fmt: skip
    assert found.rows.count(["MRR"]) == 2  # strict and hard
    assert "all edges (not a test of prediction), %" in [row[0] for row in found.rows]


def test_no_figure_of_places_has_an_error():
    assert one_run(found=ranked()).figure("strict", "mrr") == (0.55, None)
    assert one_run(found=ranked()).figure("hard", "mrr", "linear") == (0.6, None)
    assert one_run(found=ranked()).figure("hard") == (None, None)


@pytest.fixture
def saved(tmp_path):
    """Makes a run whose folder has outcomes drawn at random."""

    def make(name, seed=1, edges=((0, 1), (2, 3), (4, 5)), data=None):
        edges, rng = np.array(edges), np.random.default_rng(len(name))
        own = Outcomes(rng.random(len(edges)), rng.integers(1, 30, len(edges)) * 1.0)
        found = dict.fromkeys(("strict", "all_edges"), (edges, own))
        (tmp_path / name).mkdir()
        write_outcomes(tmp_path / name / "edges.npz", found)
        return one_run(tmp_path / name, ranked(), data=data, seed=seed)

    return make


def test_runs_on_the_same_edges_are_compared_edge_by_edge(page, saved):
    first, other = saved("one"), saved("other")
    shown = page(first, other)
    own, theirs = (run.outcomes["strict"][1] for run in (first, other))
    found = differences(own, theirs, seed=1)["mrr"]
    low, high = (100 * end for end in found.interval)
    assert found.mean == pytest.approx(np.mean(1 / own.places - 1 / theirs.places))
    cells = shown.row("minus other")
    assert cells[1].startswith(f"{100 * found.mean:+.1f} ({low:+.1f} to {high:+.1f})")
    assert shown.row("strict protocol, points") == ["AUC", "MRR", "Hits@10"]
    paired = [row[0] for row in shown.rows if row[0].endswith(", points")]
    assert paired == ["strict protocol, points"]  # all edges are no test
    assert "Not compared" not in shown.text


def test_runs_that_cannot_be_compared_are_named_with_the_reason(page, saved, tmp_path):
    shown = page(
        saved("one"),
        saved("data", data={"graph.txt": "0"}),
        saved("split", edges=((0, 1), (2, 3))),
        one_run(tmp_path / "old"),
    )
    assert "less" not in [row[0][:4] for row in shown.rows]
    assert (
        "Not compared with one edge by edge: data (other data), split (other test "
        "edges), old (no edges.npz: bash run.sh evaluate "
        f"{tmp_path / 'old'} writes it)."
    ) in shown.text


def test_without_the_edges_of_the_first_run_nothing_is_compared(page, saved):
    shown = page(one_run("first"), saved("other"))
    assert "other (no edges.npz: bash run.sh evaluate first writes it)." in shown.text
