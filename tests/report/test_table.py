"""The table by ratio: marks, the paper's rows, and names that are no markup."""

import csv
import io
import json

import pytest

from cane_gane.evaluation.protocols import PROTOCOLS, Protocol
from cane_gane.evaluation.results import Timing
from cane_gane.methods.method import Method
from cane_gane.methods.registry import METHODS
from cane_gane.report.exports import as_csv, as_json
from cane_gane.report.formats import Layout
from cane_gane.report.layouts import as_markdown
from cane_gane.report.overview import write_overview
from cane_gane.report.paired import combined
from cane_gane.report.ratios import Ratios
from tests.report.results import (
    Page,
    difference,
    evaluation,
    labels,
    one_run,
    ranked,
)

COLUMNS = ["measure", "protocol", "kind", "key", "ratio", "labels", "mean", "std",
           "std_error", "seeds", "below", "reached", "low", "high",
           "rival"]  # fmt: skip


def ratios(*runs, dataset="cora", variants=("ap",)):
    columns = sorted({run.ratio for run in runs})
    seeds = sorted({run.seed for run in runs})
    return Ratios(dataset, variants, columns, seeds, runs)


def rows(found, measure="auc", protocol="upstream"):
    lines = csv.DictReader(io.StringIO(as_csv(found)))
    return [own for own in lines if (own["measure"], own["protocol"]) ==
            (measure, protocol)]  # fmt: skip


def test_the_papers_rows_and_marks_are_for_the_papers_data(tmp_path):
    real = ratios(one_run(found=evaluation(0.985, node_classification=labels())))
    text = as_markdown(real)
    assert "| GANE-AP, paper | 98.0 |" in text
    assert "| CANE, upstream's README | 93.4 |" in text
    assert "98.5 ± 0.3 (1) †" in text
    assert "| GANE-AP, paper | 82.3 | 84.2 | 86.7 | 88.5 |" in text


@pytest.mark.parametrize("data", [{}, {"data.txt": "0", "graph.txt": "1"}])
def test_a_folder_called_cora_has_neither(tmp_path, data):
    own = evaluation(0.985, node_classification=labels())
    found = ratios(one_run(found=own, data=data))
    write_overview(found, tmp_path)
    for name in ("table.md", "table.csv", "table.tex"):
        text = (tmp_path / name).read_text()
        assert "paper" not in text, name
        assert "README" not in text, name
        assert "†" not in text
    drawn = (tmp_path / "figures" / "ratios_upstream_auc.svg").read_text()
    assert "published" not in drawn
    assert "†" not in Page(tmp_path / "report.html").text


def test_one_run_on_other_data_takes_the_papers_rows_away():
    mixed = ratios(one_run(), one_run(seed=2, data={}))
    assert "paper" not in as_markdown(mixed)


@pytest.mark.parametrize("baseline", ["tfidf", "common_neighbours"])
def test_a_figure_below_any_baseline_is_marked(tmp_path, baseline):
    found = evaluation(0.95)
    others = found.baselines["strict"] | {baseline: found.link_prediction["upstream"]}
    own = evaluation(0.95, baselines={"upstream": found.baselines["upstream"],
                                      "strict": others})  # fmt: skip
    table = ratios(one_run(found=own))
    assert next(row["below"] for row in rows(table, protocol="strict")) == "1"
    assert next(row["below"] for row in rows(table)) == "0"
    write_overview(table, tmp_path)
    assert Page(tmp_path / "report.html").red == ["94.0 ± 0.3 (1) ↓"]


def test_a_baseline_is_one_figure_a_seed_whatever_the_methods():
    runs = [one_run(variant=v, seed=s, found=evaluation(baseline=0.8 + s / 100))
            for v in ("ap", "ot") for s in (1, 2)]  # fmt: skip
    found = ratios(*runs, variants=("ap", "ot"))
    (own,) = (row for row in rows(found) if row["key"] == "tfidf")
    assert own["seeds"] == "1 2"
    assert own["mean"] == "81.5000"
    assert float(own["std"]) == pytest.approx(100 * 0.01 / 2**0.5, abs=1e-4)


def test_columns_and_keys_are_those_of_the_documents():
    found = ratios(one_run(found=evaluation(node_classification=labels())))
    assert next(csv.reader(io.StringIO(as_csv(found)))) == COLUMNS
    content = json.loads(as_json(found))
    assert list(content) == ["dataset", "variants", "ratios", "seeds", "runs",
                             "seconds", "cost", "auc", "mrr", "hits_at_10",
                             "mrr_difference", "mrr_paired",
                             "macro_f1"]  # fmt: skip
    for name in ("upstream", "strict"):
        assert {*content["auc"][name]} == {"ours", "baselines", "paper", "readme"}
    assert content["macro_f1"]["ours"]["ap"]["0.55"]["0.1"]["mean"] == 0.8
    assert content["macro_f1"]["paper"]["ap"]["0.1"]["mean"] == pytest.approx(0.823)


def test_a_table_without_labels_has_no_macro_f1():
    found = ratios(one_run())
    assert json.loads(as_json(found))["macro_f1"] == {}
    assert "Macro-F1" not in as_markdown(found)


def test_a_new_protocol_and_a_new_method_need_no_change_here(tmp_path, monkeypatch):
    toy = Method("toy", "Toy method", "", fit=None, open=None)
    monkeypatch.setitem(METHODS, "toy", toy)
    third = Protocol("third", "third protocol", "Scores by lot.", contest=None)
    monkeypatch.setitem(PROTOCOLS, "third", third)
    own = evaluation(protocols=("upstream", "strict", "third"))
    found = ratios(one_run(found=own, variant="toy"), variants=("toy",))
    write_overview(found, tmp_path)
    text = (tmp_path / "table.md").read_text()
    assert "AUC in %, third protocol" in text
    assert "| Toy method | 93.0 ± 0.3 (1) |" in text
    page = Page(tmp_path / "report.html")
    assert page.of("section", "id") == [
        "auc-strict", "auc-upstream", "auc-third", "cost", "runs"
    ]  # fmt: skip
    assert (
        "toy"
        in json.loads((tmp_path / "table.json").read_text())["auc"]["third"]["ours"]
    )


def test_methods_of_another_version_are_named_by_their_keys():
    found = ratios(one_run(variant="gone"), variants=("gone",))
    assert "| gone | 95.0 ± 0.3 (1) |" in as_markdown(found)


def test_runs_are_linked_by_seed(tmp_path):
    folder = tmp_path / "javascript:alert(1)-0.55-ap-seed1"
    write_overview(ratios(one_run(folder), one_run(tmp_path / "b", seed=2)), tmp_path)
    assert Page(tmp_path / "report.html").of("a", "href")[-2:] == [
        "./javascript%3Aalert%281%29-0.55-ap-seed1/report.html", "./b/report.html"
    ]  # fmt: skip


def test_names_are_no_markup_in_markdown():
    name = "<img src=x onerror=alert(1)>|[a](javascript:b)_c_*d*`e`\\\x1b[31m"
    text = as_markdown(ratios(one_run(), dataset=name))
    assert "<" not in text
    assert "\x1b" not in text
    caption = text.splitlines()[0]
    assert caption.startswith(
        r"**&lt;img src=x onerror=alert(1)&gt;\|\[a\](javascript:b)\_c\_\*d\*\`e\`\\"
    )


def test_names_are_no_code_in_latex():
    text = Layout("a_b & 5 % {x}", ("", "#1"), [[("$^~\\", "–")]]).latex()
    assert r"\caption{a\_b \& 5 \% \{x\}}" in text
    assert r"\$\^{}\~{}\textbackslash{} & -- \\" in text


def test_each_protocol_has_the_measures_that_it_has(tmp_path):
    write_overview(ratios(one_run(found=ranked())), tmp_path)
    sections = [
        "auc-strict", "mrr-strict", "hits_at_10-strict", "auc-upstream", "mrr-hard",
        "hits_at_10-hard", "auc-all_edges", "mrr_difference-strict",
    ]  # fmt: skip
    assert Page(tmp_path / "report.html").of("section", "id") == [
        sections[-1], *sections[:-1], "cost", "runs"
    ]  # fmt: skip
    lines = csv.DictReader(io.StringIO((tmp_path / "table.csv").read_text()))
    found = dict.fromkeys(f"{own['measure']}-{own['protocol']}" for own in lines)
    assert list(found) == sections
    text = (tmp_path / "table.tex").read_text()
    assert text.count(r"\begin{table}") == len(sections) + 1  # and what they cost
    for name in ("mrr_strict", "hits_at_10_hard"):
        measure, _, protocol = name.rpartition("_")
        file = tmp_path / "figures" / f"ratios_{protocol}_{measure}.svg"
        assert "AUC" not in file.read_text()


def test_places_are_means_over_seeds_below_or_above_baselines():
    runs = [one_run(found=ranked(mrr), seed=s) for mrr, s in ((0.5, 1), (0.6, 2))]
    own, linear, walks, _ = rows(ratios(*runs), "mrr", "strict")
    assert (own["key"], own["mean"], own["below"]) == ("ap", "55.0000", "1")
    assert float(own["std"]) == pytest.approx(10 / 2**0.5, abs=1e-4)
    assert (linear["kind"], linear["mean"]) == ("baselines", "60.0000")
    assert walks["mean"] == "55.0000"
    content = json.loads(as_json(ratios(*runs)))
    for measure in ("mrr", "hits_at_10"):
        assert {*content[measure]} == {"strict", "hard"}
    assert content["mrr"]["hard"]["ours"]["ap"]["0.55"]["mean"] == pytest.approx(0.55)
    text = as_markdown(ratios(*runs))
    assert "| GANE-AP | 55.0 ± 7.1 ↓ |" in text
    assert "A model's pair score ranks a random sample of" in text


def test_a_protocol_that_does_not_predict_has_its_warning(tmp_path):
    about = PROTOCOLS["all_edges"].about
    write_overview(ratios(one_run(found=ranked())), tmp_path)
    for name in ("table.md", "table.tex"):
        text = (tmp_path / name).read_text()
        assert text.count("all edges") == text.count("not a test of prediction") == 1
        assert text.count(about) == 1
    assert about in Page(tmp_path / "report.html").text


def test_the_paper_is_beside_every_protocol_that_it_may_be_of():
    found = ratios(one_run(found=ranked()))
    for name in ("upstream", "strict", "all_edges"):
        assert "paper" in [row["kind"] for row in rows(found, protocol=name)]
    assert "paper" not in [row["kind"] for row in rows(found, "mrr", "strict")]
    text = as_markdown(found)
    assert text.count("The paper does not name its negatives") == 3


def test_the_start_of_each_method_is_its_own_row():
    """All methods have the other baselines in common."""
    runs = [
        one_run(found=ranked(rivals={"start": own, "linear": 0.6}), variant=variant)
        for variant, own in (("ap", 0.5), ("ot", 0.4))
    ]
    found = ratios(*runs, variants=("ap", "ot"))
    shown = [
        (row["kind"], row["key"], row["mean"]) for row in rows(found, "mrr", "hard")
    ]
    assert shown[2:] == [
        ("start", "ap", "50.0000"), ("start", "ot", "40.0000"),
        ("baselines", "linear", "60.0000"),
    ]  # fmt: skip
    assert "| GANE-AP, before training | 50.0 |" in as_markdown(found)


def test_differences_of_seeds_are_combined_as_independent():
    found = combined([difference(0.01, 0.03), difference(0.05, 0.04)])
    assert found.mean == pytest.approx(0.03)
    assert found.interval == pytest.approx((0.03 - 0.025, 0.03 + 0.025))
    assert found.sign == 1
    alone = difference(0.01, 0.03)
    assert combined([alone]).interval == pytest.approx(alone.interval)


def test_the_difference_is_to_the_best_baseline_of_each_ratio(tmp_path):
    other = ranked(0.7, {"linear": 0.5, "tfidf": 0.6})
    runs = [one_run(found=ranked(0.55), seed=s) for s in (1, 2)]
    table = ratios(*runs, one_run(found=other, ratio=0.85))
    write_overview(table, tmp_path)
    first, last = rows(table, "mrr_difference", "strict")
    assert (first["rival"], first["ratio"], first["seeds"]) == ("linear", "0.55", "1 2")
    assert first["mean"] == "-5.0000"
    assert float(first["low"]) == pytest.approx(-5 - 2 / 2**0.5, abs=1e-3)
    assert (first["below"], last["below"]) == ("1", "0")
    assert (last["rival"], last["ratio"], last["mean"]) == ("tfidf", "0.85", "10.0000")
    text = (tmp_path / "table.md").read_text()
    assert "| GANE-AP minus linear ranker | -5.0 (-6.4 to -3.6) ↓ | – |" in text
    assert "| GANE-AP minus TF-IDF cosine | – | +10.0 (+8.0 to +12.0) ↑ (1) |" in text
    page = Page(tmp_path / "report.html")
    assert "-5.0 (-6.4 to -3.6) ↓" in page.red
    assert page.coloured["good"] == ["+10.0 (+8.0 to +12.0) ↑ (1)"]
    content = json.loads((tmp_path / "table.json").read_text())["mrr_difference"]
    assert content["strict"]["ours"]["ap"]["0.85"]["rival"] == "tfidf"


def test_runs_of_an_older_version_have_their_table(tmp_path):
    """Without differences or places of the pair score there are fewer sheets."""
    write_overview(ratios(one_run(), one_run(found=ranked(), seed=2)), tmp_path)
    found = ratios(one_run())
    assert {own["measure"] for own in csv.DictReader(io.StringIO(as_csv(found)))} == {
        "auc"
    }


def test_time_and_memory_are_beside_the_figures():
    times = [Timing(2.0, 1.0, memory=300 * 2**20), Timing(4.0, 1.0, memory=2**30)]
    found = ratios(
        *(one_run(found=evaluation(time=own), seed=seed)
          for seed, own in enumerate(times, 1)),
    )  # fmt: skip
    assert "| GANE-AP | 3.0 s, 1,024 MB |" in as_markdown(found)
    cost = json.loads(as_json(found))["cost"]
    assert cost == {"ap": {"0.55": {"seconds": 3.0, "memory": 2**30}}}
