"""Paired differences of methods and of windows, and what is said of missing runs."""

import json

import numpy as np
import pytest

from cane_gane.evaluation.outcomes import Outcomes, mean_with_error, write_outcomes
from cane_gane.report.ablation import paired_table, write_ablation
from cane_gane.report.exports import as_json
from cane_gane.report.overview import write_overview
from cane_gane.report.paired import combined, paired_gap
from cane_gane.report.ratios import Ratios
from tests.report.results import Difference, Page, one_run, ranked

EDGES = np.arange(60).reshape(-1, 2)


@pytest.fixture
def saved(tmp_path):
    """Makes a run of a method and a seed whose folder has outcomes."""

    def make(variant="ap", seed=1, mrr=0.55, edges=EDGES, **chosen):
        rng = np.random.default_rng(seed + 10 * len(variant) + int(100 * mrr))
        places = rng.integers(1, 30, len(edges)) * 1.0
        own = Outcomes(rng.random(len(edges)), places)
        name = f"{variant}-{seed}-{mrr}"
        (tmp_path / name).mkdir()
        write_outcomes(tmp_path / name / "edges.npz", {"strict": (edges, own)})
        found = ranked(mrr)
        return one_run(tmp_path / name, found, variant=variant, seed=seed, **chosen)

    return make


def gaps(first, other):
    own, theirs = (run.outcomes["strict"][1].places for run in (first, other))
    return 1 / own - 1 / theirs


def test_methods_are_compared_seed_by_seed_on_the_same_edges(saved):
    ours = [saved("ap", 1), saved("ap", 2), saved("ap", 3)]
    theirs = [saved("ot", 1), saved("ot", 2), saved("ot", 3, edges=EDGES[:5])]
    found = paired_gap(ours, theirs, "strict", "mrr", "ot")
    pairs = [gaps(*own) for own in zip(ours[:2], theirs[:2], strict=True)]
    expected = []
    for seed, own in enumerate(pairs, 1):
        mean, _, interval = mean_with_error(own, seed)
        expected.append(Difference(mean, interval))
    assert found.seeds == (1, 2)  # those of the third are other edges
    assert found.mean == pytest.approx(np.mean([own.mean() for own in pairs]))
    assert found.interval == pytest.approx(combined(expected).interval)
    assert paired_gap(ours, [], "strict", "mrr") is None


def test_a_table_has_each_method_less_the_best(saved, tmp_path):
    runs = [saved("ap", 1, 0.5), saved("ot", 1, 0.7), saved("line", 1, 0.3)]
    table = Ratios("cora", ["ap", "ot", "line"], [0.55], [1], runs)
    rows = {row.title: row.entries[0.55] for row in table.paired_rows}
    assert list(rows) == ["GANE-AP minus GANE-OT", "LINE minus GANE-OT"]
    mean = gaps(runs[0], runs[1]).mean()
    assert rows["GANE-AP minus GANE-OT"].mean == pytest.approx(mean)
    content = json.loads(as_json(table))["mrr_paired"]["strict"]["ours"]
    assert content["line"]["0.55"]["rival"] == "ot"
    write_overview(table, tmp_path)
    page = Page(tmp_path / "report.html")
    assert page.row("LINE minus GANE-OT")[0].startswith(
        f"{100 * gaps(runs[2], runs[1]).mean():+.1f} ("
    )
    assert page.of("section", "id")[:2] == [
        "mrr_difference-strict", "mrr_paired-strict"
    ]  # fmt: skip


def test_a_table_that_is_not_complete_says_so_and_has_no_empty_row(saved, tmp_path):
    table = Ratios("cora", ["ap", "line"], [0.15, 0.55], [1, 2, 3], [saved()])
    write_overview(table, tmp_path)
    page = Page(tmp_path / "report.html")
    assert "1 of 12 runs" in page.text
    assert "No run yet: LINE." in page.text
    assert not any({*row[1:]} == {"–"} for row in page.rows if len(row) > 1)
    assert "LINE" not in [row[0] for row in page.rows]
    assert ["edges for training", "55 %"] in page.rows
    whole = Ratios("cora", ["ap"], [0.55], [1], table.runs)
    write_overview(whole, tmp_path)
    page = Page(tmp_path / "report.html")
    assert "All 1 runs are finished" in page.text
    assert "1 of 1 runs" not in page.text
    told = [own for own in page.of("svg", "aria-label") if own.startswith("MRR in %")]
    assert told[0].startswith("MRR in %: linear ranker 60.0, ")


def test_windows_are_compared_with_the_best_on_the_same_edges(saved, tmp_path):
    found = {1: [saved(mrr=0.5)], 21: [saved(mrr=0.6)]}
    header, rows, _ = paired_table(found)
    assert header == ("strict protocol, points", "AUC", "MRR", "Hits@10")
    title, _, mrr, _ = rows[0]
    assert title == "21 minus 1"  # of the same AUC, the first
    mean = 100 * gaps(found[21][0], found[1][0]).mean()
    assert mrr.text.startswith(f"{mean:+.1f} (")
    write_ablation("x", found, tmp_path, 3)
    page = Page(tmp_path / "report.html")
    assert page.row("21 minus 1")[1] == mrr.text
    assert "2 of 3 runs" in page.text
    assert paired_table({1: [one_run()], 5: [one_run()]}) is None
