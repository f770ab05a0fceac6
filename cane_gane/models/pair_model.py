"""Training shared by all models: encodes edges and negatives, and takes steps."""

from __future__ import annotations

from typing import Any, NamedTuple

import keras
import tensorflow as tf

from cane_gane.models.chunks import in_chunks
from cane_gane.models.pair_scorer import PairScorer
from cane_gane.models.words import (
    Rows,
    flat_texts,
    leave_words_out,
    negative_rows,
    repeat_texts,
)

CHUNK = 12  # pairs: fewer chunks mean fewer gradients of the word table to sum
Batch = dict[str, tf.Tensor]


class Vectors(NamedTuple):
    """Text vectors of a batch of edges; see `PairModel.encode_edges`."""

    source: tf.Tensor
    target: tf.Tensor
    source_of_negative: tf.Tensor
    negative: tf.Tensor


@keras.saving.register_keras_serializable(package="cane_gane")
class PairModel(PairScorer):
    """Learns to score edges above pairs of a source and a negative.

    It is trained with one of `cane_gane.training.optimizer.OPTIMIZERS`.
    """

    def __init__(
        self, encoder: keras.layers.Layer, *, word_dropout: float = 0.0, **options: Any
    ) -> None:
        """Takes the options of `PairScorer`, and how the model is trained.

        Args:
            encoder: See `PairScorer`.
            word_dropout: The share of words that are dropped in training.
            **options: The other options of `PairScorer`; word dropout also depends on
                `seed`.
        """
        super().__init__(encoder, **options)
        self.word_dropout = word_dropout
        self.loss_tracker = keras.metrics.Mean(name="loss")

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
        left = tf.concat([batch["source_text"], sources], 0)
        right = tf.concat([batch["target_text"], strangers], 0)
        rows = part_rows(batch)
        if rows is not None:
            strange = negative_rows(rows, count)
            at = tf.concat([rows.at, rows.of + strange.at], 0)
            rows = Rows(at, rows.of + strange.of)
        texts = [
            self.drop_words(x, i, training, rows) for i, x in enumerate((left, right))
        ]
        near, far = self._encode_many(*texts)
        shape = [size, count, near.shape[-1]]
        against, negative = (tf.reshape(x[size:], shape) for x in (near, far))
        return Vectors(near[:size], far[:size], against, negative)

    def drop_words(
        self, ids: tf.Tensor, side: int, training: bool, rows: Rows | None = None
    ) -> tf.Tensor:
        """Drops words of texts `[b, n]` in training; each `side` drops different ones.

        If texts are `rows` of a larger batch, the same words are dropped as in that
        batch.
        """
        if not (training and self.word_dropout):
            return ids
        step = tf.cast(self.optimizer.iterations, tf.int32)
        seed = tf.stack([1000 * self.seed + side, step])
        return leave_words_out(ids, self.word_dropout, seed, rows)

    def _encode_many(
        self, source: tf.Tensor, target: tf.Tensor
    ) -> tuple[tf.Tensor, tf.Tensor]:
        """Does the same as `encode`, in chunks of similar length."""

        def encode(
            source: Any, target: Any, _: tf.Tensor, *words: tf.Tensor
        ) -> tuple[tf.Tensor, ...]:
            return self.encode_prepared(source, target, words)

        table = tf.convert_to_tensor(self.word_table)
        near, far = in_chunks(
            encode,
            *map(self.prepare_texts, (source, target)),
            outputs=2,
            size=CHUNK,
            table=table,
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
        source, target, negative = (
            self.structure_of(batch[role]) for role in ("source", "target", "negatives")
        )
        positive = self.pair_terms(texts.source, source, texts.target, target)
        sides = (source[:, None], target[:, None], negative)
        return positive, self.negative_terms(texts, *sides)

    def negative_terms(
        self, texts: Vectors, source: tf.Tensor, target: tf.Tensor, negative: tf.Tensor
    ) -> tf.Tensor:
        """Returns the terms of (source, negative), `[b, K, 4]`.

        Args:
            texts: Text vectors.
            source: Structure vectors of the sources, `[b, 1, d]`.
            target: Structure vectors of the targets, which only upstream's CANE uses.
            negative: Structure vectors of the negatives, `[b, K, d]`.
        """
        near, far = texts.source_of_negative, texts.negative
        return self.pair_terms(near, source, far, negative)

    def edge_losses(self, batch: Batch) -> tf.Tensor:
        """Returns the training loss of each edge times its weight, `[b]`."""
        losses = self.loss(*self(batch, training=True))
        return losses * batch["weight"] if "weight" in batch else losses

    def train_step(self, batch: Batch) -> dict[str, tf.Tensor]:
        """Takes one step on the summed loss; returns the mean loss per edge."""
        self.bring_up_to_date(batch)
        with tf.GradientTape() as tape:
            losses = self.edge_losses(batch)
            loss = tf.reduce_sum(losses)
        variables = self.trainable_variables
        self.optimizer.apply(tape.gradient(loss, variables), variables)
        self.loss_tracker.update_state(losses)
        return {"loss": self.loss_tracker.result()}

    def bring_up_to_date(self, batch: Batch) -> None:
        """Updates the rows that a batch reads to what dense updates would have made."""
        for table, names in (
            (self.words, ("source_text", "target_text", "negatives_text")),
            (self.structure, ("source", "target", "negatives")),
        ):
            rows = [tf.reshape(batch[name], [-1]) for name in names]
            self.optimizer.bring_up_to_date(table, tf.concat(rows, 0))

    def settle(self) -> None:
        """Brings all rows of the tables up to date after some steps."""
        self.optimizer.settle()


def part_of(batch: Batch, index: tf.Tensor, count: int) -> Batch:
    """Returns one of `count` parts of a batch, with its position in the batch.

    The sizes of the parts differ by at most one edge; with fewer edges than parts, some
    are empty.
    """
    size = tf.shape(batch["source"])[0]
    start, end = index * size // count, (index + 1) * size // count
    part = {name: value[start:end] for name, value in batch.items()}
    return {**part, "place": tf.range(start, end), "whole": size}


def part_rows(batch: Batch) -> Rows | None:
    """The rows of the larger batch that a part's edges are; None for a whole batch."""
    return Rows(batch["place"], batch["whole"]) if "place" in batch else None
