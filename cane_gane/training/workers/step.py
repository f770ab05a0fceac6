"""One training step by several workers together, equal to that of a single worker.

Every worker has the whole batch, which is cheap, since it consists of ids. Each brings
the same rows of the tables up to date and drops the same random words, then encodes its
part of the edges. Gradients are summed over all workers, those of the tables by
gathering rows, so that every worker makes the same update.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from cane_gane.models.pair_model import Batch, PairModel, part_of


def make_step(
    model: PairModel, strategy: Any, kind: Any
) -> Callable[[Batch], tf.Tensor]:
    """Returns a function that takes a step on a whole batch; it returns the loss sum.

    Args:
        model: A compiled model, whose variables were made in the strategy's scope.
        strategy: Connects the workers.
        kind: The `element_spec` of batches, so that one graph serves all of them.
    """

    def step(batch: Batch) -> tf.Tensor:
        context = tf.distribute.get_replica_context()
        model.bring_up_to_date(batch)  # rows of all parts, not only of this one
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
