"""Shared by all layers: sums, means and softmax over real words only."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any, TypeAlias

import keras
import tensorflow as tf

Shape = tuple[int | None, ...]
Mask: TypeAlias = tf.Tensor | None


class Configured(keras.layers.Layer):
    """A layer that keeps the arguments of its `__init__` as attributes."""

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments of `__init__`, for `from_config`."""
        config = super().get_config()
        kinds = type(self).__mro__[: type(self).__mro__.index(Configured)]
        signatures = [inspect.signature(x) for x in kinds if "__init__" in vars(x)]
        for argument in (
            each for own in signatures for each in own.parameters.values()
        ):
            if argument.kind is not argument.VAR_KEYWORD:
                value = getattr(self, argument.name)
                config[argument.name] = keras.saving.serialize_keras_object(value)
        return config


class MaskConsumer(Configured):
    """A layer that reads the masks of its inputs but does not pass masks on.

    Keras fills a call argument `x_mask` with the mask that `x` carries, and passes on
    the mask of the first input only. With two texts that would be right for one and
    wrong for the other, so these layers pass on no mask and return exact zeros at
    padding.
    """

    def compute_mask(self, inputs: tf.Tensor, previous_mask: tf.Tensor) -> None:
        """Returns no mask."""


def check_choice(name: str, value: str, choices: Sequence[str]) -> str:
    """Returns `value` if it is one of `choices`, else raises ValueError."""
    if value not in choices:
        known = ", ".join(map(repr, choices))
        raise ValueError(f"{name} must be one of {known}; received {name}={value!r}")
    return value


def check_positive(name: str, value: int) -> int:
    """Returns `value` if it is at least 1, else raises ValueError."""
    if value < 1:
        raise ValueError(f"{name} must be at least 1; received {name}={value!r}")
    return value


def precise(values: tf.Tensor) -> tf.Tensor:
    """The same values in float32, or in float64 if they already are."""
    return values if values.dtype == tf.float64 else tf.cast(values, tf.float32)


def real_words(mask: Mask, words: tf.Tensor, axis: int = 1) -> tf.Tensor:
    """The mask as booleans, all True if there is none, `[batch, n]`."""
    if mask is None:
        shape = tf.shape(words)
        return tf.ones(tf.stack([shape[0], shape[axis]]), tf.bool)
    return tf.cast(mask, tf.bool)


def word_counts(
    mask: Mask, words: tf.Tensor, dtype: tf.DType, axis: int = 1
) -> tf.Tensor:
    """How often each word occurs in its text, `[batch, n]`.

    A mask either holds these numbers, or marks words that count once each.
    """
    return tf.cast(real_words(None, words, axis) if mask is None else mask, dtype)


def lengths(counts: tf.Tensor) -> tf.Tensor:
    """The number of words in each text, `[batch, 1]`."""
    return tf.reduce_sum(counts, 1, keepdims=True)


def word_shares(counts: tf.Tensor) -> tf.Tensor:
    """The share of each word in its text, 0 in an empty text, `[batch, n]`."""
    return tf.math.divide_no_nan(counts, lengths(counts))


def masked_softmax(logits: tf.Tensor, real: tf.Tensor) -> tf.Tensor:
    """Softmax over the last axis where `real`, exact zeros elsewhere.

    Args:
        logits: `[..., n]`.
        real: True where a weight is allowed; broadcast to the logits.

    Returns:
        Weights of the shape of the logits, at least in float32. They sum to 1, or are
        all 0 if nothing is real.
    """
    logits = precise(logits)
    # the smallest finite number: -inf would give NaN if nothing is real
    weights = tf.nn.softmax(tf.where(real, logits, logits.dtype.min))
    return tf.where(real, weights, 0)


def masked_mean(values: tf.Tensor, real: tf.Tensor, axis: int) -> tf.Tensor:
    """Mean over `axis` where `real`, 0 if nothing is; at least in float32.

    Args:
        values: Any shape.
        real: True where a value counts; broadcast to the values.
        axis: The axis to reduce.

    Returns:
        The means, without `axis`.
    """
    values = precise(values)
    count = tf.reduce_sum(tf.cast(real, values.dtype), axis)
    total = tf.reduce_sum(tf.where(real, values, 0), axis)
    return tf.math.divide_no_nan(total, count)


def weighted_words(weights: tf.Tensor, words: tf.Tensor) -> tf.Tensor:
    """Sum of weighted words, `[batch, n]` and `[batch, n, p]` to `[batch, p]`."""
    weights = tf.expand_dims(tf.cast(weights, words.dtype), 1)
    return tf.squeeze(tf.matmul(weights, words), 1)


def masked_max(values: tf.Tensor, real: tf.Tensor, axis: int) -> tf.Tensor:
    """Largest value over `axis` where `real`, 0 if nothing is.

    Args:
        values: Any shape.
        real: True where a value counts; has the same rank as the values.
        axis: The axis to reduce.

    Returns:
        The largest values, without `axis`.
    """
    largest = tf.reduce_max(tf.where(real, values, values.dtype.min), axis)
    return tf.where(tf.reduce_any(real, axis), largest, 0)


def real_windows(real: tf.Tensor, window: int) -> tf.Tensor:
    """Which windows of words count, given which words do.

    Args:
        real: True at real words, `[batch, n]`.
        window: The number of words in a window.

    Returns:
        True at windows of real words only, `[batch, n - window + 1]`; in a text with no
        such window, at the one with the most real words, if there is any.
    """
    width = tf.shape(real)[1] - window + 1
    words = tf.cast(real, tf.int32)
    count = tf.add_n([words[:, start : start + width] for start in range(window)])
    full = tf.equal(count, window)
    fullest = tf.one_hot(tf.argmax(count, 1), width, True, False, dtype=tf.bool)
    short = ~tf.reduce_any(full, 1, keepdims=True)
    return full | (short & fullest & (count > 0))
