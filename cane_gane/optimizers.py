"""Adam as TensorFlow 1 has it, which upstream trains with, and as Keras has it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import keras
import tensorflow as tf


@keras.saving.register_keras_serializable(package="cane_gane")
class SummingAdam(keras.optimizers.Adam):
    """Adam that sums the gradients of a repeated row before squaring them.

    Keras squares each slice of a sparse gradient before it sums, so that a word
    which stands in a batch a thousand times moves too far. Summed first, the
    update equals that of a dense gradient, as in TensorFlow 1; its epsilon is
    1e-8.
    """

    def __init__(
        self, learning_rate: Any = 1e-3, epsilon: float = 1e-8, **kw: Any
    ) -> None:
        """Takes what `keras.optimizers.Adam` takes."""
        super().__init__(learning_rate=learning_rate, epsilon=epsilon, **kw)

    def apply(
        self, grads: Sequence[Any], trainable_variables: Sequence[Any] | None = None
    ) -> None:
        """Applies gradients, sparse ones as dense ones."""
        dense = [None if grad is None else tf.convert_to_tensor(grad) for grad in grads]
        super().apply(dense, trainable_variables)

    def update_step(
        self, gradient: tf.Tensor, variable: Any, learning_rate: tf.Tensor
    ) -> None:
        """Updates a variable in one pass over it, by TensorFlow's own Adam."""
        at = self._get_variable_index(variable)
        steps = tf.cast(self.iterations + 1, variable.dtype)
        tf.raw_ops.ResourceApplyAdam(
            var=variable.handle,
            m=self._momentums[at].handle,
            v=self._velocities[at].handle,
            beta1_power=tf.pow(tf.cast(self.beta_1, variable.dtype), steps),
            beta2_power=tf.pow(tf.cast(self.beta_2, variable.dtype), steps),
            lr=tf.cast(learning_rate, variable.dtype),
            beta1=self.beta_1,
            beta2=self.beta_2,
            epsilon=self.epsilon,
            grad=gradient,
        )


# By what `--adam` says; Keras's own shows what `SummingAdam` is for.
OPTIMIZERS = {"summed": SummingAdam, "keras": keras.optimizers.Adam}
