"""What the paper names and leaves out: stacked convolutions, groups, kernels."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from scipy.special import softmax

from cane_gane.errors import InputError
from cane_gane.layers import AttentionParsing, TransportAlignment
from cane_gane.models.settings import ModelSettings
from tests.models.test_models import make, one_batch


def drawn(*shape, seed=1):
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


def plans(*shape, seed=5):
    made = np.random.default_rng(seed).random(shape, np.float32)
    return made / made.sum((-2, -1), keepdims=True)


@pytest.mark.parametrize("reading", ["context", "literal"])
@pytest.mark.parametrize(("depth", "groups"), [(1, 3), (2, 1), (3, 2)])
def test_several_convolutions_and_plans_are_those_of_keras(depth, groups, reading):
    plan, context = plans(2, groups, 6, 6), drawn(2, 6, 4)
    layer = AttentionParsing(
        window=3, channels=2, depth=depth, groups=groups, reading=reading
    )
    given = plan if groups > 1 else plan[:, 0]
    layer(given, context)
    for place, weight in enumerate(layer.trainable_weights):
        weight.assign(drawn(*weight.shape, seed=place))
    image = 36 * np.moveaxis(plan, 1, -1)
    for kernel in layer.kernels:
        convolution = keras.layers.Conv2D(2, (1, 3), padding="same", use_bias=False)
        convolution.build(image.shape)
        convolution.kernel.assign(kernel[None])
        image = np.maximum(convolution(image), 0)
    pooled = image.max(1 if reading == "context" else 2)
    weights = softmax(pooled @ np.asarray(layer.projection), axis=-1)
    expected = np.einsum("bm,bmp->bp", weights, context)
    np.testing.assert_allclose(layer(given, context), expected, rtol=1e-4, atol=1e-5)


def test_padding_does_not_reach_words_through_several_convolutions():
    real = np.arange(6)[None] < np.array([[4], [3]])
    layer = AttentionParsing(window=5, channels=2, depth=3)
    masks = {"source_mask": real, "context_mask": real}
    plan = plans(2, 6, 6) * real[:, :, None] * real[:, None, :]
    whole = layer(plan, drawn(2, 6, 4), **masks)
    cut = layer(plan[:1, :4, :4], drawn(2, 6, 4)[:1, :4])
    np.testing.assert_allclose(whole[:1], cut, rtol=1e-5)


@pytest.mark.parametrize("pooled", [False, True])
def test_groups_are_aligned_each_by_itself(pooled):
    source, target = drawn(2, 5, 6), drawn(2, 7, 6, seed=2)
    mask = np.arange(5)[None] < np.array([[5], [3]])
    options = {"return_plan": True, "pooled": pooled, "iterations": 5}
    found = TransportAlignment(groups=3, **options)(source, target, source_mask=mask)
    plain = TransportAlignment(**options)
    for group in range(3):
        columns = slice(2 * group, 2 * group + 2)
        one = plain(source[..., columns], target[..., columns], source_mask=mask)
        np.testing.assert_allclose(found[0][..., columns], one[0], atol=1e-5)
        np.testing.assert_allclose(found[1][..., columns], one[1], atol=1e-5)
        np.testing.assert_allclose(found[2][:, group], one[2], atol=1e-6)


@pytest.mark.parametrize("variant", ["ot", "ap"])
def test_a_model_of_groups_matches_by_the_mean_of_their_plans(variant):
    model = make(variant, groups=2, depth=2)
    batch = one_batch()
    match = model.match(batch["source_text"], batch["target_text"])
    width, height = (batch[x].shape[1] for x in ("source_text", "target_text"))
    assert match.shape == (12, width, height)
    np.testing.assert_allclose(tf.reduce_sum(match, [1, 2]), 1, rtol=1e-3)
    assert np.isfinite(model.train_step(batch)["loss"])


@pytest.mark.parametrize("variant", ["cane", "ap"])
@pytest.mark.parametrize("kernel", ["gaussian", "imq"])
def test_terms_are_kernels_of_the_four_pairs(variant, kernel):
    model, batch = make(variant, kernel=kernel, bandwidth=2.0), one_batch()
    positive, _ = model(batch)
    near, far = model.encode(batch["source_text"], batch["target_text"])
    source, target = (model.structure_of(batch[x]) for x in ("source", "target"))
    pairs = [(near, far), (source, target), (source, far), (target, near)]
    distances = np.stack([np.sum((a - b) ** 2, -1) / 4 for a, b in pairs], -1)
    gaussian = np.exp(-distances / 2)
    expected = gaussian if kernel == "gaussian" else 1 / np.sqrt(1 + distances)
    np.testing.assert_allclose(positive, expected, rtol=1e-4)
    np.testing.assert_allclose(model.text_term(near, far), expected[:, 0], rtol=1e-4)


def test_groups_must_divide_the_dimension():
    with pytest.raises(InputError, match="found 3 groups of 100 dimensions"):
        ModelSettings(groups=3)
