"""What workers exchange in addition to gradients: numbers, and the chief's values."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import tensorflow as tf

from cane_gane.errors import InputError
from cane_gane.training.workers.cluster import Cluster

_PIECE = 1 << 22  # values that are sent at once
_MOST = 1e-4  # largest difference between processors after an epoch


class DriftError(InputError):
    """Workers hold different values."""

    exit_code = 4


class Exchange:
    """Makes all workers share numbers and values.

    Every method must be called by all workers, in the same order.
    """

    def __init__(self, strategy: Any, cluster: Cluster) -> None:
        """Takes the strategy that connects the workers, and which one this is."""
        self._cluster = cluster

        def over_all(values: tf.Tensor) -> tf.Tensor:
            context = tf.distribute.get_replica_context()
            here = tf.identity(values)  # an argument has no device yet
            return context.all_reduce(tf.distribute.ReduceOp.SUM, here)

        self._sum = tf.function(
            lambda values: strategy.run(over_all, (values,)), reduce_retracing=True
        )

    def collect(self, number: int) -> list[int]:
        """Returns the number of each worker, the chief's first."""
        slots = np.zeros(len(self._cluster.addresses), np.int64)
        slots[self._cluster.index] = number
        return [int(one) for one in self._sum(tf.constant(slots)).numpy()]

    def send(self, variables: Sequence[Any]) -> float:
        """Gives all workers the chief's values, to the last bit.

        Args:
            variables: The variables, in the same order on all workers.

        Returns:
            The largest change of a value here; 0 on the chief.
        """
        most = 0.0
        for variable in variables:
            old = variable.numpy()
            new = self._sent(old)
            if not self._cluster.chief:
                most = max(most, float(np.max(np.abs(new - old), initial=0)))
                variable.assign(new)
        return most

    def _sent(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Returns the chief's values, as a sum of bits; the others add zeros."""
        kind = np.int32 if values.itemsize == 4 else np.int64
        bits = values.reshape(-1).view(kind)
        if not self._cluster.chief:
            bits = np.zeros_like(bits)
        found = np.empty_like(bits)
        for start in range(0, len(bits), _PIECE):
            piece = slice(start, start + _PIECE)
            found[piece] = self._sum(tf.constant(bits[piece])).numpy()
        return found.view(values.dtype).reshape(values.shape)

    def compare(self, content: bytes) -> None:
        """Refuses workers that have read other data or settings than the chief.

        Raises:
            InputError: A worker's digest of `content` differs from the chief's.
        """
        digests = self.collect(_number(content))
        strange = [i for i, one in enumerate(digests) if one != digests[0]]
        if strange:
            raise InputError(
                f"found other data, settings or versions on worker "
                f"{', '.join(map(str, strange))} than on worker 0; expected the same "
                "on all: start them with one command, on one data set"
            )

    def agree(self, variables: Sequence[Any]) -> None:
        """Makes sure that all workers hold the same values.

        Different processors may round differently; such differences are replaced by the
        chief's values.

        Raises:
            DriftError: The values differ by more than rounding.
        """
        found = hashlib.sha256()
        for variable in variables:
            found.update(np.ascontiguousarray(variable.numpy()).data)
        if len(set(self.collect(_number(found.digest())))) == 1:
            return
        micro = max(self.collect(min(int(1e6 * self.send(variables)), 1 << 60)))
        if micro > 1e6 * _MOST:
            raise DriftError(
                f"found values that differ by {micro / 1e6:g} between workers; "
                f"expected at most {_MOST:g}: the last checkpoint is good, the same "
                "command goes on from it"
            )


def _number(content: bytes) -> int:
    """Returns a digest that fits a 64-bit integer."""
    return int.from_bytes(hashlib.sha256(content).digest()[:7], "big")
