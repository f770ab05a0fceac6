"""From word vectors to one text vector: concatenate, pool over words, project."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import keras
import tensorflow as tf

from cane_gane.layers import masking
from cane_gane.layers.masking import Mask, MaskConsumer, Shape


@keras.saving.register_keras_serializable(package="cane_gane")
class Aggregation(MaskConsumer):
    """Pools aligned texts over their words and projects them: F_agg of the paper.

    z_{u|v} = F_agg(S_u, S_{u<-v}) (section "Optimal-transport-based matching"): the
    parts are concatenated along their features, pooled over words and mapped linearly.
    A vector among the parts, such as the global alignment of `AttentionParsing`, is
    used for every word. Pooling treats each feature separately, so each part is pooled
    before the concatenation and the wide matrix is never built.

    Example:
        >>> words = keras.random.normal((2, 5, 8), seed=1)
        >>> context = keras.random.normal((2, 8), seed=2)
        >>> Aggregation(units=4)([words, context]).shape
        TensorShape([2, 4])

    Args:
        units: Width d of the result.
        pooling: `"max"`, the paper's, or `"mean"`.
        use_bias: Add a trainable bias; the paper has none.
        kernel_initializer: The initial values of the linear map.
        **kwargs: Options of `keras.layers.Layer`: `name`, `dtype`.

    Call arguments:
        parts: A list of `[batch, n, *]` and `[batch, *]` tensors.
        mask: True at real words, or how often each occurs in the text, `[batch, n]`.
            By default the first mask that travels with a part.

    Returns:
        `[batch, units]`. An empty text is projected from zeros.

    Raises:
        ValueError: The pooling is unknown, or no part has words.
    """

    def __init__(
        self,
        units: int,
        pooling: str = "max",
        use_bias: bool = False,
        kernel_initializer: Any = "glorot_uniform",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.kernel_initializer = keras.initializers.get(kernel_initializer)
        self.units = masking.check_positive("units", units)
        self.pooling = masking.check_choice("pooling", pooling, ["max", "mean"])
        self.use_bias = use_bias

    def build(self, parts_shape: Sequence[Shape]) -> None:
        """Makes the projection, with as many rows as all parts have columns."""
        received = f"received shapes {list(parts_shape)}"
        if any(len(s) not in (2, 3) or s[-1] is None for s in parts_shape):
            raise ValueError(
                "each part must have shape [batch, n, width] or [batch, width] "
                f"with a known width; {received}"
            )
        if all(len(shape) == 2 for shape in parts_shape):
            expected = "one part at least must have words, [batch, n, width]"
            raise ValueError(f"{expected}; {received}")
        shape = (sum(shape[-1] or 0 for shape in parts_shape), self.units)
        self.kernel = self.add_weight(shape, self.kernel_initializer, name="kernel")
        if self.use_bias:
            self.bias = self.add_weight((self.units,), "zeros", name="bias")

    def call(
        self, parts: Sequence[tf.Tensor], mask: Mask | Sequence[Mask] = None
    ) -> tf.Tensor:
        """Pools, concatenates and projects."""
        if isinstance(mask, (list, tuple)):
            mask = next((one for one in mask if one is not None), None)
        words = next(part for part in parts if len(part.shape) == 3)
        counts = masking.word_counts(mask, words, tf.float32)
        pooled = tf.concat([self._pool(part, counts) for part in parts], -1)
        projected = tf.matmul(pooled, self.kernel)
        return projected + self.bias if self.use_bias else projected

    def _pool(self, part: tf.Tensor, counts: tf.Tensor) -> tf.Tensor:
        if len(part.shape) == 2:
            return tf.where(masking.lengths(counts) > 0, part, 0)
        if self.pooling == "max":
            largest = masking.masked_max(part, counts[:, :, None] > 0, 1)
            return tf.cast(largest, part.dtype)
        return masking.weighted_words(masking.word_shares(counts), part)
