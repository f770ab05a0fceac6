"""Epochs: every edge once, the same for the same seed, and upstream's numbers."""

import random

import numpy as np
import pytest

from cane_gane.errors import InputError
from cane_gane.sampling.edges import EdgeSampler, UpstreamSampler
from cane_gane.sampling.negatives import noise_table

EDGES = np.array([[i, (i * 7 + 3) % 40] for i in range(30)])


@pytest.mark.parametrize("epoch", [0, 1, 17])
def test_an_epoch_has_every_edge_once(epoch):
    rows = EdgeSampler(EDGES, negatives=2).epoch(epoch)
    assert rows.shape == (30, 4)
    assert sorted(map(tuple, rows[:, :2].tolist())) == sorted(
        map(tuple, EDGES.tolist())
    )


@pytest.mark.parametrize("make", [EdgeSampler, UpstreamSampler])
def test_an_epoch_depends_on_seed_and_number_alone(make):
    in_order = make(EDGES, batch_size=8, seed=5)
    rows = [in_order.epoch(number) for number in range(4)]
    resumed = make(EDGES, batch_size=8, seed=5)
    for number in (3, 1, 1, 2):
        np.testing.assert_array_equal(resumed.epoch(number), rows[number])


@pytest.mark.parametrize("make", [EdgeSampler, UpstreamSampler])
def test_epochs_and_seeds_differ(make):
    first = make(EDGES, batch_size=8, seed=5).epoch(0)
    assert (first != make(EDGES, batch_size=8, seed=6).epoch(0)).any()
    assert (first != make(EDGES, batch_size=8, seed=5).epoch(1)).any()


def test_steps_count_the_partial_batch():
    assert EdgeSampler(EDGES, batch_size=8).steps == 4
    assert EdgeSampler(EDGES, batch_size=15).steps == 2


def test_an_epoch_may_be_a_sample_of_the_edges():
    sampler = EdgeSampler(EDGES, batch_size=8, edges_per_epoch=10, seed=5)
    first, second = sampler.epoch(0), sampler.epoch(1)
    assert (sampler.steps, first.shape) == (2, (10, 3))
    known = set(map(tuple, EDGES.tolist()))
    for rows in (first, second):
        edges = set(map(tuple, rows[:, :2].tolist()))
        assert len(edges) == 10
        assert edges < known
    assert not np.array_equal(first, second)
    again = EdgeSampler(EDGES, batch_size=8, edges_per_epoch=10, seed=5)
    np.testing.assert_array_equal(again.epoch(1), second)
    assert len(EdgeSampler(EDGES, edges_per_epoch=99).epoch(0)) == 30


def test_upstream_drops_the_partial_batch():
    sampler = UpstreamSampler(EDGES, batch_size=8)
    assert (sampler.steps, len(sampler.epoch(0))) == (3, 24)


def test_upstream_draws_what_pythons_random_gives():
    random.seed(3)
    table, order, epochs = noise_table(EDGES), EDGES.tolist(), []
    for _ in range(3):
        random.shuffle(order)
        epochs.append([])
        for source, target in order[:24]:
            candidates = iter(lambda: table[random.randint(0, 999_999)], None)
            negative = next(c for c in candidates if c not in (source, target))
            epochs[-1].append([source, target, int(negative)])
    sampler = UpstreamSampler(EDGES, batch_size=8, seed=3)
    assert [sampler.epoch(number).tolist() for number in range(3)] == epochs


@pytest.mark.parametrize("sizes", [{"batch_size": 0}, {"negatives": -1}])
def test_sizes_below_one_are_refused(sizes):
    with pytest.raises(InputError, match="expected at least 1"):
        EdgeSampler(EDGES, **sizes)


def test_upstream_needs_a_whole_batch():
    with pytest.raises(
        InputError, match="found 30 training edges; expected at least one"
    ):
        UpstreamSampler(EDGES)
