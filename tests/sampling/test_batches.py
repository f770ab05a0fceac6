"""Batches: the right texts beside the right nodes, in the same order when resumed."""

import numpy as np
import pytest

from cane_gane.data.tokens import EncodedTexts
from cane_gane.sampling.batches import edge_batches
from cane_gane.sampling.edges import EdgeSampler, UpstreamSampler

EDGES = np.array([[i, (i * 7 + 3) % 40] for i in range(30)])
LENGTHS = np.arange(40) % 9
TEXTS = EncodedTexts.of(
    np.where(np.arange(12) < LENGTHS[:, None], np.arange(40)[:, None] + 2, 0).astype(
        np.int32
    ),
    LENGTHS,
)


def batches(sampler, epochs=1, **options):
    pipeline = edge_batches(TEXTS, sampler, **options)
    return list(pipeline.take(epochs * sampler.steps).as_numpy_iterator())


def test_batches_are_the_samplers_rows_in_order():
    sampler = EdgeSampler(EDGES, batch_size=8, negatives=3)
    rows = [
        np.column_stack([batch["source"], batch["target"], batch["negatives"]])
        for batch in batches(sampler, epochs=2)
    ]
    expected = np.concatenate([sampler.epoch(0), sampler.epoch(1)])
    np.testing.assert_array_equal(np.concatenate(rows), expected)


def test_the_last_batch_is_smaller_not_dropped():
    sizes = [len(b["source"]) for b in batches(EdgeSampler(EDGES, batch_size=8), 2)]
    assert sizes == [8, 8, 8, 6] * 2


def test_upstream_batches_are_whole():
    sizes = [len(b["source"]) for b in batches(UpstreamSampler(EDGES, batch_size=8), 2)]
    assert sizes == [8, 8, 8] * 2


def test_weights_stay_with_their_edges():
    sampler = EdgeSampler(EDGES, batch_size=8)
    for start in ({}, {"first_epoch": 1, "first_step": 2}):
        weigh = lambda edges: edges @ [100.0, 1.0]  # noqa: E731
        for batch in batches(sampler, epochs=2, weigh=weigh, **start):
            expected = 100 * batch["source"] + batch["target"]
            np.testing.assert_array_equal(batch["weight"], expected)
            assert batch["weight"].dtype == np.float32


def test_without_weights_a_batch_has_none():
    assert "weight" not in batches(EdgeSampler(EDGES, batch_size=8))[0]


@pytest.mark.parametrize("role", ["source", "target", "negatives"])
def test_texts_are_those_of_the_nodes(role):
    for batch in batches(EdgeSampler(EDGES, batch_size=8, negatives=3), trim=False):
        np.testing.assert_array_equal(batch[f"{role}_text"], TEXTS.ids[batch[role]])


def test_trimming_cuts_padding_only():
    sampler = EdgeSampler(EDGES, batch_size=2)
    for trimmed, full in zip(
        batches(sampler), batches(sampler, trim=False), strict=True
    ):
        width = trimmed["source_text"].shape[-1]
        roles = ("source", "target", "negatives")
        assert width == max(TEXTS.lengths[full[role]].max() for role in roles)
        for role in roles:
            text = full[f"{role}_text"]
            np.testing.assert_array_equal(trimmed[f"{role}_text"], text[..., :width])
            assert not text[..., width:].any()


def test_a_resumed_run_sees_the_same_batches():
    whole = batches(EdgeSampler(EDGES, batch_size=8, seed=4), epochs=3)
    resumed = batches(EdgeSampler(EDGES, batch_size=8, seed=4), first_epoch=2)
    for expected, found in zip(whole[8:], resumed, strict=True):
        for key, value in expected.items():
            np.testing.assert_array_equal(found[key], value)


def test_it_goes_on_within_an_epoch():
    sampler = EdgeSampler(EDGES, batch_size=8, seed=4)
    whole = batches(sampler, epochs=3)
    resumed = batches(sampler, epochs=2, first_epoch=1, first_step=2)
    left = whole[sampler.steps + 2 :]
    for expected, found in zip(left, resumed[: len(left)], strict=True):
        for key, value in expected.items():
            np.testing.assert_array_equal(found[key], value)
