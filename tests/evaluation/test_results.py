"""Results as JSON: every key survives, and a damaged file is one line of complaint."""

import dataclasses
import json
from pathlib import Path

import pytest

from cane_gane.errors import InputError
from cane_gane.evaluation.results import (
    BaselineFigures,
    Difference,
    Evaluation,
    Examples,
    Figures,
    Found,
    MatchedPair,
    Matching,
    MissingEdge,
    ModelFigures,
    Roc,
    ScoredEdge,
    Search,
    from_json,
    plain,
    to_json,
)
from tests.evaluation.records import examples, metrics, todays_metrics

PATH = Path("runs/one/metrics.json")


def changed(content, *keys, value):
    """Returns the content with another value where the keys lead to."""
    *path, last = keys
    inner = content
    for key in path:
        inner = inner[key]
    inner[last] = value
    return content


def without(content, *keys):
    *path, last = keys
    inner = content
    for key in path:
        inner = inner[key]
    del inner[last]
    return content


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        (Evaluation, metrics()),
        (Evaluation, todays_metrics()),
        (Examples, examples()),
    ],
)
def test_every_key_survives(kind, content):
    read = from_json(kind, json.loads(json.dumps(content)), PATH)
    assert json.loads(json.dumps(to_json(read))) == content


def test_a_file_becomes_records():
    found = from_json(Evaluation, metrics(), PATH)
    strict = found.link_prediction["strict"]
    assert isinstance(strict, ModelFigures)
    assert (strict.auc, strict.interval, strict.draws.mean) == (0.93, (0.5, 0.9), 0.71)
    assert strict.vectors["text"].mrr == 0.25
    assert isinstance(strict.roc["model"], Roc)
    assert isinstance(found.baselines["upstream"]["tfidf"], BaselineFigures)
    assert found.baselines["upstream"]["tfidf"].roc.area == 0.74
    assert found.node_classification["0.1"].std["micro_f1"] == 0.02
    assert found.matching.entries == 75
    assert found.missing_edges[0] == ScoredEdge(source=5, target=7, score=71.5)
    assert found.time.parts == {"score pairs": 10.0}


def test_a_file_of_two_protocols_is_read_and_shown():
    """What a run of an older version wrote stays readable."""
    found = from_json(Evaluation, metrics(), PATH)
    assert list(found.link_prediction) == ["upstream", "strict"]
    assert found.search is None
    assert found.link_prediction["strict"].ranked_edges is None
    assert found.baselines["strict"]["tfidf"].difference is None
    assert found.outcomes == {}
    shown = str(found)
    assert "91.0 ± 1.3" in shown
    assert "93.0 ± 1.3" in shown


def test_places_differences_and_search_become_records():
    found = from_json(Evaluation, todays_metrics(), PATH)
    assert found.search == Search(500, 0.5, 0.9, Found(0.8, 0.95))
    strict = found.link_prediction["strict"]
    assert (strict.mrr, strict.ranked_edges, strict.missed) == (0.4, 640, 0.05)
    gap = found.baselines["strict"]["linear"].difference["mrr"]
    assert gap == Difference(-0.1, (-0.13, -0.07))
    assert gap.sign == -1


@pytest.mark.parametrize(
    "key",
    [
        "search",
        "node_classification",
        "matching",
        "missing_edges",
        "data",
        "best_epoch",
        "printed_auc",
    ],
)
def test_a_result_that_is_none_is_absent(key):
    content = without(todays_metrics(), key)
    read = from_json(Evaluation, content, PATH)
    assert getattr(read, key) is None
    assert to_json(read) == content


def test_a_figure_that_is_none_is_absent_unless_every_score_has_it():
    figures = Figures(auc=None, std_error=None, interval=None)
    assert to_json(figures) == {
        "auc": None,
        "std_error": None,
        "interval": None,
        "scored": 0,
        "edges": 0,
        "self_loops": 0,
        "reversed": 0,
        "draws": {"mean": None, "std": None},
    }


def test_an_unknown_key_is_passed_over():
    content = {**metrics(), "later": {"version": 9}}
    assert to_json(from_json(Evaluation, content, PATH)) == metrics()


@pytest.mark.parametrize("kind", [Evaluation, Examples])
@pytest.mark.parametrize("content", [[], None, 3, "text", [{}]])
def test_what_is_no_object_is_refused(kind, content):
    with pytest.raises(InputError) as caught:
        from_json(kind, content, PATH)
    assert str(caught.value).startswith(f"{PATH}: found no JSON object; expected")


LINKS = ("link_prediction", "strict")


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ({}, "no value @ $.link_prediction"),
        ({"link_prediction": {}, "baselines": {}}, "a value of another kind @ $"),
        (without(metrics(), "baselines"), "no value @ $.baselines"),
        (without(metrics(), *LINKS, "auc"), "no value @ $.link_prediction['strict']"),
        (without(metrics(), "matching", "score"), "no value @ $.matching.score"),
        *(
            (
                changed(metrics(), *keys, value=value),
                f"a value of another kind @ $.{keys[0]}",
            )
            for keys, value in (
                (("link_prediction",), []),
                (LINKS, 3),
                ((*LINKS, "auc"), "high"),
                ((*LINKS, "auc"), []),
                ((*LINKS, "auc"), 10**400),
                ((*LINKS, "interval"), [0.1]),
                ((*LINKS, "interval"), 0.1),
                ((*LINKS, "scored"), None),
                ((*LINKS, "scored"), float("inf")),
                ((*LINKS, "roc"), []),
                ((*LINKS, "vectors", "text"), None),
                (("baselines", "strict"), None),
                (("node_classification", "0.1"), 0.5),
                (("missing_edges",), 3),
                (("missing_edges",), [3]),
                (("time",), []),
            )
        ),
    ],
)
def test_a_damaged_file_gives_one_line_that_names_it(content, found):
    with pytest.raises(InputError) as caught:
        from_json(Evaluation, content, PATH)
    message = str(caught.value)
    assert message.startswith(f"{PATH}: found {found}")
    assert "; expected what a run wrote there: bash run.sh evaluate RUN" in message
    assert "\n" not in message


def test_an_evaluation_of_no_protocol_is_refused():
    with pytest.raises(InputError, match="found figures of no protocol"):
        Evaluation({}, {})


def test_a_record_of_the_report_has_a_plain_one_for_metrics():
    found = from_json(Examples, examples(), PATH)
    assert isinstance(found.pair, MatchedPair)
    assert to_json(plain(found.pair, Matching)) == metrics()["matching"]
    edge = found.missing_edges[0]
    assert isinstance(edge, MissingEdge)
    assert [to_json(plain(edge, ScoredEdge))] == metrics()["missing_edges"]


def test_results_cannot_be_changed():
    found = from_json(Evaluation, metrics(), PATH)
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.best_epoch = 3
