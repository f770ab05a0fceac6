"""CANE in the shared framework; upstream mode agrees to the last digit."""

from __future__ import annotations

import keras
import tensorflow as tf

from cane_gane.models.pair_model import Batch, PairModel, Vectors
from cane_gane.models.words import flat_texts, repeat_texts


@keras.saving.register_keras_serializable(package="cane_gane")
class CANE(PairModel):
    """CANE: its encoder is `MutualAttention`.

    Upstream's mode attends to padding, convolves a source once, and has negative terms
    that the clean mode corrects: the source's text vector is that of the true pair, and
    the last mixed term compares the target's structure, not the negative's, with the
    negative's text.
    """

    def encode_edges(self, batch: Batch, training: bool) -> Vectors:
        """Encodes the edges of a batch; see `PairModel.encode_edges`."""
        if self.trims:
            return super().encode_edges(batch, training)
        size, count = tf.unstack(tf.shape(batch["negatives"]))
        strangers = flat_texts(batch["negatives_text"])
        texts = (batch["source_text"], batch["target_text"], strangers)
        source, target, negative = (
            self.encoder.features(*self.look_up(self.drop_words(text, side, training)))
            for side, text in enumerate(texts)
        )
        mapped = self.encoder.project(source[0])
        attend = self.encoder.attend
        near, far, *_ = attend(source[0], target[0], source[1], target[1], mapped)
        again = [repeat_texts(part, count) for part in (*source, mapped)]
        pair = attend(again[0], negative[0], again[1], negative[1], again[2])
        shape = [size, count, near.shape[-1]]
        stranger = tf.reshape(pair[1], shape)
        # upstream: the source has one attention, that of the true pair
        return Vectors(near, far, near[:, None], stranger)

    def negative_terms(
        self, texts: Vectors, source: tf.Tensor, target: tf.Tensor, negative: tf.Tensor
    ) -> tf.Tensor:
        """Returns the terms of (source, negative); see `PairModel`."""
        terms = super().negative_terms(texts, source, target, negative)
        if self.trims:
            return terms
        # upstream: the target's structure, not the negative's, with its text.
        last = self.mixed(target, texts.negative)
        return tf.concat([terms[..., :3], last[..., None]], -1)

    def match(self, source: tf.Tensor, target: tf.Tensor) -> tf.Tensor:
        """Returns the product of both texts' attention, `[b, n, m]`.

        The attention is over windows of words; it is assigned to a window's first word.
        """
        near, near_windows = self.encoder.features(*self.look_up(source))
        far, far_windows = self.encoder.features(*self.look_up(target))
        *_, rows, columns = self.encoder.attend(near, far, near_windows, far_windows)
        product = rows[:, :, None] * columns[:, None, :]
        shape = [tf.shape(source)[1], tf.shape(target)[1]]
        missing = [
            size - tf.shape(product)[1 + side] for side, size in enumerate(shape)
        ]
        padded = tf.pad(product, [[0, 0], *([0, tf.maximum(m, 0)] for m in missing)])
        return padded[:, : shape[0], : shape[1]]
