"""The verdict: words that the interval allows, and the figures behind them."""

import dataclasses

import pytest

from cane_gane.evaluation.results import Difference
from cane_gane.report.verdict import points, verdict
from tests.report.results import evaluation, ranked


@pytest.mark.parametrize(
    ("mrr", "kind", "said"),
    [
        (0.66, "good", "Better than the best baseline by 6.0 ± 2.0 MRR"),
        (0.61, "soft", "No significant difference from the best baseline: "
                       "+1.0 ± 2.0 MRR"),
        (0.59, "soft", "No significant difference from the best baseline: "
                       "-1.0 ± 2.0 MRR"),
        (0.55, "bad", "Not worth training here: linear ranker is better by "
                      "5.0 ± 2.0 MRR"),
    ],
)  # fmt: skip
def test_the_headline_is_what_the_interval_allows(mrr, kind, said):
    found = verdict(ranked(mrr))
    assert (found.headline, found.kind) == (said, kind)
    assert f"MRR is {100 * mrr:.1f} % for the model and 60.0 % for" in found.lines[0]
    assert "linear ranker" in found.lines[0]
    assert "For 20.0 % of the hidden edges the right node comes first" in found.lines[1]
    assert "for 70.0 % it is among the first ten" in found.lines[1]


def test_what_was_not_trained_here_is_worse_and_no_waste():
    said = verdict(ranked(0.55), trained=False).headline
    assert said == "Worse than the best baseline by 5.0 ± 2.0 MRR"


def test_half_of_an_interval_is_its_error_even_where_it_is_lopsided():
    assert points(Difference(0.03, (0.01, 0.06))) == "3.0 ± 2.5"


def test_without_places_auc_is_compared():
    found = ranked()
    links = {"upstream": found.link_prediction["upstream"]}
    only = dataclasses.replace(found, link_prediction=links)
    said = verdict(only)
    assert said.headline == "Better than the best baseline by 5.0 ± 2.0 AUC"
    assert "on hidden edges (upstream)" in said.lines[0]


def test_nothing_is_said_without_a_comparison():
    said = verdict(evaluation())
    assert said.headline == "Not compared with a baseline edge by edge"
    assert (said.kind, said.lines) == ("", ())


def test_a_model_without_scored_edges_is_unknown():
    found = ranked()
    links = {
        name: dataclasses.replace(own, scored=0, mrr=None, hits_at_1=None)
        for name, own in found.link_prediction.items()
    }
    said = verdict(dataclasses.replace(found, link_prediction=links, baselines={}))
    assert said.headline.startswith("No test edge could be scored")
