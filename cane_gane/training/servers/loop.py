"""Training on parameter servers: free workers take steps, in no fixed order."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import tensorflow as tf

from cane_gane.models.pair_model import PairModel
from cane_gane.training.servers.step import dense_variables, make_step
from cane_gane.training.servers.tables import ShardedTable


def connect() -> tuple[Any, int]:
    """Connects this process, the coordinator, to the servers and workers of TF_CONFIG.

    Returns:
        The strategy, and the number of servers.
    """
    resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
    strategy = tf.distribute.ParameterServerStrategy(resolver)
    return strategy, resolver.cluster_spec().num_tasks("ps")


def train_on_servers(
    strategy: Any,
    model: PairModel,
    words: ShardedTable,
    structure: ShardedTable,
    batches_from: Callable[[int], Any],
    steps: int,
    epochs: int,
    folder: Path | None = None,
) -> list[float]:
    """Trains, starting from the last checkpoint in `folder`.

    Batches come from this process; only it reads texts and edges. A lost worker that
    returns takes steps again. A lost server ends the training, and a new start
    continues from the checkpoint.

    Args:
        strategy: A `tf.distribute.ParameterServerStrategy`.
        model: A compiled model, made in the strategy's scope.
        words: The word vectors.
        structure: The node vectors.
        batches_from: Returns endless batches, starting at an epoch.
        steps: The number of batches in an epoch.
        epochs: The largest number of epochs.
        folder: The folder for checkpoints, visible to every server. None keeps none.

    Returns:
        The mean loss per edge in each epoch that was trained here.
    """
    coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
    done = tf.Variable(0, dtype=tf.int64)
    kept = None
    if folder:
        state = tf.train.Checkpoint(
            words=words, structure=structure, epochs=done,
            dense=[one.value for one in _dense(model)],
        )  # fmt: skip
        kept = tf.train.CheckpointManager(state, str(folder), max_to_keep=2)
        state.restore(kept.latest_checkpoint)
    source = batches_from(int(done))
    step, batches = (
        make_step(model, words, structure, source.element_spec),
        iter(source),
    )
    losses = []
    for _ in range(int(done), epochs):
        results, edges = [], 0
        for _ in range(steps):
            batch = next(batches)
            edges += int(batch["source"].shape[0])
            results.append(coordinator.schedule(step, (batch,)))  # waits if many wait
        coordinator.join()
        losses.append(sum(float(one.fetch()) for one in results) / edges)
        done.assign_add(1)
        if kept:
            kept.save()
    return losses


def _dense(model: PairModel) -> list[Any]:
    """Returns the variables other than the tables, with their moments and the steps."""
    return [*dense_variables(model), *model.optimizer.variables]
