"""TADW: its turns lower the objective to where its derivatives are 0."""

from itertools import islice

import numpy as np
import pytest

from cane_gane.data.network import TextualNetwork
from cane_gane.data.splits import Split
from cane_gane.methods import tadw
from cane_gane.methods.registry import find_method


@pytest.fixture
def case():
    rng = np.random.default_rng(1)
    return rng.random((12, 12)), rng.standard_normal((12, 5))


def objective(matrix, text, own, factor, shrinkage):
    rest = matrix - own @ factor @ text.T
    return (rest**2).sum() + shrinkage * ((own**2).sum() + (factor**2).sum())


def test_every_turn_lowers_the_objective(case):
    turns = islice(tadw.sweeps(*case, 3, 0.2, seed=1), 12)
    found = [objective(*case, *turn, 0.2) for turn in turns]
    assert (np.diff(found) <= 1e-9).all()
    assert found[-1] < found[0] - 1


def test_the_last_factor_solves_its_equation(case):
    matrix, text = case
    own, factor = next(tadw.sweeps(matrix, text, 3, 0.2, seed=1))
    found = own.T @ own @ factor @ (text.T @ text) + 0.2 * factor
    np.testing.assert_allclose(found, own.T @ matrix @ text, atol=1e-9)


def test_a_matrix_of_low_rank_is_recovered():
    rng = np.random.default_rng(2)
    text = rng.standard_normal((20, 6))
    matrix = rng.standard_normal((20, 2)) @ rng.standard_normal((2, 6)) @ text.T
    *_, (own, factor) = islice(tadw.sweeps(matrix, text, 2, 1e-6, seed=1), 50)
    np.testing.assert_allclose(own @ factor @ text.T, matrix, atol=1e-3)


def test_the_matrix_is_the_mean_of_one_step_and_two():
    # The path 0 - 1 - 2: from an end to the middle, from there to both ends alike.
    edges = np.array([[0, 1], [1, 2]])
    split = Split(TextualNetwork(["", "", ""], edges), edges, edges[:0])
    expected = [[0.25, 0.5, 0.25], [0.25, 0.5, 0.25], [0.25, 0.5, 0.25]]
    np.testing.assert_allclose(tadw.step_matrix(split).toarray(), expected)


def test_a_node_without_an_edge_is_placed_by_its_text():
    texts = ["red fox", "red fox den", "blue sea", "blue sea sand", "red fox cub"]
    edges = np.array([[0, 1], [2, 3]])
    split = Split(TextualNetwork(texts, edges), edges, edges[:0])
    method = find_method("tadw")
    fitted = method.fit(split, method.settings.make(dimension=4), 1, None)
    scores = fitted.score(np.array([[4, 0], [4, 2]]))
    assert scores[0] > scores[1] + 0.5


def test_a_network_without_texts_has_vectors_of_its_edges():
    edges = np.array([[0, 1], [1, 2], [3, 4]])
    split = Split(TextualNetwork([""] * 6, edges), edges, edges[:0])
    method = find_method("tadw")
    vectors = method.fit(split, method.settings.make(dimension=4), 1, None).vectors
    assert np.isfinite(vectors).all()
