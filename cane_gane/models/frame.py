"""What all models share: two tables, an encoder of text pairs, four inner products."""

from __future__ import annotations

from typing import Any, NamedTuple

import keras
import tensorflow as tf

from cane_gane.chunks import in_chunks
from cane_gane.layers import InnerProduct
from cane_gane.merging import Texts, merged
from cane_gane.models.words import flat_texts, leave_words_out, repeat_texts
from cane_gane.optimizers import SummingAdam

CHUNK = 12  # pairs: fewer chunks mean fewer gradients of the word table to add up
# Rows from which on a table is updated by the rows that a step has seen.
MANY_ROWS = 1 << 16
Batch = dict[str, tf.Tensor]
Prepared = Any  # `Texts`, or word ids where words are not merged


class Vectors(NamedTuple):
    """Text vectors of a batch of edges; see `PairModel.encode_edges`."""

    source: tf.Tensor
    target: tf.Tensor
    source_of_negative: tf.Tensor
    negative: tf.Tensor


@keras.saving.register_keras_serializable(package="cane_gane")
class PairModel(keras.Model):
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
        word_dropout: float = 0.0,
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
            word_dropout: Share of the words that training leaves out.
            structure_spread: Standard deviation of the node table at the start.
            seed: What the initial values and the word dropout hang on.
            **options: What `keras.Model` takes.
        """
        super().__init__(**options)
        self.encoder = encoder
        self.clip = clip
        self.word_dropout = word_dropout
        self.seed = seed
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
        self.loss_tracker = keras.metrics.Mean(name="loss")

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

    def make_variables(self) -> None:
        """Makes every variable by encoding a pair of short texts."""
        ids = tf.ones([1, 4], tf.int64)
        place = self.place(tf.zeros([1], tf.int64))
        near, far = self.encode(ids, ids)
        self.pair_terms(near, place, far, place)
        self.built = True
        self.optimizer.build(self.trainable_variables)
        if isinstance(self.optimizer, SummingAdam):
            for table in (self.words, self.structure):
                if table.shape[0] >= MANY_ROWS:
                    self.optimizer.keep_rows(table)

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

    def encode_edges(self, batch: Batch, training: bool) -> Vectors:
        """Encodes the edges of a batch, and each source with its negatives.

        Args:
            batch: A batch of `edge_batches`.
            training: Whether words are dropped.

        Returns:
            Text vectors of source given target and target given source, `[b, d]`,
            and of source given negative and negative given source, `[b, K, d]`.
        """
        size, count = tf.unstack(tf.shape(batch["negatives"]))
        strangers = flat_texts(batch["negatives_text"])
        # One pass over edges and negatives: b pairs, then b * K.
        sources = repeat_texts(batch["source_text"], count)
        near, far = self._encode_many(
            self.drop_words(tf.concat([batch["source_text"], sources], 0), 0, training),
            self.drop_words(
                tf.concat([batch["target_text"], strangers], 0), 1, training
            ),
        )
        shape = [size, count, near.shape[-1]]
        return Vectors(
            near[:size],
            far[:size],
            tf.reshape(near[size:], shape),
            tf.reshape(far[size:], shape),
        )

    def drop_words(self, ids: tf.Tensor, side: int, training: bool) -> tf.Tensor:
        """Leaves words of texts `[b, n]` out in training; `side` tells calls apart."""
        if not (training and self.word_dropout):
            return ids
        step = tf.cast(self.optimizer.iterations, tf.int32)
        seed = tf.stack([1000 * self.seed + side, step])
        return leave_words_out(ids, self.word_dropout, seed)

    def _encode_many(
        self, source: tf.Tensor, target: tf.Tensor
    ) -> tuple[tf.Tensor, tf.Tensor]:
        """As `encode`, in chunks of similar length, each word looked up once."""
        ids = [
            tf.zeros([1], source.dtype),
            *(tf.reshape(x, [-1]) for x in (source, target)),
        ]
        with tf.name_scope("lookup"):
            words, index = tf.unique(tf.concat(ids, 0))  # padding first, as in ids
            table = tf.gather(self.words.value, words)
        _, left, right = tf.split(index, [1, tf.size(source), tf.size(target)])
        near, far = in_chunks(
            lambda source, target, _: self.encode_prepared(source, target, table),
            self.prepare_texts(tf.reshape(left, tf.shape(source))),
            self.prepare_texts(tf.reshape(right, tf.shape(target))),
            outputs=2,
            size=CHUNK,
            dtype=table.dtype,
        )
        shape = [None, self.words.shape[1]]
        return tf.ensure_shape(near, shape), tf.ensure_shape(far, shape)

    def call(self, batch: Batch, training: bool = False) -> tuple[tf.Tensor, tf.Tensor]:
        """Returns the terms of edges and of their negatives.

        Args:
            batch: A batch of `edge_batches`.
            training: Whether words are dropped.

        Returns:
            Terms of the edges, `[b, 4]`, and of (source, negative), `[b, K, 4]`.
        """
        texts = self.encode_edges(batch, training)
        source, target = self.place(batch["source"]), self.place(batch["target"])
        positive = self.pair_terms(texts.source, source, texts.target, target)
        places = (source[:, None], target[:, None], self.place(batch["negatives"]))
        return positive, self.negative_terms(texts, *places)

    def negative_terms(
        self, texts: Vectors, source: tf.Tensor, target: tf.Tensor, negative: tf.Tensor
    ) -> tf.Tensor:
        """Returns the terms of (source, negative), `[b, K, 4]`.

        Args:
            texts: Text vectors.
            source: Structure vectors of the sources, `[b, 1, d]`.
            target: Those of the targets, which only upstream's CANE looks at.
            negative: Those of the negatives, `[b, K, d]`.
        """
        return self.pair_terms(
            texts.source_of_negative, source, texts.negative, negative
        )

    def train_step(self, batch: Batch) -> dict[str, tf.Tensor]:
        """Takes one step on the summed loss; reports the mean loss of an edge."""
        self._bring_up_to_date(batch)
        with tf.GradientTape() as tape:
            losses = self.loss(*self(batch, training=True))
            loss = tf.reduce_sum(losses)
        variables = self.trainable_variables
        self.optimizer.apply(tape.gradient(loss, variables), variables)
        self.loss_tracker.update_state(losses)
        return {"loss": self.loss_tracker.result()}

    def _bring_up_to_date(self, batch: Batch) -> None:
        """Makes the rows that a batch reads what a dense update would have made."""
        if not isinstance(self.optimizer, SummingAdam):
            return
        for table, names in (
            (self.words, ("source_text", "target_text", "negatives_text")),
            (self.structure, ("source", "target", "negatives")),
        ):
            rows = [tf.reshape(batch[name], [-1]) for name in names]
            self.optimizer.bring_up_to_date(table, tf.concat(rows, 0))

    def settle(self) -> None:
        """Makes all rows of the tables ready to be read, after some steps."""
        if isinstance(self.optimizer, SummingAdam):
            self.optimizer.settle()


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
