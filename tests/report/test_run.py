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
from cane_gane.report import links
from tests.report.results import (
    DATA,
    ROC,
    evaluation,
    examples,
    history,
    labels,
    ranked,
    record,
)
from tests.report.test_page import write_run


def test_the_table_has_the_figures_of_each_score(tmp_path):
    page = write_run(tmp_path)
    assert page.row("model, pair by pair")[:2] == ["95.0 ± 0.3", "94.0 ± 0.3"]
    assert page.row("averaged vectors, both")[:2] == ["94.0 ± 0.2"] * 2
    assert page.row("TF-IDF cosine")[:2] == ["90.0 ± 0.4"] * 2
    assert page.row("edges scored")[:2] == ["90 of 100"] * 2
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
    assert "79.0 ↓" in page.red  # in the verdict
    assert "80.0 ± 0.3 ↓" in page.red
    best = "below TF-IDF cosine and TF-IDF with training neighbours and common"
    (title,) = {*page.of("span", "title")}
    assert title.startswith(f"{best} neighbours")


def test_the_main_protocol_leads():
    shown = links.tiles(ranked())
    assert [(name, cell.text, note) for name, cell, note in shown] == [
        ("MRR, strict protocol, %", "55.0 ↓", "best baseline: linear ranker, 60.0"),
        ("Hits@10, strict protocol, %", "70.0", "best baseline: linear ranker, 70.0"),
        ("AUC, strict protocol, %", "95.0", "best baseline: linear ranker, 90.0"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("mrr", "kind", "said"),
    [
        (0.66, "good", "better than linear ranker in MRR, +6.0 (+4.0 to +8.0) ↑"),
        (
            0.61,
            "soft",
            "not significantly different from linear ranker in MRR, "
            "+1.0 (-1.0 to +3.0)",
        ),
        (0.55, "bad", "worse than linear ranker in MRR, -5.0 (-7.0 to -3.0) ↓"),
    ],
)
def test_a_model_is_called_better_only_where_the_interval_says_so(mrr, kind, said):
    (hard,) = links.verdicts(ranked(mrr))
    assert (hard.text, hard.kind) == (f"hard negatives: {said}", kind)


def test_protocols_without_auc_are_ranked_and_not_in_the_table_of_auc(tmp_path):
    page = write_run(tmp_path, evaluation=ranked())
    header = next(row for row in page.rows if row[0] == "AUC, %")
    assert header[1:4] == [
        "upstream's protocol", "strict protocol", "all edges (not a test of prediction)"
    ]  # fmt: skip
    assert page.row("edges scored")[:3] == ["90 of 100"] * 3
    figures = ["MRR", "Hits@1", "Hits@10", "Hits@50"]
    for title in ("strict protocol, %", "hard negatives, %"):
        assert page.row(title) == figures
    assert "all edges, %" not in [row[0] for row in page.rows]


def test_a_caption_says_how_many_edges_the_pair_score_ranked(tmp_path):
    strict, hard = (own.caption for own in links.ranking_tables(ranked()))
    assert "for 90 of 100 test edges" in strict
    assert "ranks 45 of them, whose sources were drawn at random" in strict
    assert "from 4,500 scored pairs" in strict
    assert "the 12.3 % of targets that it misses" in strict
    assert "Only the differences below compare" in strict
    assert "ranks all of them, from 4,500 scored pairs" in hard
    assert "Only the differences below compare" not in hard
    (old,) = {own.caption for own in links.ranking_tables(evaluation())}
    assert "The pair score is not among them" in old


def test_differences_to_baselines_have_intervals_and_signs(tmp_path):
    page = write_run(tmp_path, evaluation=ranked())
    strict, upstream, hard = links.difference_tables(ranked())
    assert strict.header == ("strict protocol, points", "AUC", "MRR")
    assert upstream.header == ("upstream's protocol, points", "AUC")
    assert hard.header == ("hard negatives, points", "MRR")
    rows = {title: [own.text for own in cells] for title, *cells in strict.rows}
    assert rows == {
        "linear ranker": ["+5.0 (+3.0 to +7.0) ↑", "-5.0 (-7.0 to -3.0) ↓"],
        "walks over edges and texts": ["+5.0 (+3.0 to +7.0) ↑", "+0.0 (-2.0 to +2.0)"],
        "TF-IDF cosine": ["+5.0 (+3.0 to +7.0) ↑", "+15.0 (+13.0 to +17.0) ↑"],
    }
    assert page.red.count("-5.0 (-7.0 to -3.0) ↓") == 2  # strict and hard
    assert page.coloured["soft"] == ["+0.0 (-2.0 to +2.0)"] * 2
    assert "+15.0 (+13.0 to +17.0) ↑" in page.coloured["good"]


def test_a_protocol_that_does_not_predict_is_marked_wherever_it_is(tmp_path):
    page = write_run(tmp_path, evaluation=ranked())
    assert PROTOCOLS["all_edges"].about in page.text
    shown = page.text.replace(f"all edges: {PROTOCOLS['all_edges'].about}", "")
    assert shown.count("all edges (not a test of prediction)") == shown.count(
        "all edges"
    )


def test_known_item_search_is_beside_tfidf(tmp_path):
    page = write_run(tmp_path, evaluation=ranked())
    header = ["500 queries", "found first, %", "among the first ten, %"]
    start = page.rows.index(header)
    assert page.rows[start + 1 : start + 3] == [
        ["GANE-AP", "50.0 ↓", "90.0"], ["TF-IDF", "80.0", "85.0"]
    ]  # fmt: skip
    assert "50.0 ↓" in page.red
    assert "search" not in write_run(tmp_path).of("section", "id")


def test_a_run_of_an_older_version_has_its_page(tmp_path):
    """Two protocols, no differences, no Hits@1, no place of the pair score."""
    page = write_run(tmp_path, evaluation=evaluation())
    assert page.row("strict protocol, %") == ["MRR", "Hits@10", "average precision"]
    assert "differences" not in page.of("section", "id")
    assert "Not compared with a baseline edge by edge" in page.text


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
    assert "Slowest part: train, 2.0 min." in page.text
    assert page.row("score pairs") == ["3.5 s", ""]
    widths = ["width: 8.00em", "width: 0.23em", "width: 0.00em"]
    assert page.of("span", "style") == widths


def test_metrics_without_what_is_optional_have_a_page(tmp_path):
    """What another version wrote: figures alone."""
    figures = {"auc": 0.9, "std_error": None, "interval": None}
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
    assert page.of("section", "id") == ["verdict", "link-prediction", "settings"]
    assert page.of("span", "title") == ["below other_baseline"]


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
    assert "The paper reports 98.0 for GANE-AP at this ratio" in page.text
    other = write_run(tmp_path, evaluation=found, record=record(data={}))
    assert other.row("10 % (30 nodes)") == ["80.0 ± 1.0", "85.0 ± 2.0"]
    assert "paper" not in other.of("section", "id")


def test_words_are_matched_once_where_the_model_is_wane(tmp_path):
    pair = examples().matched[0]
    same = (np.array(pair.plan) * 1.001).tolist()
    pair = dataclasses.replace(pair, attention=same)
    page = write_run(tmp_path, examples=Examples(pair=pair))
    (pair,) = page.content("pairs-content")
    assert [own["id"] for own in pair["maps"]] == ["heat-plan"]


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
    assert "20 draws, third protocol" in page.text
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
