"""Texts by their distinct words: nothing is lost, and no result changes."""

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given
from hypothesis import strategies as st

from cane_gane.layers import AttentionParsing, TransportAlignment, TransportPlan
from cane_gane.models.merging import merged

IDS = tf.constant([[5, 3, 5, 5, 9], [0, 0, 0, 0, 0], [7, 0, 7, 2, 0]])


def test_words_are_in_the_order_of_their_first_occurrence():
    texts = merged(IDS)
    assert texts.words.numpy().tolist() == [[5, 3, 9], [0, 0, 0], [7, 2, 0]]
    assert texts.counts.numpy().tolist() == [[3, 1, 1], [0, 0, 0], [2, 1, 0]]
    expected = [[1, 2, 1, 1, 3], [0, 0, 0, 0, 0], [1, 1, 2, 0, 0]]
    assert texts.order.numpy().tolist() == expected


@given(st.lists(st.lists(st.integers(0, 6), max_size=9), max_size=5))
def test_a_text_can_be_read_back(rows):
    width = max(map(len, rows), default=0)
    ids = np.array([row + [0] * (width - len(row)) for row in rows], np.int32)
    texts = merged(tf.constant(ids.reshape(len(rows), width)))
    for row, words, counts, order in zip(rows, *map(np.array, texts), strict=True):
        kept = [word for word in row if word]
        assert [words[at - 1] for at in order if at] == kept
        assert dict(zip(words[words > 0], counts[counts > 0], strict=True)) == {
            word: kept.count(word) for word in kept
        }


def test_nothing_is_merged_to_one_empty_column():
    texts = merged(tf.zeros([2, 0], tf.int32))
    assert [part.shape for part in texts] == [(2, 1)] * 3


@pytest.fixture
def pair():
    """Two batches of texts, whole and merged, with their word vectors."""
    generator = np.random.default_rng(3)
    table = generator.normal(size=(6, 8)).astype("f4")
    lengths = generator.integers(1, 12, (2, 7, 1))
    ids = generator.integers(1, 6, (2, 7, 12)) * (np.arange(12) < lengths)
    whole = [(table[side], side > 0) for side in ids]
    parts = [merged(tf.constant(side, tf.int32)) for side in ids]
    return whole, [(tf.gather(table, p.words), p.counts, p.order) for p in parts]


def test_a_merged_plan_sums_the_plan_of_all_words(pair):
    ((source, real), (target, known)), (left, right) = pair
    whole = TransportPlan()(source, target, source_mask=real, target_mask=known)
    plan = TransportPlan()(
        left[0], right[0], source_mask=left[1], target_mask=right[1]
    ).numpy()
    for i in range(len(plan)):
        summed = np.zeros_like(plan[i])
        for a in np.flatnonzero(real[i]):
            for b in np.flatnonzero(known[i]):
                cell = (left[2][i, a] - 1, right[2][i, b] - 1)
                summed[cell] += whole[i, a, b]
        np.testing.assert_allclose(plan[i], summed, rtol=1e-4, atol=1e-7)


@pytest.mark.parametrize("scale", [True, False])
def test_a_merged_word_is_aligned_as_each_of_its_occurrences(pair, scale):
    ((source, real), (target, known)), (left, right) = pair
    layer = TransportAlignment(scale=scale)
    whole, _ = layer(source, target, source_mask=real, target_mask=known)
    found, _ = layer(left[0], right[0], source_mask=left[1], target_mask=right[1])
    rows = tf.gather(found, tf.maximum(left[2] - 1, 0), batch_dims=1)
    whole = whole[:, : rows.shape[1]]
    np.testing.assert_allclose(
        rows[left[2] > 0], whole[left[2] > 0], rtol=1e-4, atol=1e-6
    )


@pytest.mark.parametrize(
    "options",
    [
        {"window": 3},
        {"window": 4, "scale": False},
        {"window": 3, "channels": 2},
    ],
    ids=str,
)
def test_merged_words_are_parsed_in_the_order_of_the_text(pair, options):
    ((source, real), (target, known)), (left, right) = pair
    whole = TransportPlan()(source, target, source_mask=real, target_mask=known)
    plan = TransportPlan()(left[0], right[0], source_mask=left[1], target_mask=right[1])
    layer = AttentionParsing(return_plan=True, **options)
    expected = layer(whole, target, source_mask=real, context_mask=known)
    found = layer(
        plan,
        right[0],
        source_mask=left[1],
        context_mask=right[1],
        context_order=right[2],
    )
    width = found[1].shape[1]
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(found[1], expected[1][:, :width], rtol=1e-4, atol=1e-5)
