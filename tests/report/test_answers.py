"""Answers as text, rows and HTML: aligned, and with hostile texts made harmless."""

import csv
import io
from html.parser import HTMLParser

import numpy as np
import pytest

from cane_gane.evaluation.matching import Match
from cane_gane.report.answers import Suggestions, aligned, csv_rows, csv_text
from cane_gane.report.explain import Explained, lines, write_explanation
from cane_gane.serving.answers import Explanation, Node, Pair, Part, Suggestion

HOSTILE = '<script>alert("x")</script> \x1b[31mred'
ASKED = Node(0, "curl", "transfers a URL", ("web",))


def suggestion(name="wget", text="retrieves files", probability=0.25):
    parts = (
        Part("words", "shared words", 1.5),
        Part("typical", "average pair of nodes", -1),
    )
    return Suggestion(
        Node(1, name, text, ("net", "web")), 0.5, probability, parts,
        (Pair("url", "files", 0.2), Pair("url", "url", 0.1)),
    )  # fmt: skip


def explanation(words=("get", "a", "url")):
    plan = np.array([[0.5, 0.0], [0.1, 0.0], [0.0, 0.4]])
    match = Match(list(words), ["Get", HOSTILE], plan, None, 0.0)
    parts = (Part("words", "shared words", 1.5), Part("text", "matched words", -0.5))
    pairs = (Pair("get", "get", 0.5), Pair("url", HOSTILE.lower(), 0.4))
    other = Node(-1, "", HOSTILE, ())
    return Explanation(ASKED, other, 1.0, 0.123, parts, pairs, match)


class Tags(HTMLParser):
    """Counts the tags of a page."""

    def __init__(self, page):
        super().__init__()
        self.tags = []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)


def test_a_suggestion_says_all_that_is_known_of_it():
    text = str(Suggestions(ASKED, [suggestion()]))
    for part in ("curl", "25 %", "0.50", "wget", "net web", "retrieves files",
                 "url~files", "shared words +1.5"):  # fmt: skip
        assert part in text


def test_columns_without_content_are_left_out():
    bare = Suggestion(Node(1, "a", "text", ()), 1.0, None, (), ())
    header = str(Suggestions(ASKED, [bare])).splitlines()[1]
    assert header.split() == ["score", "node", "text"]


def test_no_suggestion_is_said():
    assert "no suggestion" in str(Suggestions(ASKED, []))


def test_wide_letters_and_marks_keep_columns_aligned():
    rows = aligned([["网络", "x"], ["e\u0301te", "x"], ["plain", "x"]], 0, 80)
    widths = [sum(2 if c in "网络" else c != "\u0301" for c in row) for row in rows]
    assert len(set(widths)) == 1


def test_a_long_last_column_is_cut_to_the_line():
    (row,) = aligned([["a", "word " * 50]], 0, 40)
    assert len(row) <= 40
    assert row.endswith("…")


def test_control_characters_do_not_reach_the_terminal():
    assert "\x1b" not in str(Suggestions(ASKED, [suggestion(HOSTILE, HOSTILE)]))
    assert "\x1b" not in str(Explained.of(explanation()))


def test_hostile_texts_are_escaped_in_a_notebook():
    shown = Suggestions(ASKED, [suggestion(HOSTILE, HOSTILE)])._repr_html_()
    assert "script" not in Tags(shown).tags
    explained = Explained.of(explanation())._repr_html_()
    assert {"script", "img"} & {*Tags(explained).tags} == {"img"}


def test_rows_survive_csv():
    rows = csv_rows(ASKED, [suggestion(text='with "quotes", and commas')])
    (found,) = csv.DictReader(io.StringIO(csv_text(rows)))
    assert found["text"] == 'with "quotes", and commas'
    assert (found["source"], found["name"], found["rank"]) == ("curl", "wget", "1")
    assert csv_text([]) == ""


@pytest.mark.parametrize(
    ("share", "shown"),
    [(0.9996, "> 99.9 %"), (0.996, "> 99 %"), (0.25, "25 %"), (0.031, "3.1 %"),
     (0.0004, "< 0.1 %")],
)  # fmt: skip
def test_a_probability_is_never_shown_as_certain_or_impossible(share, shown):
    assert shown in str(Suggestions(ASKED, [suggestion(probability=share)]))


def test_an_explanation_adds_up_in_print():
    text = str(Explained.of(explanation()))
    assert "score 1.00, probability 12 %" in text
    assert "shared words" in text
    assert "+1.50" in text


def test_lines_join_the_listed_words_alone():
    assert lines(explanation()) == [(0, 0, 0.5), (2, 1, 0.4)]


def test_the_page_holds_texts_but_no_script_of_theirs(tmp_path):
    write_explanation(explanation(), tmp_path / "why.html")
    page = (tmp_path / "why.html").read_text()
    assert Tags(page).tags.count("script") == 3  # two of data, one of our own
    assert "alert(" in page
    assert "<script>alert" not in page


def test_an_explanation_without_words_is_a_page_too(tmp_path):
    match = Match([], [], np.zeros((0, 0)), None, 0.0)
    bare = Explanation(
        ASKED, ASKED, 1.0, None, (Part("score", "score", 1.0),), (), match
    )
    write_explanation(bare, tmp_path / "why.html")
    assert "transfers a URL" in (tmp_path / "why.html").read_text()
    assert Tags(Explained.of(bare)._repr_html_()).tags[0] == "table"


@pytest.mark.parametrize("probability", [None, 0.001, 1.0])
def test_any_probability_is_shown(probability):
    assert "wget" in str(Suggestions(ASKED, [suggestion(probability=probability)]))
