"""Matched words: what is cut, what is sparse, which pairs come first."""

import numpy as np
import pytest

from cane_gane.evaluation.matching import Match


def test_padding_is_cut_and_counted():
    plan = np.array([[1.0, 1.0, 2.0], [3.0, 1.0, 0.0], [1.0, 0.0, 1.0]])
    match = Match.cut(["a", "b"], ["x", "y"], plan, None)
    assert match.plan.tolist() == [[1 / 6, 1 / 6], [1 / 2, 1 / 6]]
    assert match.on_padding == pytest.approx(0.4)


def test_an_optimal_plan_has_all_its_weight_in_the_top_entries():
    plan = np.eye(4) / 4
    assert Match.cut("abcd", "wxyz", plan, None).top_share(plan) == pytest.approx(1)


def test_even_weights_have_the_share_of_their_number():
    plan = np.full((4, 6), 1 / 24)
    share = Match.cut("abcd", "uvwxyz", plan, None).top_share(plan)
    assert share == pytest.approx((4 + 6 - 1) / 24)


def test_word_pairs_are_summed_and_rare_ones_come_first():
    plan = np.array([[0.3, 0.0], [0.3, 0.1], [0.0, 0.3]])
    match = Match.cut(["The", "the", "fox"], ["the", "Fox"], plan, None)
    rarity = {"the": 0.1, "fox": 2.0}
    words = match.words(rarity, 2)
    assert words == [("fox", "fox", 0.3), ("the", "the", 0.6)]


def test_pairs_without_weight_are_left_out():
    match = Match.cut(["a"], ["a", "b"], np.array([[1.0, 0.0]]), None)
    assert match.words({"a": 1.0, "b": 1.0}, 5) == [("a", "a", 1.0)]


def test_a_plan_of_nothing_is_no_fault():
    match = Match.cut([], ["a"], np.zeros((1, 1)), None)
    assert (match.plan.size, match.on_padding) == (0, 0.0)
