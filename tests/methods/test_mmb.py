"""The blockmodel: recovered from a network that was drawn from one."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from cane_gane.data.network import TextualNetwork
from cane_gane.data.splits import Split
from cane_gane.methods.mmb import MmbSettings, fit_blockmodel
from cane_gane.methods.registry import find_method

SIZE, RATES = 40, np.array([[0.3, 0.02, 0.02], [0.02, 0.3, 0.02], [0.02, 0.02, 0.3]])
SETTINGS = MmbSettings(groups=3, sweeps=40, concentration=0.5)


@pytest.fixture(scope="module")
def drawn():
    """Groups of nodes, and edges drawn with the rates between their groups."""
    groups = np.repeat(np.arange(3), SIZE)
    chances = RATES[groups[:, None], groups]
    drawn = np.random.default_rng(3).random(chances.shape) < chances
    return groups, np.argwhere(np.triu(drawn, 1))


def test_groups_are_recovered(drawn):
    groups, edges = drawn
    found = fit_blockmodel(edges, len(groups), SETTINGS, seed=1)
    np.testing.assert_allclose(found.memberships.sum(axis=1), 1, rtol=1e-5)
    assert adjusted_rand_score(groups, found.memberships.argmax(axis=1)) > 0.9


def test_chances_are_recovered_up_to_the_share_of_pairs_that_count(drawn):
    groups, edges = drawn
    found = fit_blockmodel(edges, len(groups), SETTINGS, seed=1)
    chances = found.memberships @ found.rates @ found.memberships.T
    same = groups[:, None] == groups
    inside, across = chances[same].mean(), chances[~same].mean()
    # Of the odds, the share of absent pairs that were drawn cancels out.
    ratio = (inside / (1 - inside)) / (across / (1 - across))
    expected = (0.3 / 0.7) / (0.02 / 0.98)
    assert 0.6 * expected < ratio < 1.7 * expected


def test_the_score_is_the_expected_chance_of_an_edge(drawn):
    groups, edges = drawn
    network = TextualNetwork([""] * (len(groups) + 1), edges)  # the last has no edge
    fitted = find_method("mmb").fit(Split(network, edges, edges[:0]), SETTINGS, 1, None)
    model = fit_blockmodel(edges, len(groups) + 1, SETTINGS, seed=1)
    pairs = np.array([[0, 1], [0, 70], [110, 3]])
    expected = [
        model.memberships[u] @ model.rates @ model.memberships[v] for u, v in pairs
    ]
    np.testing.assert_allclose(fitted.score(pairs), expected, rtol=1e-5)
    assert np.isnan(fitted.vectors[-1]).all()
    assert fitted.score(np.array([[0, len(groups)]])).tolist() == [0]
