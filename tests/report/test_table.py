"""The table by ratio: marks, the paper's rows, and names that are no markup."""

import csv
import io
import json

import pytest

from cane_gane.evaluation.protocols import PROTOCOLS, Protocol
from cane_gane.methods.method import Method
from cane_gane.methods.registry import METHODS
from cane_gane.report.formats import Layout
from cane_gane.report.layouts import as_csv, as_json, as_markdown
from cane_gane.report.overview import write_overview
from cane_gane.report.ratios import Ratios
from tests.report.results import Page, evaluation, labels, one_run

COLUMNS = ["measure", "protocol", "kind", "key", "ratio", "labels", "mean", "std",
           "std_error", "seeds", "below", "reached"]  # fmt: skip


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
    drawn = (tmp_path / "figures" / "ratios_upstream.svg").read_text()
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
                             "seconds", "auc", "macro_f1"]  # fmt: skip
    assert {*content["auc"]["upstream"]} == {"ours", "baselines", "paper", "readme"}
    assert {*content["auc"]["strict"]} == {"ours", "baselines"}
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
    assert page.of("section", "id") == ["upstream", "strict", "third", "runs"]
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
