"""Encoders of a pair of texts: GANE's by transport, and WANE's by softmax."""

from __future__ import annotations

from typing import Any

import keras
import tensorflow as tf

from cane_gane.layers import (
    Aggregation,
    AttentionParsing,
    TransportAlignment,
    WordAlignment,
)
from cane_gane.layers.masking import Mask, MaskConsumer, Shape

Pair = tuple[tf.Tensor, tf.Tensor]

_REST = 0.1  # share of the random map that is added to the identity


@keras.saving.register_keras_serializable(package="cane_gane")
class OwnWords(keras.initializers.Initializer):
    """Makes text vectors start as the text's own pooled words, plus a little noise.

    The text's own words are the first of the aggregated parts. Informative word vectors
    are then compared directly, not through a random map.
    """

    def __call__(self, shape: tuple[int, int], dtype: Any = None) -> tf.Tensor:
        """Returns the identity plus a tenth of Glorot's random values."""
        # the third seed, not the first: the published results used it
        *_, glorot = (keras.initializers.GlorotUniform() for _ in range(3))
        random = glorot(shape, dtype=dtype)
        return tf.eye(*shape, dtype=random.dtype) + _REST * random


class _Encoder(MaskConsumer):
    """The base of both encoders: each aligned text is aggregated to a vector."""

    align: TransportAlignment | WordAlignment
    parse: AttentionParsing | None = None

    def _aggregate_to(self, units: int, pooling: str, kernel_initializer: Any) -> None:
        """Makes the last of the inner layers."""
        self.units, self.pooling = units, pooling
        options = {"dtype": self.dtype_policy, "kernel_initializer": kernel_initializer}
        self.aggregate = Aggregation(units, pooling, name="aggregate", **options)
        self.kernel_initializer = self.aggregate.kernel_initializer

    def build(self, source_shape: Shape, target_shape: Shape) -> None:
        """Makes the weights of the inner layers, for texts of any length."""
        batch, _, width = source_shape
        words, vector = (batch, None, width), (batch, width)
        parts = [words, vector if self.align.pooled else words]
        if self.parse is not None:
            several = () if self.parse.groups == 1 else (self.parse.groups,)
            self.parse.build((batch, *several, None, None), words)
            parts.append(vector)
        self.aggregate.build(parts)

    @property
    def _literal(self) -> bool:
        return self.parse is not None and self.parse.reading == "literal"

    def call(
        self,
        source: tf.Tensor,
        target: tf.Tensor,
        source_mask: Mask = None,
        target_mask: Mask = None,
        source_order: Mask = None,
        target_order: Mask = None,
    ) -> Pair:
        """Encodes `[b, n, p]` and `[b, m, p]` to two `[b, units]`.

        If it `merges`, masks may hold how often each word occurs in its text, and the
        orders at which positions; see `AttentionParsing`.
        """
        if self._literal:
            # The paper applies weights of u's positions to v's words: equal widths.
            width = tf.maximum(tf.shape(source)[1], tf.shape(target)[1])
            source, source_mask = _widen(source, source_mask, width)
            target, target_mask = _widen(target, target_mask, width)
        masks = {"source_mask": source_mask, "target_mask": target_mask}
        source_aligned, target_aligned, plan, *_ = self.align(source, target, **masks)
        source_parts, target_parts = [source, source_aligned], [target, target_aligned]
        if (parse := self.parse) is not None:
            back = tf.linalg.matrix_transpose(plan)
            near = {"source_mask": source_mask, "context_mask": target_mask}
            far = {"source_mask": target_mask, "context_mask": source_mask}
            source_parts.append(parse(plan, target, context_order=target_order, **near))
            target_parts.append(parse(back, source, context_order=source_order, **far))
        vector = self.aggregate(source_parts, mask=source_mask)
        return vector, self.aggregate(target_parts, mask=target_mask)

    def match(
        self, source: tf.Tensor, target: tf.Tensor, **masks: tf.Tensor
    ) -> tf.Tensor:
        """Returns how the words are aligned, `[b, n, m]`; has the arguments of `call`.

        That is the transport plan, the mean of the plans of several groups, or the
        attention of each source word, whose rows sum to 1.
        """
        plan = self.align(source, target, **masks)[2]
        return plan if plan.shape.rank == 3 else tf.reduce_mean(plan, 1)


@keras.saving.register_keras_serializable(package="cane_gane")
class TransportEncoder(_Encoder):
    """GANE's encoder: words aligned by a transport plan, which may be parsed.

    z_{u|v} = F_agg(S_u, S_{u<-v}) for GANE-OT; GANE-AP also aggregates the globally
    aligned context s_{u<-v}. One plan serves both directions.
    """

    def __init__(
        self,
        units: int,
        *,
        pooling: str = "mean",
        scale: bool = True,
        transport: dict[str, Any] | None = None,
        parsing: dict[str, Any] | None = None,
        groups: int = 1,
        kernel_initializer: Any = "glorot_uniform",
        **kwargs: Any,
    ) -> None:
        """Takes the options of its inner layers.

        Args:
            units: The length of a text vector.
            pooling: `max` or `mean` over words.
            scale: Whether the plan is scaled by the texts' lengths.
            transport: Options of `TransportPlan`.
            parsing: Options of `AttentionParsing` for GANE-AP, None for GANE-OT.
            groups: Number of parts of the word vectors' dimensions, each with its own
                plan.
            kernel_initializer: The initial values of the map to text vectors.
            **kwargs: Arguments of `keras.layers.Layer`.
        """
        super().__init__(**kwargs)
        self.scale, self.transport, self.parsing = scale, transport, parsing
        self.groups = groups
        shared = {"scale": scale, "groups": groups, "dtype": self.dtype_policy}
        options = {"return_plan": True, "pooled": pooling == "mean", **shared}
        self.align = TransportAlignment(name="align", **options, **(transport or {}))
        if parsing is not None:
            self.parse = AttentionParsing(name="parse", **shared, **parsing)
        self._aggregate_to(units, pooling, kernel_initializer)

    @property
    def merges(self) -> bool:
        """Whether words that repeat in a text may be passed once, with their counts."""
        return self.align.pooled and not self._literal


@keras.saving.register_keras_serializable(package="cane_gane")
class SoftmaxEncoder(_Encoder):
    """WANE's encoder: words aligned by a softmax over their inner products."""

    def __init__(
        self,
        units: int,
        *,
        pooling: str = "mean",
        kernel_initializer: Any = "glorot_uniform",
        **kwargs: Any,
    ) -> None:
        """Takes the length of a text vector and how words are pooled and mapped."""
        super().__init__(**kwargs)
        options = {"pooled": pooling == "mean", "dtype": self.dtype_policy}
        self.align = WordAlignment(return_plan=True, name="align", **options)
        self._aggregate_to(units, pooling, kernel_initializer)


def _widen(words: tf.Tensor, mask: tf.Tensor, width: tf.Tensor) -> Pair:
    missing = width - tf.shape(words)[1]
    padded = tf.pad(words, [[0, 0], [0, missing], [0, 0]])
    return padded, tf.pad(mask, [[0, 0], [0, missing]])
