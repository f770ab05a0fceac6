"""CANE's mutual attention: each of two texts is weighted by the other."""

from __future__ import annotations

from typing import Any

import keras
import tensorflow as tf

from cane_gane.layers import masking
from cane_gane.layers.masking import Mask, MaskConsumer, Shape, weighted_words


@keras.saving.register_keras_serializable(package="cane_gane")
class MutualAttention(MaskConsumer):
    """Encodes a pair of texts: windows of words of each, weighted by the other text.

    CANE (Tu et al. 2017), after the word table: features h = tanh(conv(S)) of windows
    of words, affinities F = tanh(h_u R h_v'), attention of u = softmax(mean of F over
    v) and of v = softmax(mean of F over u), each text the weighted sum of its features.

    With `masked=False` this is upstream CANE to the last digit: padding is attended to
    like any word. With `masked=True` only windows of real words count; a text shorter
    than the window has one window, padded with zeros.

    `features` and `attend` are the two steps of a call. Upstream takes the source's
    vector from (source, target), even against negatives, and the negative's from
    (source, negative); both calls of `attend` share the source's features.

    Example:
        >>> words = keras.random.normal((2, 5, 8), seed=1)
        >>> context = keras.random.normal((2, 7, 8), seed=2)
        >>> source, target = MutualAttention(filters=4)(words, context)
        >>> source.shape, target.shape
        (TensorShape([2, 4]), TensorShape([2, 4]))

    Args:
        filters: Width f of the features.
        window: Words in a window.
        masked: Ignore padding; False is upstream.
        return_plan: Also return the attention over windows.
        **kwargs: Options of `keras.layers.Layer`: `name`, `dtype`.

    Call arguments:
        source: Word vectors, `[batch, n, p]`.
        target: Word vectors, `[batch, m, p]`.
        source_mask: True at real words, `[batch, n]`.
        target_mask: The same, `[batch, m]`.

    Returns:
        `(source_vector, target_vector)`, `[batch, f]` each, zeros for an empty text and
        for a text paired with one; with `return_plan` also `[batch, n - window + 1]`
        and `[batch, m - window + 1]`.

    Raises:
        ValueError: A number is below 1, or `masked=False` with a text below the window.
    """

    def __init__(
        self,
        filters: int = 100,
        window: int = 2,
        masked: bool = True,
        return_plan: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.filters = masking.check_positive("filters", filters)
        self.window = masking.check_positive("window", window)
        self.masked = masked
        self.return_plan = return_plan

    def build(self, source_shape: Shape, target_shape: Shape | None = None) -> None:
        """Makes `kernel`, `[window, p, f]`, and R, `affinity`, `[f, f]`."""
        initializer = keras.initializers.TruncatedNormal(stddev=0.3)
        shape = (self.window, source_shape[-1], self.filters)
        self.kernel = self.add_weight(shape, initializer, name="kernel")
        square = (self.filters, self.filters)
        self.affinity = self.add_weight(square, initializer.clone(), name="affinity")

    def call(
        self,
        source: tf.Tensor,
        target: tf.Tensor,
        source_mask: Mask = None,
        target_mask: Mask = None,
    ) -> tuple[tf.Tensor, ...]:
        """Returns both vectors, and the attention if requested."""
        one = self.features(source, source_mask)
        other = self.features(target, target_mask)
        found = self.attend(one[0], other[0], one[1], other[1])
        return found if self.return_plan else found[:2]

    def features(
        self, words: tf.Tensor, mask: Mask = None
    ) -> tuple[tf.Tensor, tf.Tensor]:
        """The first step, for one text. The layer must be built.

        Args:
            words: Word vectors, `[batch, n, p]`.
            mask: True at real words, `[batch, n]`.

        Returns:
            Features `[batch, n - window + 1, f]`, and True at windows that count.
        """
        real = masking.real_words(mask if self.masked else None, words)
        if self.masked:
            words = tf.where(real[:, :, None], words, 0)
            missing = tf.maximum(self.window - tf.shape(words)[1], 0)
            words = tf.pad(words, [[0, 0], [0, missing], [0, 0]])
            real = tf.pad(real, [[0, 0], [0, missing]])
        elif words.shape[1] is not None and words.shape[1] < self.window:
            raise ValueError(
                f"masked=False needs texts of at least window={self.window} words; "
                f"received shape {tuple(words.shape)}"
            )
        kernel = tf.cast(self.kernel, words.dtype)
        features = tf.tanh(tf.nn.conv1d(words, kernel, 1, "VALID"))
        return features, masking.real_windows(real, self.window)

    def project(self, features: tf.Tensor) -> tf.Tensor:
        """The features times R, `[batch, n', f]`."""
        affinity = tf.cast(self.affinity, features.dtype)
        # one product over the rows of all texts
        rows = tf.matmul(tf.reshape(features, [-1, self.filters]), affinity)
        return tf.reshape(rows, tf.shape(features))

    def attend(
        self,
        source_features: tf.Tensor,
        target_features: tf.Tensor,
        source_windows: tf.Tensor,
        target_windows: tf.Tensor,
        mapped: Mask = None,
    ) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor, tf.Tensor]:
        """The second step, for two texts.

        Args:
            source_features: `[batch, n', f]` from `features`.
            target_features: `[batch, m', f]`.
            source_windows: True at windows that count, `[batch, n']`.
            target_windows: The same, `[batch, m']`.
            mapped: `project` of the source's features, if already known.

        Returns:
            Vectors of source and target, `[batch, f]` each, and their attention,
            `[batch, n']` and `[batch, m']`.
        """
        mapped = self.project(source_features) if mapped is None else mapped
        related = tf.tanh(tf.matmul(mapped, target_features, transpose_b=True))
        pairs = source_windows[:, :, None] & target_windows[:, None, :]
        source_weights = self._weights(related, pairs, 2)
        target_weights = self._weights(related, pairs, 1)
        source = weighted_words(source_weights, source_features)
        target = weighted_words(target_weights, target_features)
        return source, target, source_weights, target_weights

    def _weights(self, related: tf.Tensor, pairs: tf.Tensor, axis: int) -> tf.Tensor:
        if not self.masked:
            return tf.nn.softmax(tf.reduce_mean(related, axis))
        logits = masking.masked_mean(related, pairs, axis)
        weights = masking.masked_softmax(logits, tf.reduce_any(pairs, axis))
        return tf.cast(weights, related.dtype)
