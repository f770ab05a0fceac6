"""The layers: one shared check for all, then what each one computes."""

from __future__ import annotations

import doctest
import importlib

import keras
import numpy as np
import pytest
import tensorflow as tf

from cane_gane import layers
from cane_gane.layers import (
    Aggregation,
    AttentionParsing,
    InnerProduct,
    MutualAttention,
    TransportAlignment,
    TransportPlan,
    WordAlignment,
)
from tests.conftest import ROOT
from tests.layers.layers_check import QUICK, SLOW, Case

# Keras copies a variable in a way that numpy 2 warns of, wherever a model is saved
pytestmark = pytest.mark.filterwarnings(
    "ignore:__array__ implementation doesn't accept a copy:DeprecationWarning"
)

# one text of the batch is full, one short, one empty
PAIR = {
    "axes": {"source": (4, "source_mask", 6), "target": (4, "target_mask", 6)},
    "masks": {"source_mask": [5, 3, 1, 4], "target_mask": [4, 7, 2, 0]},
}
PARSED = {
    "axes": {
        "plan": (4, "source_mask", "context_mask"),
        "context": (4, "context_mask", 6),
    },
    "masks": {"source_mask": [5, 3, 1, 4], "context_mask": [4, 7, 2, 0]},
}
PARTS = {
    "axes": {"words": (3, "mask", 4), "aligned": (3, "mask", 6), "context": (3, 5)},
    "masks": {"mask": [5, 2, 0]},
    "call": lambda layer, x: layer(
        [x["words"], x["aligned"], x["context"]], mask=x["mask"]
    ),
}
CASES = [
    Case(
        TransportPlan,
        {"gradient": "full", "iterations": 7},
        outputs=[(4, 5, 7)],
        **PAIR,
    ),
    Case(
        TransportPlan,
        {"cost": "euclidean", "gradient": "full", "iterations": 7, "beta": 5.0},
        outputs=[(4, 5, 7)],
        name="euclidean",
        **PAIR,
    ),
    Case(
        TransportAlignment,
        {"gradient": "full", "iterations": 7, "return_plan": True},
        outputs=[(4, 5, 6), (4, 7, 6), (4, 5, 7)],
        **PAIR,
    ),
    Case(
        WordAlignment,
        {"scale": 0.5, "return_plan": True},
        outputs=[(4, 5, 6), (4, 7, 6), (4, 5, 7), (4, 7, 5)],
        **PAIR,
    ),
    Case(
        MutualAttention,
        {"filters": 3, "return_plan": True},
        outputs=[(4, 3), (4, 3), (4, 4), (4, 6)],
        **PAIR,
    ),
    Case(
        AttentionParsing,
        {"window": 3, "return_plan": True},
        outputs=[(4, 6), (4, 7)],
        **PARSED,
    ),
    Case(
        AttentionParsing,
        {"window": 4, "channels": 3},
        outputs=[(4, 6)],
        name="channels",
        **PARSED,
    ),
    Case(Aggregation, {"units": 2}, outputs=[(3, 2)], **PARTS),
    Case(
        Aggregation,
        {"units": 2, "pooling": "mean", "use_bias": True},
        outputs=[(3, 2)],
        name="mean",
        **PARTS,
    ),
    Case(InnerProduct, {}, axes={"x": (3, 4), "y": (3, 4)}, outputs=[(3,)]),
    Case(
        InnerProduct,
        {"kernel": "imq", "mapped": True, "bandwidth": 2.0},
        axes={"x": (3, 1, 4), "y": (3, 2, 5)},
        outputs=[(3, 2)],
        name="mapped",
    ),
]


@pytest.mark.parametrize(
    "check",
    [*QUICK, *(pytest.param(check, marks=pytest.mark.slow) for check in SLOW)],
    ids=lambda check: check.__name__,
)
@pytest.mark.parametrize(
    "case",
    CASES,
    ids=lambda case: "-".join(filter(None, [case.layer.__name__, case.name])),
)
def test_a_layer_passes_the_check(case, check, tmp_path):
    check(case, tmp_path)


def test_every_layer_is_checked():
    assert {case.layer.__name__ for case in CASES} == set(layers.__all__)


@pytest.mark.parametrize("name", layers.__all__)
def test_the_example_of_a_docstring_runs(name):
    module = importlib.import_module(getattr(layers, name).__module__)
    found = doctest.testmod(module)
    assert found.attempted
    assert not found.failed


def words(n, p=6, seed=0, batch=2):
    return np.random.default_rng(seed).normal(size=(batch, n, p)).astype("float32")


def softmax(x):
    exponential = np.exp(x - x.max())
    return exponential / exponential.sum()


# TransportPlan


def numpy_plan(cost, beta, iterations):
    """Algorithm 1 of the paper, letter by letter, for one pair of texts."""
    n, m = cost.shape
    sigma, plan, kernel = np.ones(m) / m, np.ones((n, m)), np.exp(-cost / beta)
    for _ in range(iterations):
        q = kernel * plan
        delta = 1 / (n * q @ sigma)
        sigma = 1 / (m * q.T @ delta)
        plan = np.diag(delta) @ q @ np.diag(sigma)
    return plan


def test_a_plan_is_that_of_algorithm_1_with_cosine_cost():
    source, target = words(5, seed=1), words(7, seed=2)
    found = TransportPlan(iterations=20)(source, target)
    for plan, x, y in zip(found, source, target, strict=True):
        x, y = (z / np.linalg.norm(z, axis=1, keepdims=True) for z in (x, y))
        np.testing.assert_allclose(plan, numpy_plan(1 - x @ y.T, 0.5, 20), atol=1e-5)


def test_a_plan_is_that_of_algorithm_1_with_euclidean_cost():
    source, target = words(5, seed=1), words(7, seed=2)
    found = TransportPlan(cost="euclidean", beta=4.0, iterations=20)(source, target)
    for plan, x, y in zip(found, source, target, strict=True):
        cost = np.sum((x[:, None] - y[None]) ** 2, -1)
        np.testing.assert_allclose(plan, numpy_plan(cost, 4.0, 20), atol=1e-5)


def test_a_plan_spreads_its_mass_over_real_words():
    real = np.array([[True, True, True, False, False], [True] * 5])
    plan = TransportPlan(iterations=200)(words(7), words(5), target_mask=real)
    np.testing.assert_allclose(
        np.sum(plan, 1), real / real.sum(1, keepdims=True), rtol=1e-5
    )
    np.testing.assert_allclose(np.sum(plan, 2), 1 / 7, rtol=0.02)


def test_keras_hands_the_masks_of_both_texts_to_the_layer():
    ids = np.array([[1, 2, 3, 0], [4, 0, 0, 0]])
    others = np.array([[5, 6, 0], [7, 8, 9]])
    table = keras.layers.Embedding(10, 6, mask_zero=True)
    layer = TransportPlan(iterations=5)
    expected = layer(
        np.asarray(table(ids)),
        np.asarray(table(others)),
        source_mask=ids != 0,
        target_mask=others != 0,
    )
    inputs = keras.Input([4], dtype="int32"), keras.Input([3], dtype="int32")
    model = keras.Model(inputs, layer(table(inputs[0]), table(inputs[1])))
    np.testing.assert_allclose(model([ids, others]), expected, atol=1e-7)


def test_an_unknown_cost_is_refused():
    with pytest.raises(ValueError, match=r"'euclidean'; received cost='manhattan'$"):
        TransportPlan(cost="manhattan")


# TransportAlignment


def test_unscaled_alignment_is_the_papers_product_in_both_directions():
    source, target = words(5, seed=1), words(7, seed=2)
    layer = TransportAlignment(scale=False, return_plan=True)
    source_aligned, target_aligned, plan = map(np.asarray, layer(source, target))
    np.testing.assert_allclose(source_aligned, plan @ target, atol=1e-6)
    np.testing.assert_allclose(
        target_aligned, plan.transpose(0, 2, 1) @ source, atol=1e-6
    )


def test_scaled_alignment_is_n_times_the_papers():
    source, target = words(5, seed=1), words(7, seed=2)
    real = np.array([[True] * 4 + [False], [True] * 5])
    paper = TransportAlignment(scale=False)(source, target, source_mask=real)
    scaled = TransportAlignment()(source, target, source_mask=real)
    counts = np.array([4, 5])[:, None, None]
    np.testing.assert_allclose(scaled[0], paper[0] * counts, rtol=1e-5)
    np.testing.assert_allclose(scaled[1], paper[1] * 7, rtol=1e-5)


def test_scaled_alignment_with_one_word_repeated_is_that_word():
    word = words(1, seed=3)
    aligned, _ = TransportAlignment()(words(5), np.repeat(word, 7, 1))
    np.testing.assert_allclose(aligned, np.repeat(word, 5, 1), rtol=1e-5)


# AttentionParsing


def numpy_parsing(layer, plan, context, reading="context"):
    """The paper's equations in loops, for one pair without padding."""
    n, m = plan.shape
    scaled = plan[:, :, None] * (n * m if layer.scale else 1)
    kernel, left = np.asarray(layer.kernel), (layer.window - 1) // 2
    hidden = np.zeros((n, m, layer.channels))
    for i in range(n):
        for j in range(m):
            for k in range(layer.window):
                if 0 <= j + k - left < m:
                    hidden[i, j] += scaled[i, j + k - left] @ kernel[k]
    pooled = np.maximum(hidden, 0).max(0 if reading == "context" else 1)
    return softmax(pooled @ np.asarray(layer.projection)) @ context


def plans(n, m, seed=5):
    return np.random.default_rng(seed).dirichlet(np.ones(n * m), 2).reshape(2, n, m)


@pytest.mark.parametrize(
    "options",
    [
        {"window": 3},
        {"window": 4},
        {"window": 21, "scale": False},
        {"window": 3, "channels": 4},
    ],
    ids=str,
)
def test_attention_parsing_is_the_papers_equations(options):
    plan, context = plans(5, 7), words(7)
    layer = AttentionParsing(**options)
    found = layer(plan, context)
    rng = np.random.default_rng(8)
    for weight in layer.trainable_weights:
        weight.assign(rng.normal(size=weight.shape))
    found = layer(plan, context)
    for one, t, s in zip(found, plan, context, strict=True):
        np.testing.assert_allclose(
            one, numpy_parsing(layer, t, s), rtol=1e-4, atol=1e-5
        )


def test_the_literal_reading_pools_over_the_context():
    plan, context = plans(6, 6), words(6)
    layer = AttentionParsing(window=3, reading="literal")
    found = layer(plan, context)
    for one, t, s in zip(found, plan, context, strict=True):
        expected = numpy_parsing(layer, t, s, "literal")
        np.testing.assert_allclose(one, expected, rtol=1e-4, atol=1e-5)


def test_the_literal_reading_lets_no_padding_in():
    real = np.arange(6)[None] < np.array([[4], [3]])
    layer = AttentionParsing(window=3, reading="literal", return_plan=True)
    masks = {"source_mask": real, "context_mask": real}
    _, weights = layer(plans(6, 6), words(6), **masks)
    found = layer(plans(6, 6), np.where(real[..., None], words(6), 9), **masks)[0]
    expected = layer(plans(6, 6), words(6), **masks)[0]
    assert not np.any(np.asarray(weights)[~real])
    np.testing.assert_array_equal(found, expected)


def test_the_literal_reading_refuses_texts_of_two_lengths():
    layer = AttentionParsing(reading="literal")
    with pytest.raises(ValueError, match=r"one length; received .* \(2, 5, 7\)$"):
        layer(plans(5, 7), words(7))


def test_a_plan_and_a_context_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match=r"received \(2, 5, 7\) and \(2, 5, 6\)$"):
        AttentionParsing()(plans(5, 7), words(5))


def test_the_convolution_is_that_of_keras():
    plan = plans(5, 7).astype("float32")
    layer = AttentionParsing(window=4, channels=2)
    layer.build(plan.shape, (2, 7, 6))
    convolution = keras.layers.Conv2D(2, (1, 4), padding="same", use_bias=False)
    convolution.build((2, 5, 7, 1))
    convolution.kernel.assign(layer.kernel[None])
    pooled = np.max(np.maximum(convolution(35 * plan[..., None]), 0), 1)
    logits = pooled @ np.asarray(layer.projection)
    expected = np.stack(
        [softmax(one) @ s for one, s in zip(logits, words(7), strict=True)]
    )
    np.testing.assert_allclose(layer(plan, words(7)), expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("n", [2, 40])
def test_scaled_logits_of_an_even_plan_do_not_depend_on_its_size(n):
    layer = AttentionParsing(window=1)
    plan = np.full((1, n, 3), 1 / (3 * n))
    layer.build(plan.shape, (1, 3, 6))
    hidden = layer._parse(
        tf.constant(plan, tf.float32),
        tf.ones((1, n)),
        tf.ones((1, 3)),
        tf.constant([[1, 2, 3]]),
    )
    np.testing.assert_allclose(hidden, layer.kernel[0, 0, 0], rtol=1e-5)


def test_matched_words_start_with_more_weight():
    plan = np.zeros((1, 4, 9), "float32")
    plan[0, :, 2] = 0.25
    layer = AttentionParsing(window=3, return_plan=True)
    weights = layer(plan, words(9, batch=1))[1]
    assert np.all(np.sort(np.argsort(weights[0])[-3:]) == [1, 2, 3])


# MutualAttention


@pytest.fixture
def upstream():
    return np.load(ROOT / "tests/golden/golden_a.npz")


@pytest.fixture
def upstream_layer(upstream):
    layer = MutualAttention(masked=False, return_plan=True)
    layer.build((None, None, 100))
    layer.kernel.assign(upstream["var_W2"][:, :, 0])
    layer.affinity.assign(upstream["var_rand_matrix"])
    return layer


def assert_near(found, expected):
    assert np.max(np.abs(found - expected)) <= 1e-6 * np.max(np.abs(expected))


def test_unmasked_mutual_attention_is_upstreams(upstream, upstream_layer):
    table = upstream["var_text_embed"]
    found = upstream_layer(table[upstream["in_Text_a"]], table[upstream["in_Text_b"]])
    for one, name in zip(found, ["convA", "convB", "w_A", "w_B"], strict=True):
        assert_near(one, upstream[f"out_{name}"])


def test_a_negative_attends_to_the_features_of_the_source(upstream, upstream_layer):
    table = upstream["var_text_embed"]
    source, seen = upstream_layer.features(table[upstream["in_Text_a"]])
    negative, against = upstream_layer.features(table[upstream["in_Text_neg"]])
    _, vector, _, weights = upstream_layer.attend(source, negative, seen, against)
    assert_near(vector, upstream["out_convNeg"])
    assert_near(weights, upstream["out_w_NEG"])


def numpy_mutual(layer, source, target):
    """CANE's equations for one pair without padding."""
    kernel, affinity = np.asarray(layer.kernel), np.asarray(layer.affinity)

    def features(text):
        windows = np.lib.stride_tricks.sliding_window_view(text, layer.window, 0)
        return np.tanh(np.einsum("npk,kpf->nf", windows, kernel))

    h_u, h_v = features(source), features(target)
    related = np.tanh(h_u @ affinity @ h_v.T)
    return softmax(related.mean(1)) @ h_u, softmax(related.mean(0)) @ h_v


def test_masked_mutual_attention_is_that_of_the_texts_cut_to_length():
    source, target = words(6, seed=1), words(8, seed=2)
    layer = MutualAttention(filters=4, window=3)
    found = layer(
        source,
        target,
        source_mask=np.arange(6)[None] < np.array([[3], [6]]),
        target_mask=np.arange(8)[None] < np.array([[7], [5]]),
    )
    for pair, (n, m) in enumerate([(3, 7), (6, 5)]):
        expected = numpy_mutual(layer, source[pair, :n], target[pair, :m])
        for side in range(2):
            np.testing.assert_allclose(found[side][pair], expected[side], atol=1e-5)


def test_a_text_shorter_than_the_window_is_one_window():
    source, target = words(1, seed=1), words(8, seed=2)
    layer = MutualAttention(filters=4, window=3)
    found = layer(source, target)[0]
    filled = np.pad(source, [(0, 0), (0, 2), (0, 0)])
    for pair in range(2):
        expected, _ = numpy_mutual(layer, filled[pair], target[pair])
        np.testing.assert_allclose(found[pair], expected, atol=1e-5)


def test_unmasked_mutual_attention_refuses_a_text_below_the_window():
    with pytest.raises(ValueError, match=r"window=2 words; received shape \(2, 1, 6\)"):
        MutualAttention(masked=False)(words(1), words(4))


# WordAlignment


def test_word_alignment_is_dot_product_attention_both_ways():
    source, target = words(5, seed=1), words(7, seed=2)
    real = np.arange(7)[None] < np.array([[4], [7]])
    aligned, back = WordAlignment()(source, target, target_mask=real)
    attention = keras.layers.Attention()
    expected = attention([source, target], mask=[None, real])
    np.testing.assert_allclose(aligned, expected, atol=1e-5)
    expected = attention([target, source]) * real[:, :, None]
    np.testing.assert_allclose(back, expected, atol=1e-5)


def test_the_rows_of_word_weights_sum_to_one_at_real_words():
    real = np.arange(7)[None] < np.array([[4], [7]])
    layer = WordAlignment(return_plan=True)
    _, _, forth, back = layer(words(5), words(7, seed=2), target_mask=real)
    np.testing.assert_allclose(np.sum(forth, 2), 1, rtol=1e-5)
    np.testing.assert_allclose(np.sum(back, 2), real, rtol=1e-5)


# Aggregation


@pytest.mark.parametrize("pooling", ["max", "mean"])
def test_aggregation_is_concatenation_then_pooling_then_projection(pooling):
    first, second, vector = words(5, 3), words(5, 4, seed=1), words(1, 2)[:, 0]
    layer = Aggregation(3, pooling=pooling)
    real = np.arange(5)[None] < np.array([[2], [5]])
    found = layer([first, second, vector], mask=real)
    everywhere = np.repeat(vector[:, None], 5, 1)
    wide = np.concatenate([first, second, everywhere], -1)
    for pair, length in enumerate([2, 5]):
        pooled = getattr(np, pooling)(wide[pair, :length], 0)
        expected = pooled @ np.asarray(layer.kernel)
        np.testing.assert_allclose(found[pair], expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("pooling", ["max", "mean"])
def test_an_empty_text_is_projected_from_zeros(pooling):
    layer = Aggregation(3, pooling=pooling)
    found = layer([words(5), words(1)[:, 0]], mask=np.zeros((2, 5), bool))
    np.testing.assert_array_equal(found, np.zeros((2, 3)))


def test_aggregation_takes_the_mask_that_travels_with_a_part():
    ids = np.array([[1, 2, 0, 0]])
    table = keras.layers.Embedding(4, 6, mask_zero=True)
    layer = Aggregation(3)
    found = layer([words(4, batch=1), table(ids)])
    expected = layer([words(4, batch=1), np.asarray(table(ids))], mask=ids != 0)
    np.testing.assert_array_equal(found, expected)


def test_aggregation_of_vectors_alone_is_refused():
    with pytest.raises(ValueError, match=r"must have words.* received shapes"):
        Aggregation(3)([words(1)[:, 0], words(1)[:, 0]])


# InnerProduct


@pytest.mark.parametrize(
    ("kernel", "expected"),
    [
        ("euclidean", lambda x, y: x @ y),
        ("rbf", lambda x, y: np.exp(-np.sum((x - y) ** 2) / (2 * 1.5**2))),
        ("imq", lambda x, y: (1 + np.sum((x - y) ** 2) / 1.5**2) ** -0.5),
    ],
)
def test_a_kernel_is_its_formula(kernel, expected):
    x, y = words(1, seed=1)[:, 0], words(1, seed=2)[:, 0]
    found = InnerProduct(kernel, bandwidth=1.5)(x, y)
    np.testing.assert_allclose(
        found, [expected(a, b) for a, b in zip(x, y, strict=True)], rtol=1e-5
    )


def test_a_map_starts_as_the_identity():
    x, y = words(1, seed=1)[:, 0], words(1, seed=2)[:, 0]
    found = InnerProduct(mapped=True)(x, y)
    np.testing.assert_allclose(found, InnerProduct()(x, y), rtol=1e-6)


def test_a_map_brings_y_into_the_space_of_x():
    x, y = words(1, 4, seed=1)[:, 0], words(1, 5, seed=2)[:, 0]
    layer = InnerProduct(mapped=True)
    layer.build(x.shape, y.shape)
    layer.map.assign(words(4, 5, seed=3)[0])
    expected = np.einsum("bd,de,be->b", x, layer.map, y)
    np.testing.assert_allclose(layer(x, y), expected, rtol=1e-5)


def test_several_negatives_are_scored_at_once():
    x, y = words(1, seed=1), words(3, seed=2)
    expected = np.einsum("bd,bkd->bk", x[:, 0], y)
    np.testing.assert_allclose(InnerProduct()(x, y), expected, rtol=1e-5)


def test_spaces_of_two_widths_need_a_map():
    with pytest.raises(ValueError, match=r"mapped=True; received shapes \(2, 4\) and"):
        InnerProduct()(words(1, 4)[:, 0], words(1, 5)[:, 0])
