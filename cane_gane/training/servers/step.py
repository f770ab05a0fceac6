"""A step on rows that servers hold: fetches a batch's rows, sends gradients back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from cane_gane.models.pair_model import Batch, PairModel
from cane_gane.training.servers.tables import ShardedTable

_TEXTS = ("source_text", "target_text", "negatives_text")
_NODES = ("source", "target", "negatives")


def make_step(
    model: PairModel, words: ShardedTable, structure: ShardedTable, kind: Any
) -> Callable[[Batch], tf.Tensor]:
    """Returns a function that takes a step on a batch; it returns the loss sum.

    Args:
        model: A compiled model, made in the strategy's scope; its own tables are not
            read, and may have one row.
        words: The word vectors.
        structure: The node vectors.
        kind: The `element_spec` of batches.
    """

    def step(batch: Batch) -> tf.Tensor:
        word_ids, texts = _renumbered([batch[name] for name in _TEXTS], padded=True)
        node_ids, nodes = _renumbered([batch[name] for name in _NODES])
        local = batch | dict(zip((*_TEXTS, *_NODES), (*texts, *nodes), strict=True))
        count = model.optimizer.iterations
        before = tf.cast(count, tf.int64)
        own = [variable.value for variable in dense_variables(model)]
        shards = [*words.shards, *structure.shards]
        with (
            tf.GradientTape() as tape,
            model.borrowing(words.look_up(word_ids), structure.look_up(node_ids)),
        ):
            loss = tf.reduce_sum(model.edge_losses(local))
        found = tape.gradient(loss, [*own, *shards])
        rate = tf.cast(model.optimizer.learning_rate, tf.float32)
        for variable, gradient in zip(own, found, strict=False):
            model.optimizer.update_step(tf.convert_to_tensor(gradient), variable, rate)
        parts = found[len(own) :]
        words.update(parts[: len(words.shards)], rate, before)
        structure.update(parts[len(words.shards) :], rate, before)
        count.assign_add(1)
        return loss

    return tf.function(step, input_signature=[kind])


def dense_variables(model: PairModel) -> list[Any]:
    """Returns the trainable variables of a model other than its tables."""
    return [
        variable
        for variable in model.trainable_variables
        if variable is not model.words and variable is not model.structure
    ]


def _renumbered(
    parts: list[tf.Tensor], padded: bool = False
) -> tuple[tf.Tensor, list[tf.Tensor]]:
    """Renumbers the ids of some tensors in order of first occurrence.

    Args:
        parts: Ids.
        padded: Whether 0 stands for padding and stays 0.

    Returns:
        The distinct ids, and the tensors with indices into them.
    """
    flat = [tf.reshape(part, [-1]) for part in parts]
    first = [tf.zeros([int(padded)], parts[0].dtype)]
    ids, places = tf.unique(tf.concat([*first, *flat], 0))
    pieces = tf.split(places, [int(padded), *(tf.size(part) for part in parts)])[1:]
    shaped = zip(pieces, parts, strict=True)
    return ids, [tf.reshape(piece, tf.shape(part)) for piece, part in shaped]
