"""The table of an evaluation: its lines, its marks, and the same as HTML."""

import html.parser
from pathlib import Path

import pytest

from cane_gane.evaluation.results import Evaluation, from_json
from cane_gane.evaluation.show import (
    html_summary,
    link_rows,
    percent,
    summary,
    verdict,
)
from tests.evaluation.records import figures, metrics, todays_metrics

TABLE = """\
protocol                           upstream         strict
figure, %                               AUC            AUC
model, pair by pair              91.0 ± 1.3     93.0 ± 1.3
averaged vectors, both           80.0 ± 1.3     95.0 ± 1.3
averaged vectors, text         70.0 ± 1.3 ↓     75.0 ± 1.3
averaged vectors, structure    60.0 ± 1.3 ↓   65.0 ± 1.3 ↓
  tfidf                          75.0 ± 1.3     70.0 ± 1.3
  common_neighbours              65.0 ± 1.3     72.0 ± 1.3
edges scored                 1,910 of 2,398 2,179 of 2,398
↓ below a baseline"""
TODAY = """\
protocol                           upstream         strict                        all_edges           hard
figure, %                               AUC            AUC      MRR  Hits@10            AUC            MRR  Hits@10
model, pair by pair              91.0 ± 1.3     93.0 ± 1.3   40.0 ↓     60.0   97.0 ± 1.3 ↓         30.0 ↓     60.0
  linear                         90.0 ± 1.3     95.0 ± 1.3     45.0     60.0     98.0 ± 1.3           40.0     60.0
edges scored                 1,910 of 2,398 2,179 of 2,398                   4,500 of 5,214   400 of 2,398
↓ below a baseline
strict: the model's ranks are of 640 edges
all_edges: not a test of prediction, training edges are scored too
strict: worse than linear in MRR: -10.0 (95 % interval -13.0 to -7.0)
hard: worse than linear in MRR: -10.0 (95 % interval -13.0 to -7.0)"""  # noqa: E501


def read(content):
    return from_json(Evaluation, content, Path("metrics.json"))


def of_vectors(auc):
    """An evaluation of vectors that have no parts."""
    content = metrics()
    for name in content["link_prediction"]:
        own = {"score": "embed.txt", **figures(name, auc)}
        content["link_prediction"][name] = own
    return read(content)


@pytest.fixture
def found():
    return read(metrics())


def test_the_table_has_every_score_and_marks_those_below_a_baseline(found):
    assert summary(found) == TABLE == str(found)


def test_marked_figures_are_red_where_there_is_colour(found):
    coloured = summary(found, colour=True)
    assert coloured.count("\033[31m") == coloured.count("\033[0m") == 3
    assert "\033[31m   70.0 ± 1.3 ↓\033[0m" in coloured
    assert coloured.replace("\033[31m", "").replace("\033[0m", "") == TABLE


def test_vectors_without_parts_are_one_line_by_the_name_of_their_score():
    lines = summary(of_vectors(0.91)).splitlines()
    assert [line.split("  ")[0] for line in lines[:3]] == [
        "protocol",
        "figure, %",
        "embed.txt",
    ]
    assert [line.split()[0] for line in lines[3:]] == [
        "tfidf",
        "common_neighbours",
        "edges",
    ]


def test_todays_table_has_the_places_and_says_what_they_are(found):
    assert summary(read(todays_metrics())) == TODAY


def test_a_mark_is_by_the_same_edges_where_the_difference_is_known():
    """By AUC the baseline is above the model, but not on the edges that it scored."""
    row = link_rows(read(todays_metrics()))[0]
    assert row.figures["strict"].auc < 0.95
    assert row.below("strict", "auc") == ()
    assert row.below("strict", "mrr") == ("linear",)
    assert row.below("strict", "average_precision") == ()


@pytest.mark.parametrize(
    ("mean", "words"),
    [
        (0.1, "better than"),
        (0.02, "not significantly different from"),
        (-0.1, "worse than"),
    ],
)
def test_the_verdict_is_by_the_interval_of_the_best_baseline(mean, words):
    content = todays_metrics()
    linear = content["baselines"]["strict"]["linear"]
    linear["difference"]["mrr"] = {"mean": mean, "interval": [mean - 0.05, mean + 0.05]}
    content["baselines"]["strict"]["weak"] = {
        **linear, "mrr": 0.1, "difference": {"mrr": {"mean": 1, "interval": [1, 1]}}
    }  # fmt: skip
    found = verdict(read(content), "strict")
    low, high = 100 * mean - 5, 100 * mean + 5
    assert found == (
        f"strict: {words} linear in MRR: {100 * mean:+.1f} "
        f"(95 % interval {low:+.1f} to {high:+.1f})"
    )


@pytest.mark.parametrize("protocol", ["upstream", "all_edges", "unknown"])
def test_without_a_difference_by_mrr_there_is_no_verdict(protocol):
    assert verdict(read(todays_metrics()), protocol) == ""


def test_a_protocol_that_scored_nothing_is_named():
    content = todays_metrics()
    hard = content["link_prediction"]["hard"]
    for key in ("mrr", "hits_at_1", "hits_at_10", "hits_at_50"):
        del hard[key]
    hard["scored"] = 0
    lines = summary(read(content)).splitlines()
    assert "hard" not in lines[0]
    assert "hard: no edge is scored" in lines


def test_a_table_without_a_mark_has_no_note():
    assert "↓" not in summary(of_vectors(0.91))
    assert summary(of_vectors(0.5)).endswith("↓ below a baseline")


@pytest.mark.parametrize(
    ("value", "error", "text"),
    [
        (0.8149, None, "81.5"),
        (0.8149, 0.0123, "81.5 ± 1.2"),
        (None, None, "–"),
        (None, 0.1, "–"),
        (1.0, 0.0, "100.0 ± 0.0"),
    ],
)
def test_a_share_is_in_percent_with_its_error(value, error, text):
    assert percent(value, error) == text


def test_a_figure_is_below_the_baselines_that_are_above_it_best_first(found):
    below = {row.key: row.below("strict", "mrr") for row in link_rows(found)}
    assert below == {
        "model": (),  # pair by pair there is no MRR
        "vectors.both": ("common_neighbours",),
        "vectors.text": (),
        "vectors.structure": ("common_neighbours", "tfidf"),
        "tfidf": (),
        "common_neighbours": (),
    }


def test_every_figure_of_every_protocol_is_compared(found):
    found_below = {
        (row.key, protocol, figure): row.below(protocol, figure)
        for row in link_rows(found)
        for protocol in ("upstream", "strict")
        for figure in ("auc", "mrr", "hits_at_10", "average_precision")
        if row.below(protocol, figure)
    }
    assert found_below == {
        ("vectors.text", "upstream", "auc"): ("tfidf",),
        ("vectors.structure", "upstream", "auc"): ("tfidf", "common_neighbours"),
        ("vectors.structure", "strict", "auc"): ("common_neighbours", "tfidf"),
        ("vectors.both", "strict", "mrr"): ("common_neighbours",),
        ("vectors.structure", "strict", "mrr"): ("common_neighbours", "tfidf"),
    }


def test_only_scores_of_the_model_are_learned(found):
    learned = [row.key for row in link_rows(found) if row.learned]
    assert learned == ["model", "vectors.both", "vectors.text", "vectors.structure"]


class Cells(html.parser.HTMLParser):
    """Collects the cells of each row, and the text of those with a style."""

    def __init__(self, page):
        super().__init__()
        self.rows, self.marked, self._styled = [], [], False
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        if tag == "tr":
            self.rows.append([])
        self._styled = "style" in dict(attributes)

    def handle_data(self, data):
        self.rows[-1].append(data)
        if self._styled:
            self.marked.append(data)


def test_a_notebook_shows_the_same_cells(found):
    cells = Cells(html_summary(found))
    lines = [line.split() for line in TABLE.splitlines()[:-1]]
    assert [" ".join(row).split() for row in cells.rows] == lines
    assert cells.marked == ["70.0 ± 1.3 ↓", "60.0 ± 1.3 ↓", "65.0 ± 1.3 ↓"]
    assert html_summary(found) == found._repr_html_()


def test_a_name_is_escaped():
    content = metrics()
    for name in content["link_prediction"]:
        content["link_prediction"][name]["score"] = "<script>alert('&')</script>"
    baselines = content["baselines"]
    for own in baselines.values():
        own["<b>"] = own.pop("tfidf")
    page = html_summary(read(content))
    assert "<script>" not in page
    assert "<b>" not in page
    titles = [row[0] for row in Cells(page).rows]
    assert "<script>alert('&')</script>" in titles
    assert "<b>" in titles
