"""Negatives: upstream's table to the byte, and the distribution of the sampler."""

import hashlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from cane_gane.errors import InputError
from cane_gane.sampling.negatives import NoiseSampler, noise_table

STAR_AND_TAIL = np.array([[0, leaf] for leaf in range(1, 8)] + [[7, 8], [8, 9]])


@pytest.mark.parametrize("name", ["cora", "HepTh", "zhihu"])
@pytest.mark.parametrize(
    ("part", "count"), [("first_640_edges", 640), ("all_edges", None)]
)
def test_table_is_upstreams_to_the_byte(golden, published_edges, name, part, count):
    table = noise_table(published_edges(name)[:count]).astype("<i8")
    digest = hashlib.sha256(table.tobytes()).hexdigest()
    assert digest == golden["negative_table"][name][part]["sha256"]


def walk_the_table(edges, size):
    """Fills the table one entry at a time: the next node once a share is passed."""
    degree = {}
    for node in edges.T.ravel().tolist():
        degree[node] = degree.get(node, 0) + 1
    total = 0.0
    for count in degree.values():
        total += count**0.75
    nodes, table, reached, share = iter(degree.items()), [], 0.0, 0.0
    for entry in range(size):
        if (entry + 1) / size > share:
            node, count = next(nodes)
            reached += count**0.75
            share = reached / total
        table.append(node)
    return table


@given(
    st.lists(
        st.tuples(st.integers(0, 30), st.integers(0, 30)), min_size=1, max_size=60
    ),
    st.integers(1, 300),
)
def test_table_of_any_size_agrees_with_a_walk(edges, size):
    edges = np.array(edges)
    assert noise_table(edges, size).tolist() == walk_the_table(edges, size)


def test_probabilities_are_degrees_to_three_quarters():
    sampler = NoiseSampler(STAR_AND_TAIL)
    weights = np.array([7, 1, 1, 1, 1, 1, 1, 2, 2, 1]) ** 0.75
    np.testing.assert_allclose(sampler.probabilities, weights / weights.sum())


def drawn(sampler, edge, draws=60_000):
    edges = np.tile(edge, (draws // 3, 1))
    return sampler.sample(edges, 3, np.random.default_rng(0)).ravel()


@pytest.mark.parametrize("edge", [(0, 7), (8, 9), (3, 3)])
def test_draws_follow_the_distribution_without_the_endpoints(edge):
    sampler = NoiseSampler(STAR_AND_TAIL)
    exact = np.where(np.isin(sampler.nodes, edge), 0, sampler.probabilities)
    counts = np.bincount(drawn(sampler, edge), minlength=10)
    assert not counts[list(edge)].any()
    kept = exact > 0
    expected = exact[kept] / exact.sum() * counts.sum()
    assert chisquare(counts[kept], expected).pvalue > 1e-3


def test_draws_of_cora_follow_the_distribution(published_edges):
    edges = published_edges("cora")
    sampler = NoiseSampler(edges)
    counts = np.bincount(drawn(sampler, edges[0], 600_000), minlength=edges.max() + 1)
    exact = np.where(np.isin(sampler.nodes, edges[0]), 0, sampler.probabilities)
    kept = exact > 0
    expected = exact[kept] / exact.sum() * counts.sum()
    assert chisquare(counts[sampler.nodes[kept]], expected).pvalue > 1e-3


@given(
    st.lists(
        st.tuples(st.integers(0, 9), st.integers(10, 19)), min_size=3, max_size=30
    ),
    st.integers(0, 3),
)
@settings(deadline=None)
def test_known_neighbours_are_rejected_in_both_directions(edges, seed):
    edges = np.array(edges)
    try:
        sampler = NoiseSampler(edges, reject_neighbours=True)
    except InputError:
        return
    negatives = sampler.sample(edges, 4, np.random.default_rng(seed))
    known = {frozenset(edge) for edge in edges.tolist()}
    for (source, target), row in zip(edges.tolist(), negatives.tolist(), strict=True):
        assert all(frozenset((source, negative)) not in known for negative in row)
        assert source not in row
        assert target not in row


def test_an_edge_without_any_negative_is_refused_rather_than_waited_for():
    with pytest.raises(InputError, match="no admissible negative for edge 4 5"):
        NoiseSampler(np.array([[4, 5]]))


def test_a_node_joined_to_all_others_has_no_negative_among_strangers():
    edges = np.array([[1, 0], [0, 2], [3, 0], [0, 0], [1, 2]])
    NoiseSampler(edges)
    with pytest.raises(InputError, match="no admissible negative for edge 0"):
        NoiseSampler(edges, reject_neighbours=True)
