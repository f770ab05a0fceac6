"""The page of a run: what it shows, and what it leaves out where there is nothing."""

import dataclasses

import numpy as np
import pytest

from cane_gane.evaluation.protocols import PROTOCOLS, Protocol
from cane_gane.evaluation.results import (
    Evaluation,
    Examples,
    Timing,
    from_json,
)
from cane_gane.methods.method import Method
from cane_gane.methods.registry import METHODS
from tests.report.results import (
    DATA,
    ROC,
    evaluation,
    examples,
    history,
    labels,
    record,
)
from tests.report.test_page import write_run


def test_the_table_has_the_figures_of_each_score(tmp_path):
    page = write_run(tmp_path)
    assert page.row("model, pair by pair")[:2] == ["95.0 ± 0.3", "94.0 ± 0.3"]
    assert page.row("averaged vectors, both")[:2] == ["94.0 ± 0.2"] * 2
    assert page.row("TF-IDF cosine")[:2] == ["90.0 ± 0.4"] * 2
    assert page.row("test edges scored")[:2] == ["90 of 100"] * 2
    assert page.red == []


def test_every_figure_below_a_baseline_is_red_and_has_its_arrow(tmp_path):
    """The figures of ranking, too: AUC may be above where these are below."""
    found = evaluation(auc=0.95)
    strong = dataclasses.replace(
        found.baselines["strict"]["tfidf"], auc=0.94, mrr=0.7, hits_at_10=0.7
    )
    found.baselines["strict"]["tfidf"] = strong
    page = write_run(tmp_path, evaluation=found)
    assert page.red == ["50.0 ↓", "60.0 ↓"]
    assert page.of("td", "title") == ["below TF-IDF cosine"] * 2


def test_a_model_below_baselines_is_named_with_them(tmp_path):
    page = write_run(tmp_path, evaluation=evaluation(auc=0.8))
    assert "80.0 ↓" in page.red  # in the summary
    assert "80.0 ± 0.3 ↓" in page.red
    best = "below TF-IDF cosine and TF-IDF with training neighbours and common"
    assert f"{best} neighbours" in page.text


@pytest.mark.parametrize("validated", [True, False])
def test_the_best_epoch_is_named_only_where_edges_were_held_out(tmp_path, validated):
    text = write_run(tmp_path, history=history(validated)).text
    assert ("Epoch 3 is the best on validation edges" in text) == validated
    assert ("the model has the values of the last epoch" in text) != validated
    drawn = (tmp_path / "figures" / "training.svg").read_text()
    assert drawn.count('<g id="axes_') == 1 + validated


@pytest.mark.parametrize(
    "time", [Timing(None, None), Timing(3.0, None), Timing(None, 2.0, {})]
)
def test_a_run_without_times_has_its_page(tmp_path, time):
    page = write_run(tmp_path, evaluation=evaluation(time=time))
    assert ("to evaluate" in page.text) == (time.train is not None)
    assert "time" not in page.of("section", "id")


def test_the_slowest_part_is_first_and_has_the_longest_bar(tmp_path):
    parts = {"prepare": 0.0, "score pairs": 3.5, "train": 120.0}
    page = write_run(tmp_path, evaluation=evaluation(time=Timing(120.0, 4.0, parts)))
    assert "The slowest part: train, 2.0 min." in page.text
    assert page.row("score pairs") == ["3.5 s", ""]
    widths = ["width: 8.00em", "width: 0.23em", "width: 0.00em"]
    assert page.of("span", "style") == widths


def test_metrics_without_what_is_optional_have_a_page(tmp_path):
    """What another version wrote: figures alone."""
    figures = {"auc": 0.9, "std_error": None}
    content = {
        "link_prediction": {"upstream": figures},
        "baselines": {"upstream": {"other_baseline": {**figures, "auc": 0.95}}},
    }
    found = from_json(Evaluation, content, tmp_path)
    page = write_run(
        tmp_path, evaluation=found, examples=Examples(), history=[],
        record={"settings": record(variant="gone")["settings"]},
    )  # fmt: skip
    assert page.row("other_baseline")[0] == "95.0"
    assert "gone on cora" in page.text
    assert page.of("section", "id") == ["summary", "link-prediction", "settings"]
    assert "below other_baseline" in page.text


def test_vectors_of_another_program_have_a_page(tmp_path):
    found = evaluation()
    links = {
        name: dataclasses.replace(
            own, score="embed.txt", vectors={}, roc={"model": ROC}
        )
        for name, own in found.link_prediction.items()
    }
    found = dataclasses.replace(found, link_prediction=links)
    page = write_run(tmp_path, record=None, history=[], evaluation=found)
    assert "Vectors of another program" in page.text
    assert page.row("embed.txt")[0] == "95.0 ± 0.3"
    assert "settings" not in page.of("section", "id")


def test_a_protocol_that_scores_nothing_is_a_dash(tmp_path):
    found = evaluation()
    empty = {"auc": None, "std_error": None, "interval": None, "roc": {}}
    links = dict(found.link_prediction)
    links["strict"] = dataclasses.replace(links["strict"], **empty)
    page = write_run(tmp_path, evaluation=evaluation(link_prediction=links))
    assert page.row("model, pair by pair")[:2] == ["95.0 ± 0.3", "–"]


def test_labels_are_beside_the_papers_where_the_data_are_the_papers(tmp_path):
    found = evaluation(node_classification=labels(), data=DATA)
    page = write_run(tmp_path, evaluation=found)
    assert page.row("10 % (30 nodes)") == ["80.0 ± 1.0", "85.0 ± 2.0", "82.3"]
    assert page.row("red") == ["30", ""]
    assert "The paper's GANE-AP has 98.0 at this ratio" in page.text
    other = write_run(tmp_path, evaluation=found, record=record(data={}))
    assert other.row("10 % (30 nodes)") == ["80.0 ± 1.0", "85.0 ± 2.0"]
    assert "paper" not in other.of("section", "id")


def test_words_are_matched_once_where_the_model_is_wane(tmp_path):
    pair = examples().pair
    same = (np.array(pair.plan) * 1.001).tolist()
    pair = dataclasses.replace(pair, attention=same)
    page = write_run(tmp_path, examples=dataclasses.replace(examples(), pair=pair))
    assert [i for i in page.of("div", "id") if i.startswith("heat-")] == ["heat-plan"]


def test_matched_words_are_marked_in_missing_edges(tmp_path):
    page = write_run(tmp_path)
    assert page.elements.count("mark") == 2  # `fox,` at the source, `sea` at the target
    assert "the red fox, blue sea" in " ".join(page.text.split())
    assert "fox ↔ sea" in page.text


def test_a_new_protocol_and_a_new_method_need_no_change_here(tmp_path, monkeypatch):
    toy = Method("toy", "Toy method", "", fit=None, open=None)
    third = Protocol("third", "third protocol", "Scores by lot.", contest=None)
    monkeypatch.setitem(METHODS, "toy", toy)
    monkeypatch.setitem(PROTOCOLS, "third", third)
    found = evaluation(protocols=("upstream", "strict", "third"))
    page = write_run(tmp_path, evaluation=found, record=record(variant="toy"))
    assert "Toy method on cora" in page.text
    assert "AUC, third protocol, %" in page.text
    assert "third protocol: Scores by lot." in page.text
    assert page.row("model, pair by pair")[:3] == [
        "95.0 ± 0.3", "94.0 ± 0.3", "93.0 ± 0.3"
    ]  # fmt: skip
    assert (tmp_path / "figures" / "roc_third.svg").is_file()
    assert ["third protocol, %", "MRR", "Hits@10", "average precision"] in page.rows
    assert "paper" not in [row[-1] for row in page.rows]


def test_baselines_of_one_protocol_alone_are_dashes_in_the_other(tmp_path):
    found = evaluation()
    baselines = {"upstream": found.baselines["upstream"]}
    page = write_run(tmp_path, evaluation=evaluation(baselines=baselines))
    for key in ("TF-IDF cosine", "common neighbours"):
        assert page.row(key)[:2] == ["90.0 ± 0.4", "–"]


def test_figures_of_a_protocol_from_elsewhere_stay_in_their_folder(tmp_path):
    found = evaluation(protocols=("../../upstream",))
    write_run(tmp_path / "deep" / "run", evaluation=found)
    names = {path.name for path in (tmp_path / "deep" / "run" / "figures").iterdir()}
    assert "roc_.._.._upstream.svg" in names
    assert {path.name for path in tmp_path.iterdir()} == {"deep"}
