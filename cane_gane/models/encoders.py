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

Pair = tuple[tf.Tensor, tf.Tensor]

_REST = 0.1  # of the random map beside the identity


@keras.saving.register_keras_serializable(package="cane_gane")
class OwnWords(keras.initializers.Initializer):
    """Starts text vectors as the text's own pooled words, with a little of the rest.

    The own words are the first part of what is aggregated. Word vectors that know
    something are then compared as they are, not through a random map.
    """

    def __call__(self, shape: tuple[int, int], dtype: Any = None) -> tf.Tensor:
        """Returns the identity over a tenth of Glorot's random values."""
        random = keras.initializers.GlorotUniform()(shape, dtype=dtype)
        return tf.eye(*shape, dtype=random.dtype) + _REST * random


@keras.saving.register_keras_serializable(package="cane_gane")
class TransportEncoder(keras.layers.Layer):
    """GANE's encoder: words aligned by a transport plan, which may be parsed.

    z_{u|v} = F_agg(S_u, S_{u<-v}) for GANE-OT; GANE-AP adds the globally aligned
    context s_{u<-v} to what is aggregated. One plan serves both directions.
    """

    def __init__(
        self,
        units: int,
        *,
        parsed: bool,
        pooling: str = "mean",
        window: int = 21,
        channels: int = 1,
        reading: str = "context",
        scale: bool = True,
        transport: dict[str, Any] | None = None,
        kernel_initializer: Any = "glorot_uniform",
        **options: Any,
    ) -> None:
        """Takes the options of the layers it is made of.

        Args:
            units: Length of a text vector.
            parsed: Whether the plan is parsed (GANE-AP) or not (GANE-OT).
            pooling: `max` or `mean` over words.
            window: Width of the parsing convolution.
            channels: Channels of that convolution.
            reading: Whose words the parsed weights are on; see `AttentionParsing`.
            scale: Whether the plan is scaled by the texts' lengths.
            transport: Options of `TransportPlan`.
            kernel_initializer: Where the map to text vectors starts from.
            **options: What `keras.layers.Layer` takes.
        """
        super().__init__(**options)
        self.align = TransportAlignment(
            scale=scale,
            return_plan=True,
            pooled=pooling == "mean",
            name="align",
            **(transport or {}),
        )
        self.parse = None
        if parsed:
            self.parse = AttentionParsing(
                window=window, channels=channels, reading=reading, scale=scale,
                name="parse",
            )  # fmt: skip
        self.aggregate = Aggregation(
            units, pooling, kernel_initializer=kernel_initializer, name="aggregate"
        )

    @property
    def merges(self) -> bool:
        """Whether words that repeat in a text may be given once, with their counts."""
        literal = self.parse is not None and self.parse.reading == "literal"
        return self.align.pooled and not literal

    def call(
        self,
        source: tf.Tensor,
        target: tf.Tensor,
        source_mask: tf.Tensor | None = None,
        target_mask: tf.Tensor | None = None,
        source_places: tf.Tensor | None = None,
        target_places: tf.Tensor | None = None,
    ) -> Pair:
        """Encodes `[b, n, p]` and `[b, m, p]` to two `[b, units]`.

        Where it `merges`, the masks may say how often each word stands in its text,
        and the places in which order; see `AttentionParsing`.
        """
        if self.parse is not None and self.parse.reading == "literal":
            # The paper lays weights of u's positions on v's words: equal widths.
            width = tf.maximum(tf.shape(source)[1], tf.shape(target)[1])
            source, source_mask = _widen(source, source_mask, width)
            target, target_mask = _widen(target, target_mask, width)
        masks = {"source_mask": source_mask, "target_mask": target_mask}
        source_aligned, target_aligned, plan = self.align(source, target, **masks)
        source_parts, target_parts = [source, source_aligned], [target, target_aligned]
        if self.parse is not None:
            back = tf.transpose(plan, [0, 2, 1])
            source_parts.append(
                self.parse(
                    plan,
                    target,
                    source_mask=source_mask,
                    context_mask=target_mask,
                    context_places=target_places,
                )
            )
            target_parts.append(
                self.parse(
                    back, source, source_mask=target_mask, context_mask=source_mask,
                    context_places=source_places,
                )
            )  # fmt: skip
        return (
            self.aggregate(source_parts, mask=source_mask),
            self.aggregate(target_parts, mask=target_mask),
        )

    def match(
        self,
        source: tf.Tensor,
        target: tf.Tensor,
        source_mask: tf.Tensor,
        target_mask: tf.Tensor,
    ) -> tf.Tensor:
        """Returns the transport plan of the words, `[b, n, m]`."""
        return self.align.transport(
            source, target, source_mask=source_mask, target_mask=target_mask
        )


def _widen(words: tf.Tensor, mask: tf.Tensor, width: tf.Tensor) -> Pair:
    missing = width - tf.shape(words)[1]
    padded = tf.pad(words, [[0, 0], [0, missing], [0, 0]])
    return padded, tf.pad(mask, [[0, 0], [0, missing]])


@keras.saving.register_keras_serializable(package="cane_gane")
class SoftmaxEncoder(keras.layers.Layer):
    """WANE's encoder: words aligned by a softmax over their inner products."""

    def __init__(
        self,
        units: int,
        *,
        pooling: str = "mean",
        kernel_initializer: Any = "glorot_uniform",
        **options: Any,
    ) -> None:
        """Takes the length of a text vector and how words are pooled and mapped."""
        super().__init__(**options)
        self.align = WordAlignment(
            return_plan=True, pooled=pooling == "mean", name="align"
        )
        self.aggregate = Aggregation(
            units, pooling, kernel_initializer=kernel_initializer, name="aggregate"
        )

    def call(
        self,
        source: tf.Tensor,
        target: tf.Tensor,
        source_mask: tf.Tensor | None = None,
        target_mask: tf.Tensor | None = None,
    ) -> Pair:
        """Encodes `[b, n, p]` and `[b, m, p]` to two `[b, units]`."""
        masks = {"source_mask": source_mask, "target_mask": target_mask}
        source_aligned, target_aligned, *_ = self.align(source, target, **masks)
        return (
            self.aggregate([source, source_aligned], mask=source_mask),
            self.aggregate([target, target_aligned], mask=target_mask),
        )

    def match(
        self,
        source: tf.Tensor,
        target: tf.Tensor,
        source_mask: tf.Tensor,
        target_mask: tf.Tensor,
    ) -> tf.Tensor:
        """Returns what each source word attends to, rows summing to 1, `[b, n, m]`."""
        masks = {"source_mask": source_mask, "target_mask": target_mask}
        return self.align(source, target, **masks)[2]
