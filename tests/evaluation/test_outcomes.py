"""Outcomes edge by edge: means, intervals and differences beside scipy's, and files."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import stats

from cane_gane.errors import InputError
from cane_gane.evaluation import outcomes
from cane_gane.evaluation.outcomes import (
    Outcomes,
    clustered_error,
    differences,
    mean_with_error,
    only_places,
    places_among,
    read_outcomes,
    write_outcomes,
)
from cane_gane.evaluation.results import Draws

NAN = np.nan
SHARES = np.array([0.5, 1.0, 0.75, NAN])
PLACES = np.array([1.0, 2.5, NAN, 40.0])
WAYS = pytest.mark.parametrize("cells", [outcomes._CELLS, 0])


@pytest.fixture
def pair():
    """Two scores on 300 edges that are much alike: the second is a little worse."""
    rng = np.random.default_rng(4)
    both, own = rng.normal(size=300), 0.4 * rng.normal(size=(2, 300))
    shares = 1 / (1 + np.exp(-(both + own + [[1.2], [1]])))
    first, second = shares
    return Outcomes(first, 21 - 20 * first), Outcomes(second, 21 - 20 * second)


def test_the_mean_of_a_sample_has_the_error_of_the_textbook():
    mean, error, (low, high) = mean_with_error(np.array([1.0, 2.0, 3.0, 6.0]), 1)
    assert (mean, error) == (3.0, pytest.approx(np.sqrt(14 / 3 / 4)))
    assert 1 <= low < 3 < high <= 6


def test_a_sample_of_one_has_no_error():
    assert mean_with_error(np.array([2.0]), 1) == (2.0, None, (2.0, 2.0))


def test_an_empty_sample_has_nothing():
    assert mean_with_error(np.zeros(0), 1) == (None, None, None)


@WAYS
def test_the_seed_decides_about_the_interval(cells, monkeypatch):
    monkeypatch.setattr(outcomes, "_CELLS", cells)
    values = np.random.default_rng(0).normal(size=50)
    first, again, other = (mean_with_error(values, seed)[2] for seed in (1, 1, 2))
    assert first == again != other


@WAYS
@pytest.mark.parametrize("figure", ["auc", "mrr"])
def test_a_difference_has_the_interval_of_scipys_paired_bootstrap(
    pair, cells, figure, monkeypatch
):
    monkeypatch.setattr(outcomes, "_CELLS", cells)
    columns = tuple(own.column(figure) for own in pair)
    theirs = stats.bootstrap(
        columns, lambda a, b, axis=-1: (a - b).mean(axis), paired=True,
        method="percentile", n_resamples=9999, rng=np.random.default_rng(7),
    )  # fmt: skip
    found = differences(*pair, seed=1)[figure]
    assert found.mean == pytest.approx(np.mean(columns[0] - columns[1]))
    width = theirs.confidence_interval.high - theirs.confidence_interval.low
    expected = tuple(theirs.confidence_interval)
    assert found.interval == pytest.approx(expected, abs=width / 15)
    # Two scores that are alike are told apart by less than each alone varies.
    alone = [mean_with_error(column, 1)[2] for column in columns]
    assert width < min(high - low for low, high in alone)


def test_the_interval_holds_the_truth_as_often_as_it_says():
    rng = np.random.default_rng(3)
    held = 0
    for _ in range(400):
        first, second = rng.exponential(size=(2, 80)) + rng.normal(size=80)
        pair = Outcomes(first + 0.3, first), Outcomes(second, first)
        low, high = differences(*pair, seed=1)["auc"].interval
        held += low < 0.3 < high
    assert 0.91 < held / 400 < 0.98


def test_differences_are_on_edges_that_both_have_measured():
    first = Outcomes(SHARES, PLACES)
    second = Outcomes(np.array([0.25, NAN, 0.5, 0.5]), np.array([2.0, 5.0, 1.0, 20.0]))
    found = differences(first, second, seed=1)
    assert found["auc"].mean == pytest.approx((0.25 + 0.25) / 2)
    gaps = [1 - 1 / 2, 1 / 2.5 - 1 / 5, 1 / 40 - 1 / 20]
    assert found["mrr"].mean == pytest.approx(np.mean(gaps))
    assert found["hits_at_10"].mean == 0


def test_what_one_of_the_two_lacks_is_not_compared():
    first, second = Outcomes(SHARES, PLACES), only_places(np.ones(4))
    assert set(differences(first, second, seed=1)) == {"mrr", "hits_at_10"}


@pytest.mark.parametrize(("gap", "sign"), [(0.5, 1), (0.0, 0), (-0.5, -1)])
def test_a_difference_has_a_sign_where_its_interval_excludes_zero(gap, sign):
    shares = np.random.default_rng(2).normal(size=60) / 10
    first, second = Outcomes(gap + shares, PLACES), Outcomes(shares[::-1], PLACES)
    assert differences(first, second, seed=1)["auc"].sign == sign


def test_figures_are_means_over_the_edges_that_were_measured():
    draws, notes = Draws(0.7, 0.1), {"ranked_edges": 3, "missed": 0.25}
    precisions = np.array([1.0, 0.5, NAN, 0.1])
    found = Outcomes(SHARES, PLACES, precisions, draws, notes)
    figures = found.figures(np.array([4, 4, 6, 7]), {"scored": 4, "edges": 9}, seed=1)
    assert (figures.auc, figures.draws) == (0.75, draws)
    assert (figures.scored, figures.edges) == (4, 9)
    assert (figures.ranked_edges, figures.missed) == (3, 0.25)
    assert figures.mrr == pytest.approx((1 + 1 / 2.5 + 1 / 40) / 3)
    hits = [figures.hits_at_1, figures.hits_at_10, figures.hits_at_50]
    assert hits == pytest.approx([1 / 3, 2 / 3, 1])
    assert figures.average_precision == pytest.approx((0.75 + 0.1) / 2)


def test_without_places_there_are_no_figures_of_places():
    found = Outcomes(SHARES, np.full(4, NAN)).figures(np.arange(4), {}, seed=1)
    assert (found.mrr, found.hits_at_10, found.average_precision) == (None,) * 3


def test_without_shares_there_is_no_auc():
    found = only_places(PLACES).figures(np.arange(4), {}, seed=1)
    assert (found.auc, found.std_error, found.interval) == (None, None, None)
    assert found.mrr is not None


@given(
    arrays.arrays(np.float64, 3, elements=st.integers(-2, 2)),
    arrays.arrays(np.float64, (3, 5), elements=st.sampled_from([-np.inf, -1, 0, 1, 2])),
)
def test_places_are_those_of_a_loop_and_missing_rivals_do_not_count(own, rivals):
    expected = []
    for score, row in zip(own, rivals, strict=True):
        there = [rival for rival in row if rival != -np.inf]
        above = sum(rival > score for rival in there)
        ties = sum(rival == score for rival in there)
        expected.append(1 + above + ties / 2)
    assert places_among(own, rivals).tolist() == expected


def test_scores_that_rounding_sets_apart_tie():
    rivals = np.array([[1000 + 1e-10, 1000 - 1e-10, 1000 + 1e-6, -np.inf]])
    assert places_among(np.array([1000.0]), rivals).tolist() == [3]


def test_outcomes_are_read_as_they_were_written(tmp_path):
    edges = np.array([[0, 1], [2, 3], [4, 5], [6, 7]])
    empty = np.zeros((0, 2), np.int64), Outcomes(np.zeros(0), np.zeros(0))
    written = {
        "strict": (edges, Outcomes(SHARES, PLACES)),
        "hard": (edges[:1], only_places(PLACES[:1])),
        "all_edges": empty,
    }
    write_outcomes(tmp_path / "edges.npz", written)
    found = read_outcomes(tmp_path / "edges.npz")
    assert list(found) == list(written)
    for name, (known, own) in written.items():
        np.testing.assert_array_equal(found[name][0], known)
        np.testing.assert_array_equal(found[name][1].shares, own.shares)
        np.testing.assert_array_equal(found[name][1].places, own.places)


def test_where_there_is_no_file_there_are_no_outcomes(tmp_path):
    assert read_outcomes(tmp_path / "edges.npz") == {}


def cut(content):
    return content[: len(content) // 2]


def changed(content):
    place = len(content) // 2
    return content[:place] + bytes([content[place] ^ 255]) + content[place + 1 :]


@pytest.mark.parametrize(
    "damage", [cut, changed, lambda _: b"", lambda _: b"not a zip\nat all"]
)
def test_a_damaged_file_is_one_line_that_names_it(damage, tmp_path):
    path = tmp_path / "edges.npz"
    shares = np.random.default_rng(0).random(500)
    edges = np.arange(1000).reshape(500, 2)
    write_outcomes(path, {"strict": (edges, Outcomes(shares, shares))})
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(InputError) as caught:
        read_outcomes(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: found ")
    assert message.endswith("bash run.sh evaluate RUN writes it again")
    assert "\n" not in message


def test_a_file_that_lacks_an_array_is_damaged(tmp_path):
    np.savez(tmp_path / "edges.npz", **{"strict/edges": np.zeros((0, 2))})
    with pytest.raises(InputError, match="strict/shares"):
        read_outcomes(tmp_path / "edges.npz")


def test_outcomes_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        only_places(PLACES).shares = SHARES


@pytest.mark.parametrize("copies", [1, 7])
def test_the_error_of_drawn_groups_is_that_of_their_means(copies):
    values = np.random.default_rng(2).random(40)
    several, groups = np.tile(values, copies), np.tile(np.arange(40), copies)
    expected = stats.sem(values)
    assert clustered_error(several, groups) == pytest.approx(expected)
    mean, error, interval = mean_with_error(several, 1, groups)
    plain = mean_with_error(values, 1)
    assert (mean, error) == pytest.approx(plain[:2])
    assert interval == pytest.approx(plain[2])


def test_groups_of_several_sizes_are_drawn_with_their_error():
    """Beside the spread of the means of many draws from a population of groups."""
    rng = np.random.default_rng(5)
    sizes = rng.integers(1, 9, 4000)
    levels = rng.random(4000)
    means, errors = [], []
    for _ in range(300):
        drawn = rng.choice(4000, 200, replace=False)
        groups = np.repeat(drawn, sizes[drawn])
        values = levels[groups] + 0.1 * rng.normal(size=len(groups))
        means.append(values.mean())
        errors.append(clustered_error(values, groups))
    assert np.mean(errors) == pytest.approx(np.std(means), rel=0.15)


def test_a_single_group_has_no_error():
    assert clustered_error(SHARES[:3], np.zeros(3, np.int64)) is None


def test_paired_differences_of_drawn_groups(pair):
    first, second = pair
    groups = np.arange(300) // 3
    found = differences(first, second, 1, groups)["auc"]
    gaps = (first.shares - second.shares).reshape(100, 3).mean(axis=1)
    assert found.mean == pytest.approx(gaps.mean())
    low, high = found.interval
    assert high - low == pytest.approx(2 * 1.96 * stats.sem(gaps), rel=0.15)
