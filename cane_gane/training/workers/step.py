"""One step of training that several workers take together, as one would alone.

Every worker has the whole batch, which costs little: it is ids alone. From it each
brings the same rows of the tables up to date, and draws the same words to leave out;
then it encodes its part of the edges. The gradients are summed over all workers, those
of the tables by gathering rows, so that every worker makes the same update.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from cane_gane.models.pair_model import Batch, PairModel, part_of


def make_step(
    model: PairModel, strategy: Any, kind: Any
) -> Callable[[Batch], tf.Tensor]:
    """Returns what takes a step on a whole batch and gives its summed loss, `[]`.

    Args:
        model: A compiled model, whose variables were made in the strategy's scope.
        strategy: What connects the workers.
        kind: The `element_spec` of batches, so that one graph does for all of them.
    """

    def step(batch: Batch) -> tf.Tensor:
        context = tf.distribute.get_replica_context()
        model.bring_up_to_date(batch)  # rows of all parts, not of this one alone
        index = tf.cast(context.replica_id_in_sync_group, tf.int32)
        part = part_of(batch, index, context.num_replicas_in_sync)
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(model.edge_losses(part))
        variables = model.trainable_variables
        gradients = [summed_rows(one) for one in tape.gradient(loss, variables)]
        model.optimizer.apply(gradients, variables)  # Keras sums over the workers
        return context.all_reduce(tf.distribute.ReduceOp.SUM, loss)

    return tf.function(
        lambda batch: strategy.run(step, (batch,)), input_signature=[kind]
    )


def summed_rows(gradient: Any) -> Any:
    """Sums the rows of a sparse gradient that repeat, so that fewer are sent."""
    if not isinstance(gradient, tf.IndexedSlices):
        return gradient
    rows, index = tf.unique(tf.cast(gradient.indices, tf.int64))
    values = tf.math.unsorted_segment_sum(gradient.values, index, tf.size(rows))
    return tf.IndexedSlices(values, rows, gradient.dense_shape)
