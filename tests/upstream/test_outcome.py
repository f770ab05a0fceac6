"""Figures over seeds, and the tables made of them, against results made by hand."""

import dataclasses
import json
import statistics
from pathlib import Path

import pytest

from cane_gane.data.catalog import PUBLISHED
from cane_gane.evaluation.results import Evaluation, Figures, ModelFigures
from cane_gane.methods.method import Method
from cane_gane.methods.registry import METHODS
from cane_gane.runs.process import Usage
from cane_gane.upstream.comparison import Comparison, Result
from cane_gane.upstream.outcome import outcome
from cane_gane.upstream.tables import as_json, as_markdown, write

UNRANKED = ModelFigures(auc=None, std_error=None, interval=None, mrr=0.5)


def result(side, seed, structure, both, pair=None):
    def figures(shift):
        vectors = {"structure": structure - shift, "both": both}
        return ModelFigures(
            auc=None if pair is None else pair - shift,
            std_error=None,
            interval=None,
            score="vectors" if side == "upstream" else "pairs",
            vectors={
                k: Figures(auc=v, std_error=None, interval=None)
                for k, v in vectors.items()
            },
        )

    links = {"upstream": figures(0), "strict": figures(0.1), "hard": UNRANKED}
    if side == "upstream":
        links["no_self_loops"] = figures(0.2)
    printed = structure if side == "upstream" else None
    evaluation = Evaluation(links, {}, printed_auc=printed)
    seconds = [20.0 + seed, 2.0, 3.0]  # the first has tracing in it
    return Result(side, seed, evaluation, seconds, Usage(60.0 * seed, 90.0, 10**9))


@pytest.fixture
def comparison():
    return Comparison(
        checkout=None, dataset="HepTh", ratio=0.55, variants=["ap"],
        seeds=[1, 2], epochs=3, folder=Path("unused"),
    )  # fmt: skip


@pytest.fixture
def found(comparison):
    return outcome(
        comparison,
        [
            result("upstream", 1, 0.94, 0.92),
            result("ap", 1, 0.90, 0.95, 0.96),
            result("upstream", 2, 0.92, 0.91),
            result("ap", 2, 0.91, 0.95, 0.97),
        ],
        PUBLISHED["HepTh"],
    )


def test_the_stable_keys_hold_means_over_seeds(found):
    assert found["time_per_epoch"] == {"upstream": 3.0, "ap": 3.0}
    assert found["memory"] == {"upstream": 1e9, "ap": 1e9}
    # Upstream is judged by structure alone, a model of ours by its own score.
    assert found["auc"]["upstream"]["upstream"] == pytest.approx(0.93)
    assert found["auc"]["upstream"]["strict"] == pytest.approx(0.83)
    assert found["auc"]["ap"]["strict"] == pytest.approx(0.865)
    assert found["total_time"]["ap"] == 90.0


def test_the_spread_is_that_of_the_seeds(found):
    spread = found["auc_by_score"]["upstream"]["upstream"]["structure"]["std"]
    assert spread == pytest.approx(statistics.stdev([0.94, 0.92]))


def test_one_seed_has_no_spread(comparison):
    found = outcome(comparison, [result("upstream", 1, 0.94, 0.92)], {})
    assert found["auc_by_score"]["upstream"]["strict"]["both"]["std"] is None
    assert json.loads(as_json(found)) == found


def test_published_figures_are_beside(found):
    assert found["published"]["upstream"] == pytest.approx(0.944)
    assert found["published"]["ap"] == pytest.approx(0.981)


def test_the_tables_have_a_row_for_each_side(found):
    lines = as_markdown(found).splitlines()
    assert lines[0] == "HepTh, ratio 0.55, seeds 1, 2"
    # A title, then in each table a header, a rule and two rows.
    assert lines[4:6] == [
        "| upstream's code | 93.0 ± 1.4 | 91.5 ± 0.7 |  | 94.2 | 94.4 |",
        "| our GANE-AP | 90.5 ± 0.7 | 95.0 ± 0.0 | 96.5 ± 0.7 | 98.1 |  |",
    ]
    assert lines[9:11] == [
        "| upstream's code | 83.0 ± 1.4 | 91.5 ± 0.7 |  | 94.2 | 94.4 |",
        "| our GANE-AP | 80.5 ± 0.7 | 95.0 ± 0.0 | 86.5 ± 0.7 | 98.1 |  |",
    ]
    assert lines[-1] == "| our GANE-AP | 2 | 3 | 3.00 | 1.5 | 1.5 | 1000 |"


@pytest.mark.parametrize(
    ("dataset", "data"),
    [("mine", {}), ("data/HepTh", PUBLISHED["HepTh"]), ("HepTh", {"data.txt": "0"})],
)
def test_other_data_have_no_published_figures(comparison, dataset, data):
    own = Comparison(**{**vars(comparison), "dataset": dataset})
    found = outcome(own, [result("upstream", 1, 0.9, 0.9)], data)
    assert found["published"] == {}


def test_tables_are_of_the_protocols_that_every_side_has(found):
    assert "no_self_loops" in found["auc_by_score"]["upstream"]
    assert "no_self_loops" not in as_markdown(found)
    assert "hard negatives" not in as_markdown(found)  # it has no AUC


def test_a_new_method_needs_no_change_here(comparison, monkeypatch):
    toy = Method("toy", "Toy method", "", fit=None, open=None)
    monkeypatch.setitem(METHODS, "toy", toy)
    assert comparison.config("toy", 1).method == "toy"  # which has no epochs
    found = outcome(comparison, [result("toy", 1, 0.9, 0.9, 0.91)], PUBLISHED["HepTh"])
    assert "| our Toy method | 90.0 | 90.0 | 91.0 |  |  |" in as_markdown(found)


def test_our_models_get_no_more_epochs_than_upstream(comparison):
    epochs = {
        side: comparison.config(side, 1).settings.epochs
        for side in ("upstream", "cane-upstream", "ap")
    }
    assert epochs == {"upstream": 3, "cane-upstream": 3, "ap": 3}
    longer = Comparison(**{**vars(comparison), "epochs": 200})
    assert longer.config("upstream", 1).settings.epochs == 200
    assert longer.config("ap", 1).settings.epochs == 5


def test_a_method_without_epochs_takes_no_time_for_one(comparison):
    run = dataclasses.replace(result("ap", 1, 0.9, 0.9, 0.91), seconds=[])
    found = outcome(comparison, [run], {})
    assert found["time_per_epoch"] == {"ap": 0}
    assert "| our GANE-AP | 1 | 0 | 0.00 |" in as_markdown(found)


def test_all_three_files_say_the_same(found, tmp_path):
    write(found, tmp_path)
    assert json.loads((tmp_path / "compare.json").read_text()) == found
    page = (tmp_path / "report.html").read_text()
    for text in (page, (tmp_path / "compare.md").read_text()):
        assert "93.0 ± 1.4" in text
        assert "96.5 ± 0.7" in text
    known = ("http-equiv", "http://www.w3.org/2000/svg")  # no address to fetch from
    for word in known:
        page = page.replace(word, "")
    assert "http" not in page
