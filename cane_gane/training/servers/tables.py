"""A table whose rows are spread over parameter servers, with Adam's moments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import tensorflow as tf

_BETA_1, _BETA_2, _EPSILON = 0.9, 0.999, 1e-8


class ShardedTable(tf.Module):
    """Rows in ranges, one range per server; a step moves the rows that it has read.

    A row without a gradient stays unchanged: the rest of its momentum waits until the
    row is next used ("lazy" Adam). That saves the traffic of all other rows. If every
    row is used in each step, the update is that of plain Adam.
    """

    def __init__(
        self,
        strategy: Any,
        rows: int,
        dimension: int,
        *,
        servers: int,
        spread: float,
        seed: int,
        name: str,
    ) -> None:
        """Makes the table on the servers; no other process ever holds all of it.

        Args:
            strategy: A `tf.distribute.ParameterServerStrategy`.
            rows: The number of rows of all servers together.
            dimension: The number of columns.
            servers: How many servers share the rows.
            spread: Standard deviation of the initial values.
            seed: The seed of the initial values.
            name: Its name in checkpoints.
        """
        super().__init__(name=name)
        self._rows = rows
        self.shards: list[tf.Variable] = []
        self.moments: list[list[tf.Variable]] = []
        for server in range(servers):
            # The ranges of tf.nn.embedding_lookup: the first may be one row longer.
            shape = (rows // servers + (server < rows % servers), dimension)
            with strategy.scope():
                shard = tf.Variable(
                    lambda shape=shape, server=server: (
                        spread
                        * tf.random.stateless_truncated_normal(shape, [seed, server])
                    ),
                    name=f"{name}_{server}",
                )
                with strategy.extended.colocate_vars_with(shard):
                    both = [
                        tf.Variable(
                            lambda shape=shape: tf.zeros(shape),
                            name=f"{name}_{server}_{moment}",
                            trainable=False,
                        )
                        for moment in ("momentum", "velocity")
                    ]
            self.shards.append(shard)
            self.moments.append(both)

    def look_up(self, rows: tf.Tensor) -> tf.Tensor:
        """Fetches rows, `[n]` to `[n, dimension]`, each from its server."""
        return tf.nn.embedding_lookup(self.shards, rows)

    def update(
        self, gradients: Sequence[tf.IndexedSlices], rate: tf.Tensor, step: tf.Tensor
    ) -> None:
        """Updates rows by Adam, on their own servers.

        Args:
            gradients: One for each shard, of rows that do not repeat.
            rate: The learning rate.
            step: Steps taken before this one, by all workers.
        """
        count = tf.cast(step + 1, tf.float32)
        size = rate * tf.sqrt(1 - _BETA_2**count) / (1 - _BETA_1**count)
        for shard, moments, part in zip(
            self.shards, self.moments, gradients, strict=True
        ):
            with tf.device(shard.device):
                m, v = (tf.gather(moment, part.indices) for moment in moments)
                m += (1 - _BETA_1) * (part.values - m)
                v += (1 - _BETA_2) * (part.values * part.values - v)
                moved = tf.gather(shard, part.indices)
                moved -= size * m / (tf.sqrt(v) + _EPSILON)
                for variable, new in zip((shard, *moments), (moved, m, v), strict=True):
                    variable.scatter_update(tf.IndexedSlices(new, part.indices))

    def fill(self, values: npt.NDArray[np.float32]) -> None:
        """Sets all rows, `[rows, dimension]`, server by server."""
        start = 0
        for shard in self.shards:
            end = start + shard.shape[0]
            shard.assign(values[start:end])
            start = end

    def read(self) -> npt.NDArray[np.float32]:
        """Returns all rows, `[rows, dimension]`, for tables that fit in memory."""
        return np.concatenate([shard.numpy() for shard in self.shards])
