"""What the page of a run is made of, asked over a real socket."""

import math

import numpy as np
import pytest

from cane_gane.data.network import TextualNetwork
from cane_gane.evaluation.matching import word_rarity
from cane_gane.report.maps import GROUPS
from cane_gane.web import views
from cane_gane.web.explorer import explorer
from cane_gane.web.views import matched_lines, network_view
from cane_gane.web.worker import Worker
from tests.web.fake_answers import FakeAnswers
from tests.web.serving import request, serving


@pytest.fixture(scope="module")
def answers():
    return FakeAnswers()


@pytest.fixture(scope="module")
def home(answers):
    worker = Worker()
    with serving(explorer(answers, "<mine> & co", worker)) as home:
        yield home
    worker.close()


def test_the_page_shows_the_name_of_the_run_as_text(home):
    status, page, headers = request(home, "/")
    assert (status, headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert b"<bdi>&lt;mine&gt; &amp; co</bdi>" in page
    assert b"6 nodes \xc2\xb7 4 edges" in page


def test_the_page_has_no_script_or_style_of_its_own(home):
    page = request(home, "/")[1].decode()
    assert "<style" not in page
    assert " style=" not in page
    assert page.count("<script") == 1


@pytest.mark.parametrize("path", ["/", "/static/explorer.js", "/api/network"])
def test_only_this_machine_is_served(home, path):
    assert request(home, path)[0] == 200
    assert request(home, path, host="evil.example")[0] == 403


def test_the_colours_are_those_of_the_report(home):
    from cane_gane.report.assets import COLOURS

    assert request(home, "/colours.css")[1].decode() == COLOURS


def test_no_file_outside_of_the_folder_is_served(home):
    assert request(home, "/static/../views.py")[0] == 404
    assert request(home, "/static/%2e%2e/views.py")[0] == 404


def test_the_map_has_each_node_in_one_square(answers):
    view = network_view(answers, "mine")
    places = answers.map()
    assert view["x"][5] is view["y"][5] is None  # it has no text, so no place
    shown = np.array([view["x"][:5], view["y"][:5]]).T
    assert shown.min() == 0
    assert shown.max() == 10_000
    scale = math.dist(*shown[:2]) / math.dist(*places[:2])
    assert math.dist(*shown[2:4]) == pytest.approx(
        scale * math.dist(*places[2:4]), rel=1e-3
    )


def test_nodes_without_names_are_told_by_their_numbers(answers):
    network = TextualNetwork(["a", "b"], np.array([[0, 1]]))
    view = network_view(FakeAnswers(network), "mine")
    assert (view["named"], view["names"]) == (False, ["node 0", "node 1"])
    assert network_view(answers, "mine")["named"]


def test_nodes_are_grouped_by_their_first_label(answers):
    view = network_view(answers, "mine")
    assert view["groups"] == [
        {"label": "water", "count": 2, "plain": False},
        {"label": "animals", "count": 3, "plain": False},
        {"label": "other", "count": 0, "plain": True},
        {"label": "no label", "count": 1, "plain": True},
    ]
    assert view["group"] == [1, 1, 0, 0, 1, 3]


def test_rare_labels_have_no_colour_of_their_own():
    labels = [f"label{i}" for i in range(GROUPS)] * 2 + ["rare", "odd"]
    edges = np.array([[0, 1]])
    network = TextualNetwork(["a"] * len(labels), edges, labels)
    view = network_view(FakeAnswers(network), "mine")
    assert view["groups"][GROUPS] == {"label": "other", "count": 2, "plain": True}
    assert view["group"][-2:] == [GROUPS, GROUPS]


def test_a_node_comes_with_its_neighbours(home, answers):
    _, content, _ = request(home, "/api/node", {"node": 1})
    assert content["node"] == answers.node(1).as_json() | {"labels": ["animals"]}
    assert [own["name"] for own in content["neighbours"]] == ["fox", "wolf"]
    assert content["neighbour_count"] == 2


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("SEA", ["sea", "blue"]),  # the name first
        ("o", ["fox", "wolf", "nothing"]),  # a part of the name
        ("  sky   sea ", ["blue", "sea"]),  # all of the words
        ("ea", ["sea"]),  # no word begins so
        ("zebra", []),
        ("(", []),
    ],
)
def test_nodes_are_found_by_name_and_by_words(home, query, names):
    _, content, _ = request(home, "/api/find", {"query": query})
    found = [own["name"] for own in content["first"]]
    assert content["count"] == len(content["nodes"]) == len(found)
    assert found == names


def test_nothing_to_find_is_refused(home):
    status, content, _ = request(home, "/api/find", {"query": "  "})
    assert (status, "empty query" in content["error"]) == (400, True)


def test_lines_join_the_words_that_say_most(answers, monkeypatch):
    match = answers.explain("red fox on a hill", "the hill of a red red fox").match
    monkeypatch.setattr(views, "MOST_PAIRS", 3)
    lines = matched_lines(match, {"red": 2, "fox": 3, "hill": 3, "a": 0.1})
    words = [(match.source_words[i], match.target_words[j]) for i, j, _ in lines]
    expected = [("fox", "fox"), ("hill", "hill"), ("red", "red"), ("red", "red")]
    assert sorted(words) == expected
    for i, j, weight in lines:
        assert weight == pytest.approx(match.plan[i, j], abs=1e-6)


def test_a_pair_has_lines_instead_of_the_plan(home, answers):
    _, content, _ = request(home, "/api/pair", {"source": 0, "target": 4})
    assert "match" not in content
    match = answers.explain(0, 4).match
    expected = matched_lines(match, word_rarity(answers.network.texts))
    assert content["lines"] == [list(line) for line in expected]
    assert content["source_words"] == match.source_words


def test_a_pair_without_words_has_no_lines(home):
    _, content, _ = request(home, "/api/pair", {"source": 0, "target": 5})
    assert content["lines"] == []
