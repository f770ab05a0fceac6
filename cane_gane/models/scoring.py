"""A pair of nodes scored: two tables, an encoder of text pairs, four inner products."""

from __future__ import annotations

from typing import Any

import keras
import tensorflow as tf

from cane_gane.layers import InnerProduct
from cane_gane.merging import Texts, merged

Prepared = Any  # `Texts`, or word ids where words are not merged


class PairScorer(keras.Model):
    """Scores pairs of nodes by their texts, each in the other's context, and places.

    The score of (u, v) is the sum of four inner products,
    <z_u, z_v> = ss + tt + ts + st, of text vectors z^s (which depend on the other
    text) and structure vectors z^t (a table).
    """

    def __init__(
        self,
        encoder: keras.layers.Layer,
        *,
        word_count: int,
        node_count: int,
        dimension: int,
        clip: bool = True,
        map_mixed: bool = False,
        structure_spread: float = 0.3,
        seed: int = 1,
        **options: Any,
    ) -> None:
        """Takes an encoder and the sizes of the tables.

        Args:
            encoder: A layer from two texts `[b, n, p]`, `[b, m, p]` and their masks
                to two vectors `[b, d]`.
            word_count: Rows of the word table; row 0 is padding.
            node_count: Rows of the node table.
            dimension: Columns of both tables.
            clip: Whether node vectors are clipped to norm 1 when they are read.
            map_mixed: Whether the mixed terms have a trainable linear map.
            structure_spread: Standard deviation of the node table at the start.
            seed: What the initial values hang on.
            **options: What `keras.Model` takes.
        """
        super().__init__(**options)
        self.encoder = encoder
        self.clip = clip
        tables = {
            "words": (word_count, 0.3),
            "structure": (node_count, structure_spread),
        }
        for salt, (name, (rows, spread)) in enumerate(tables.items()):
            initial = keras.initializers.TruncatedNormal(
                stddev=spread, seed=seed + salt
            )
            table = self.add_weight(
                shape=(rows, dimension), initializer=initial, name=name
            )
            setattr(self, name, table)
        self.mixed = InnerProduct(mapped=map_mixed, name="mixed")

    def encode(
        self, source: tf.Tensor, target: tf.Tensor
    ) -> tuple[tf.Tensor, tf.Tensor]:
        """Turns pairs of texts into text vectors, each in the other's context.

        Args:
            source: Word ids, `[b, n]`, 0 for padding.
            target: Word ids, `[b, m]`.

        Returns:
            The vectors z^s of source given target and of target given source,
            each `[b, d]`.
        """
        source, target = self.prepare_texts(source), self.prepare_texts(target)
        return self.encode_prepared(source, target)

    def prepare_texts(self, ids: tf.Tensor) -> Prepared:
        """Merges words that repeat in a text, `[b, n]`, where the encoder can do so."""
        return merged(ids) if getattr(self.encoder, "merges", False) else ids

    def encode_prepared(
        self, source: Prepared, target: Prepared, table: tf.Tensor | None = None
    ) -> tuple[tf.Tensor, tf.Tensor]:
        """As `encode`, for prepared texts, with word vectors from another table."""
        if table is None:
            table = tf.convert_to_tensor(self.words)
        if isinstance(source, Texts):
            return self.encoder(
                *_look_up(table, source.words, target.words),
                source_mask=source.counts,
                target_mask=target.counts,
                source_places=source.places,
                target_places=target.places,
            )
        masks = {"source_mask": source > 0, "target_mask": target > 0}
        return self.encoder(*_look_up(table, source, target), **masks)

    def look_up(self, ids: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """Looks words up, `[b, n]` to `[b, n, p]`, and marks the real ones."""
        return tf.gather(self.words.value, ids), ids > 0

    def match(self, source: tf.Tensor, target: tf.Tensor) -> tf.Tensor:
        """Returns how the encoder matches the words of two texts, `[b, n, m]`."""
        source_words, source_mask = self.look_up(source)
        target_words, target_mask = self.look_up(target)
        return self.encoder.match(
            source_words,
            target_words,
            source_mask=source_mask,
            target_mask=target_mask,
        )

    @property
    def trims(self) -> bool:
        """Whether padding may be cut off without changing a result."""
        return getattr(self.encoder, "masked", True)

    def place(self, nodes: tf.Tensor) -> tf.Tensor:
        """Returns the structure vectors of nodes, `[..., d]`."""
        rows = tf.gather(self.structure.value, nodes)
        return tf.clip_by_norm(rows, 1.0, axes=-1) if self.clip else rows

    def pair_terms(
        self,
        source_text: tf.Tensor,
        source_place: tf.Tensor,
        target_text: tf.Tensor,
        target_place: tf.Tensor,
    ) -> tf.Tensor:
        """Returns the terms ss, tt, ts and st of pairs of vectors, `[..., 4]`."""
        return tf.stack(
            [
                tf.reduce_sum(source_text * target_text, -1),
                tf.reduce_sum(source_place * target_place, -1),
                self.mixed(source_place, target_text),
                self.mixed(target_place, source_text),
            ],
            axis=-1,
        )


def _look_up(
    table: tf.Tensor, source: tf.Tensor, target: tf.Tensor
) -> tuple[tf.Tensor, tf.Tensor]:
    """Looks up the words of both sides at once, for one gradient of the table."""
    sides = (source, target)
    with tf.name_scope("lookup"):
        flat = tf.gather(table, tf.concat([tf.reshape(x, [-1]) for x in sides], 0))
        near, far = tf.split(flat, [tf.size(source), tf.size(target)])
        return tuple(
            tf.reshape(part, tf.concat([tf.shape(ids), tf.shape(table)[1:]], 0))
            for part, ids in ((near, source), (far, target))
        )
