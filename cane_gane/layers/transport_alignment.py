"""GANE's local alignment: each word with what the other text has for it."""

from __future__ import annotations

from typing import Any

import keras
import tensorflow as tf

from cane_gane.layers.masking import (
    Mask,
    check_positive,
    lengths,
    weighted_words,
    word_counts,
)
from cane_gane.layers.transport_plan import TransportPlan


@keras.saving.register_keras_serializable(package="cane_gane")
class TransportAlignment(TransportPlan):
    """Aligns two texts with each other, in both directions from one transport plan.

    S_{u<-v} = T_uv S_v (the paper's equation after SolveOT) gives each word of u the
    sum of the words of v, weighted by the plan; S_{v<-u} = T_uv' S_u is the same for v.

    The rows of T sum to 1 / n_u, so the paper's aligned vectors shrink as texts grow.
    With `scale` they are multiplied by n_u (n_v for the other direction): each is then
    an average of the other text's words, with the size of a word vector.

    Example:
        >>> words = keras.random.normal((2, 5, 8), seed=1)
        >>> context = keras.random.normal((2, 7, 8), seed=2)
        >>> aligned, context_aligned, plan = TransportAlignment(return_plan=True)(
        ...     words, context
        ... )
        >>> aligned.shape, context_aligned.shape, plan.shape
        (TensorShape([2, 5, 8]), TensorShape([2, 7, 8]), TensorShape([2, 5, 7]))

    Args:
        scale: Multiply by the number of words; False is the paper's T S_v.
        return_plan: Also return the plan.
        pooled: Return only the mean of each aligned text. It is an average of the other
            text's words, so single words need not be aligned.
        groups: Number of parts of the word vectors' dimensions, each with its own plan.
        **kwargs: Options of `TransportPlan`: `cost`, `beta`, `iterations`,
            `inner_iterations`, `gradient`, `name`, `dtype`.

    Call arguments:
        source: Word vectors S_u, `[batch, n, p]`.
        target: Word vectors S_v, `[batch, m, p]`.
        source_mask: True at real words, or how often each occurs in the text,
            `[batch, n]`.
        target_mask: The same, `[batch, m]`.

    Returns:
        `(source_aligned, target_aligned)`, `[batch, n, p]` and `[batch, m, p]`, zeros
        at padding, or their means over real words, `[batch, p]` each; with
        `return_plan` also the plan, `[batch, n, m]`, unscaled, or with several groups
        their plans, `[batch, groups, n, m]`.

    Raises:
        ValueError: The cost is unknown, or the solver refuses a setting.
    """

    def __init__(
        self,
        scale: bool = True,
        return_plan: bool = False,
        pooled: bool = False,
        groups: int = 1,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.scale = scale
        self.return_plan = return_plan
        self.pooled = pooled
        self.groups = check_positive("groups", groups)

    def call(
        self,
        source: tf.Tensor,
        target: tf.Tensor,
        source_mask: Mask = None,
        target_mask: Mask = None,
    ) -> tuple[tf.Tensor, ...]:
        """Returns both texts aligned, and the plan if requested."""
        if self.groups == 1:
            return self._align(source, target, source_mask, target_mask)
        # Each group is its own batch, with narrower word vectors.
        words = [self._apart(words) for words in (source, target)]
        masks = [
            None if mask is None else tf.repeat(mask, self.groups, axis=0)
            for mask in (source_mask, target_mask)
        ]
        aligned, other, *plan = self._align(*words, *masks)
        apart = [
            tf.reshape(own, [-1, self.groups, *tf.unstack(tf.shape(own))[1:]])
            for own in plan
        ]
        return self._together(aligned), self._together(other), *apart

    def _apart(self, words: tf.Tensor) -> tf.Tensor:
        """Word vectors `[b, n, p]` by groups, `[b * groups, n, p / groups]`."""
        batch, length, _ = tf.unstack(tf.shape(words))
        width = words.shape[-1] // self.groups
        parts = tf.reshape(words, [batch, length, self.groups, width])
        parts = tf.transpose(parts, [0, 2, 1, 3])
        return tf.reshape(parts, [batch * self.groups, length, width])

    def _together(self, parts: tf.Tensor) -> tf.Tensor:
        """Joins the groups that `_apart` made, or their means over words."""
        width = parts.shape[-1] * self.groups
        if self.pooled:
            return tf.reshape(parts, [-1, width])
        length = tf.shape(parts)[1]
        parts = tf.reshape(parts, [-1, self.groups, length, width // self.groups])
        return tf.reshape(tf.transpose(parts, [0, 2, 1, 3]), [-1, length, width])

    def _align(
        self,
        source: tf.Tensor,
        target: tf.Tensor,
        source_mask: Mask,
        target_mask: Mask,
    ) -> tuple[tf.Tensor, ...]:
        with tf.name_scope("plan"):
            plan = self.solve(source, target, source_mask, target_mask)
        source_counts = word_counts(source_mask, source, plan.dtype)
        target_counts = word_counts(target_mask, target, plan.dtype)
        if self.pooled:
            source_aligned = self._mean(tf.reduce_sum(plan, 1), source_counts, target)
            target_aligned = self._mean(tf.reduce_sum(plan, 2), target_counts, source)
        else:
            rows = plan * self._factors(source_counts)[:, :, None]
            columns = plan * self._factors(target_counts)[:, None, :]
            rows, columns = (tf.cast(x, self.compute_dtype) for x in (rows, columns))
            source_aligned = tf.matmul(rows, target)
            target_aligned = tf.matmul(columns, source, transpose_a=True)
        if self.return_plan:
            return source_aligned, target_aligned, tf.cast(plan, self.compute_dtype)
        return source_aligned, target_aligned

    def _factors(self, counts: tf.Tensor) -> tf.Tensor:
        """The factors that turn a word's share of the plan into one occurrence's."""
        return tf.math.divide_no_nan(lengths(counts) if self.scale else 1.0, counts)

    def _mean(self, sums: tf.Tensor, counts: tf.Tensor, other: tf.Tensor) -> tf.Tensor:
        """The mean over a text's words of their averages of the other text's words."""
        if not self.scale:
            sums = tf.math.divide_no_nan(sums, lengths(counts))
        return weighted_words(sums, other)
