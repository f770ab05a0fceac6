"""WANE's word alignment: a softmax over the words of the other text."""

from __future__ import annotations

from typing import Any

import keras
import tensorflow as tf

from cane_gane.layers import masking
from cane_gane.layers.masking import Mask, MaskConsumer, precise, real_words


@keras.saving.register_keras_serializable(package="cane_gane")
class WordAlignment(MaskConsumer):
    """Aligns two texts with each other by the inner products of their words.

    The word-by-word alignment of WANE (Shen et al. 2018), with which the paper compares
    its transport plan: affinities M = S_u S_v', and S_{u<-v} = softmax(M) S_v with the
    softmax over the words of v; S_{v<-u} = softmax(M') S_u.

    Example:
        >>> words = keras.random.normal((2, 5, 8), seed=1)
        >>> context = keras.random.normal((2, 7, 8), seed=2)
        >>> aligned, context_aligned = WordAlignment()(words, context)
        >>> aligned.shape, context_aligned.shape
        (TensorShape([2, 5, 8]), TensorShape([2, 7, 8]))

    Args:
        scale: Factor on the affinities; 1 is WANE's, 1 / sqrt(p) that of dot-product
            attention.
        return_plan: Also return both matrices of weights.
        pooled: Return only the mean of each aligned text.
        **kwargs: Options of `keras.layers.Layer`: `name`, `dtype`.

    Call arguments:
        source: Word vectors S_u, `[batch, n, p]`.
        target: Word vectors S_v, `[batch, m, p]`.
        source_mask: True at real words, `[batch, n]`.
        target_mask: The same, `[batch, m]`.

    Returns:
        `(source_aligned, target_aligned)`, `[batch, n, p]` and `[batch, m, p]`, zeros
        at padding, or their means over real words, `[batch, p]` each; with
        `return_plan` also `[batch, n, m]` and `[batch, m, n]`, whose rows sum to 1 at
        real words.
    """

    def __init__(
        self,
        scale: float = 1.0,
        return_plan: bool = False,
        pooled: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.scale = scale
        self.return_plan = return_plan
        self.pooled = pooled

    def call(
        self,
        source: tf.Tensor,
        target: tf.Tensor,
        source_mask: Mask = None,
        target_mask: Mask = None,
    ) -> tuple[tf.Tensor, ...]:
        """Returns both texts aligned, and the weights if requested."""
        real_source = real_words(source_mask, source)
        real_target = real_words(target_mask, target)
        product = tf.matmul(precise(source), precise(target), transpose_b=True)
        affinity = self.scale * product
        back = tf.transpose(affinity, [0, 2, 1])
        near = self._align(affinity, real_source, real_target, target)
        far = self._align(back, real_target, real_source, source)
        both = (near[0], far[0])
        return (*both, near[1], far[1]) if self.return_plan else both

    def _align(
        self, affinity: tf.Tensor, real: tf.Tensor, other: tf.Tensor, words: tf.Tensor
    ) -> tuple[tf.Tensor, tf.Tensor]:
        """A text in the words of the other, `[batch, m, p]`, and their weights."""
        weights = masking.masked_softmax(affinity, real[:, :, None] & other[:, None, :])
        weights = tf.cast(weights, self.compute_dtype)
        if not self.pooled:
            return tf.matmul(weights, words), weights
        count = masking.lengths(tf.cast(real, weights.dtype))
        mean = tf.math.divide_no_nan(tf.reduce_sum(weights, 1), count)
        return masking.weighted_words(mean, words), weights
