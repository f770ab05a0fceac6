"""What all models share in training: edges and negatives encoded, and a step."""

from __future__ import annotations

from typing import Any, NamedTuple

import keras
import tensorflow as tf

from cane_gane.chunks import in_chunks
from cane_gane.models.scoring import PairScorer
from cane_gane.models.words import flat_texts, leave_words_out, repeat_texts
from cane_gane.optimizers import SummingAdam

CHUNK = 12  # pairs: fewer chunks mean fewer gradients of the word table to add up
# Rows from which on a table is updated by the rows that a step has seen.
MANY_ROWS = 1 << 16
Batch = dict[str, tf.Tensor]


class Vectors(NamedTuple):
    """Text vectors of a batch of edges; see `PairModel.encode_edges`."""

    source: tf.Tensor
    target: tf.Tensor
    source_of_negative: tf.Tensor
    negative: tf.Tensor


@keras.saving.register_keras_serializable(package="cane_gane")
class PairModel(PairScorer):
    """Learns to score edges above pairs of a source and a negative."""

    def __init__(
        self,
        encoder: keras.layers.Layer,
        *,
        word_dropout: float = 0.0,
        seed: int = 1,
        **options: Any,
    ) -> None:
        """Takes what `PairScorer` takes, and how it is trained.

        Args:
            encoder: See `PairScorer`.
            word_dropout: Share of the words that training leaves out.
            seed: What the initial values and the word dropout hang on.
            **options: The other options of `PairScorer`.
        """
        super().__init__(encoder, seed=seed, **options)
        self.word_dropout = word_dropout
        self.seed = seed
        self.loss_tracker = keras.metrics.Mean(name="loss")

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
