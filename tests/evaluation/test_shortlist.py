"""Two stages for slow scores: exact where all is scored, else as a plain loop says."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from cane_gane.evaluation.fitted import Fitted, Shortlist, VectorFitted
from cane_gane.evaluation.hard import HardContest
from cane_gane.evaluation.outcomes import places_among
from cane_gane.evaluation.ranking import rank_targets
from cane_gane.evaluation.shortlist import shortlist_hard, shortlist_places
from tests.evaluation.contests import contests

NODES = 8
EDGES = arrays.arrays(
    np.int64, st.tuples(st.integers(1, 12), st.just(2)), elements=st.integers(0, 7)
)
VECTORS = arrays.arrays(np.float64, (NODES, 2), elements=st.integers(-2, 2))
NAMES = pytest.mark.parametrize("name", ["upstream", "strict"])


class Slow(Fitted):
    """A score of pairs that need not be symmetric, and what it was asked."""

    def __init__(self, left, right=None, candidates=100, hard=40):
        self.left, self.right = left, left if right is None else right
        self.shortlist = Shortlist(candidates, hard)
        self.asked = np.zeros((0, 2), np.int64)

    vectors = None  # only its score is asked for

    def score(self, pairs):
        self.asked = np.concatenate([self.asked, pairs])
        return (self.left[pairs[:, 0]] * self.right[pairs[:, 1]]).sum(axis=1)


@pytest.fixture(scope="module")
def case():
    """A contest of 200 nodes, a score, and a first stage that is near it."""
    rng = np.random.default_rng(0)
    edges = rng.integers(200, size=(700, 2))
    vectors = rng.normal(size=(200, 5))
    for source, target in edges:
        vectors[target] += 0.15 * vectors[source]
    rough = vectors + rng.normal(size=(200, 5))
    return contests(edges[:500], edges[500:], 200)["strict"], vectors, rough


@NAMES
@given(EDGES, EDGES, VECTORS, VECTORS)
def test_where_all_is_scored_the_ranking_is_the_whole_one(
    name, train, test, vectors, rough
):
    contest = contests(train, test, NODES)[name]
    first_stage = VectorFitted(rough)
    found = shortlist_places(Slow(vectors), first_stage, contest, seed=1)
    exact = rank_targets(VectorFitted(vectors), contest)
    assert found.places.tolist() == exact.places.tolist()
    assert found.precisions.tolist() == exact.precisions.tolist()
    assert (found.notes["ranked_edges"], found.notes["missed"]) == (
        len(exact.places),
        0,
    )


def test_every_pair_is_asked_for_once_where_all_is_scored(case):
    contest, vectors, rough = case
    slow = Slow(vectors)
    found = shortlist_places(slow, VectorFitted(rough), contest, 1, budget=10**6)
    pairs = {
        (source, node)
        for source, target in contest.scored.tolist()
        for node in [target, *contest.candidates(source).tolist()]
    }
    assert sorted(map(tuple, slow.asked.tolist())) == sorted(pairs)
    assert found.notes["ranked_pairs"] == len(pairs)


@NAMES
@given(EDGES, EDGES, VECTORS, VECTORS)
def test_a_source_with_fewer_candidates_than_the_list_is_ranked_as_a_whole(
    name, train, test, vectors, rough
):
    contest = contests(train, test, NODES)[name]
    found = shortlist_places(Slow(vectors), VectorFitted(rough), contest, 1, budget=15)
    exact = rank_targets(VectorFitted(vectors), contest)
    ranked = ~np.isnan(found.places)
    assert ranked.any() == bool(len(contest.scored))
    assert found.places[ranked].tolist() == exact.places[ranked].tolist()
    assert found.precisions[ranked].tolist() == exact.precisions[ranked].tolist()
    assert found.notes["missed"] == 0


def place(own, rivals):
    rivals = np.asarray(rivals)
    return 1 + (rivals > own).sum() + (rivals == own).sum() / 2


def test_the_places_are_those_of_a_plain_loop(case):
    contest, vectors, rough = case
    slow = Slow(vectors, candidates=12)
    found = shortlist_places(slow, VectorFitted(rough), contest, 1, budget=900)
    drawn = set(contest.scored[~np.isnan(found.places), 0].tolist())
    expected, missed = [], 0
    for source, target in contest.scored.tolist():
        if source not in drawn:
            expected.append(np.nan)
            continue
        first, second = rough[source] @ rough.T, vectors[source] @ vectors.T
        candidates = sorted(contest.candidates(source), key=lambda n: -first[n])
        if first[target] >= first[candidates[11]]:
            expected.append(place(second[target], second[candidates[:12]]))
        else:
            missed += 1
            expected.append(place(first[target], first[candidates]))
    np.testing.assert_array_equal(found.places, expected)
    ranked = int((~np.isnan(found.places)).sum())
    assert 0 < missed < ranked < len(contest.scored)
    assert found.notes["ranked_edges"] == ranked
    assert found.notes["missed"] == missed / ranked
    assert np.isnan(found.shares).all()


@pytest.mark.parametrize("budget", [150, 1_000, 5_000])
def test_the_budget_holds_and_is_used(case, budget):
    contest, vectors, rough = case
    slow = Slow(vectors)
    found = shortlist_places(slow, VectorFitted(rough), contest, 1, budget)
    assert budget - 110 < len(slow.asked) <= budget
    assert found.notes["ranked_pairs"] == len(slow.asked)


def test_one_source_is_ranked_whatever_it_costs(case):
    contest, vectors, rough = case
    slow = Slow(vectors)
    found = shortlist_places(slow, VectorFitted(rough), contest, 1, budget=1)
    assert len(set(slow.asked[:, 0].tolist())) == 1
    assert found.notes["ranked_edges"] >= 1


def test_all_edges_of_a_source_are_ranked_or_none(case):
    contest, vectors, rough = case
    found = shortlist_places(Slow(vectors), VectorFitted(rough), contest, 1, 1_000)
    ranked = ~np.isnan(found.places)
    sources = contest.scored[:, 0]
    assert not set(sources[ranked].tolist()) & set(sources[~ranked].tolist())
    assert (np.isnan(found.precisions) == ~ranked).all()


def test_the_seed_decides(case):
    contest, vectors, rough = case
    first, again, other = (
        shortlist_places(
            Slow(vectors), VectorFitted(rough), contest, seed, 1_000
        ).places
        for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(first, again)
    assert (np.isnan(first) != np.isnan(other)).any()


def test_lists_are_as_long_as_the_budget_allows_for_all_sources(case):
    contest, vectors, rough = case
    sources = len(np.unique(contest.scored[:, 0]))
    slow = Slow(vectors, candidates=12)
    budget = 40 * sources + len(contest.scored)
    found = shortlist_places(slow, VectorFitted(rough), contest, 1, budget)
    assert not np.isnan(found.places).any()
    assert 0.95 * budget < len(slow.asked) <= budget


def test_a_target_that_ties_with_the_last_of_the_list_is_not_left_out(case):
    contest, vectors, _ = case
    same = VectorFitted(np.ones((200, 1)))
    slow = Slow(vectors, candidates=12)
    found = shortlist_places(slow, same, contest, 1, budget=900)
    assert found.notes["missed"] == 0


def test_where_no_edge_is_scored_there_is_no_place():
    nothing = contests([[0, 1]], [[1, 1]], NODES)["strict"]
    slow = Slow(np.ones((NODES, 2)))
    found = shortlist_places(slow, VectorFitted(np.ones((NODES, 2))), nothing, 1)
    assert found.places.shape == found.precisions.shape == (0,)
    assert found.notes == {"ranked_edges": 0, "ranked_pairs": 0, "missed": 0}


@pytest.fixture(scope="module")
def hard():
    """Thirty edges of forty nodes with ten negatives each, or fewer."""
    rng = np.random.default_rng(1)
    scored, negatives = (
        rng.integers(40, size=(30, 2)),
        rng.integers(40, size=(30, 10, 2)),
    )
    negatives[:8, 6:] = -1
    negatives[8] = -1
    return HardContest(scored, negatives, 50)


def halves(seed):
    left, right = np.random.default_rng(seed).normal(size=(2, 40, 3))
    return left, right


def test_hard_negatives_are_all_ranked_where_the_list_is_long_enough(hard):
    slow = Slow(*halves(2))
    found = shortlist_hard(slow, VectorFitted(halves(3)[0]), hard)
    asked = len(slow.asked)
    scores = slow.score(hard.pairs.reshape(-1, 2)).reshape(30, 11)
    negative = np.where(hard.filled, scores[:, 1:], -np.inf)
    assert found.places.tolist() == places_among(scores[:, 0], negative).tolist()
    assert found.places[8] == 1
    # No pair is asked for where there is none.
    assert asked == found.notes["ranked_pairs"] == 30 + hard.filled.sum()
    assert (found.notes["ranked_edges"], found.notes["missed"]) == (30, 0)
    assert np.isnan(found.shares).all()


def test_of_hard_negatives_the_first_stage_names_some(hard):
    left, right = halves(2)
    rough = left + right
    found = shortlist_hard(Slow(left, right, hard=4), VectorFitted(rough), hard)
    expected, missed = [], 0
    for edge, row in zip(hard.scored.tolist(), hard.negatives.tolist(), strict=True):
        pairs = sorted(
            ((u, v) for u, v in row if u >= 0),
            key=lambda pair: -rough[pair[0]] @ rough[pair[1]],
        )
        first = [rough[u] @ rough[v] for u, v in [edge, *pairs]]
        second = [left[u] @ right[v] for u, v in [edge, *pairs]]
        if len(pairs) <= 4 or first[0] >= first[4]:
            expected.append(place(second[0], second[1:5]))
        else:
            missed += 1
            expected.append(place(first[0], first[1:]))
    assert found.places.tolist() == expected
    assert found.notes["missed"] == missed / 30 > 0


def test_without_hard_negatives_there_is_no_place(hard):
    nothing = HardContest(hard.scored[:0], hard.negatives[:0], 50)
    found = shortlist_hard(Slow(*halves(2)), VectorFitted(halves(3)[0]), nothing)
    assert found.places.shape == (0,)
    assert found.notes == {"ranked_edges": 0, "ranked_pairs": 0, "missed": 0}
