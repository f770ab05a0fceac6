"""Adam as in TensorFlow 1, which upstream trains with, and as in Keras."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import keras
import numpy as np
import tensorflow as tf

# Steps after which the rest of a row's momentum no longer moves it.
_FADED = 192
# Terms of the series below: further ones would add 1e-9 of a step.
_TERMS = 6
_SLICE = 1 << 16  # rows that are brought up to date at once


@keras.saving.register_keras_serializable(package="cane_gane")
class KerasAdam(keras.optimizers.Adam):
    """Keras's Adam with the interface that `PairModel` needs; tables stay dense."""

    def keep_rows(self, variable: Any) -> None:
        """Does nothing: all rows are updated in each step."""

    @tf.autograph.experimental.do_not_convert  # it cannot convert an empty function
    def bring_up_to_date(self, variable: Any, rows: tf.Tensor) -> None:
        """Does nothing: all rows are up to date."""

    def settle(self) -> None:
        """Does nothing: all rows are up to date."""


@keras.saving.register_keras_serializable(package="cane_gane")
class SummingAdam(KerasAdam):
    """Adam that sums the gradients of a repeated row before squaring them.

    Keras squares each slice of a sparse gradient before it sums, so that a word that
    occurs a thousand times in a batch moves too far. If slices are summed first, the
    update equals that of a dense gradient, as in TensorFlow 1; its epsilon is 1e-8.

    A dense update moves every row of a table in every step, by what is left of its
    momentum. Tables given to `keep_rows` are updated by rows instead: a row moves only
    when it has a gradient, and `bring_up_to_date` applies the steps that it missed
    before it is next read. The values are those of the dense update.
    """

    def __init__(
        self,
        learning_rate: Any = 1e-3,
        epsilon: float = 1e-8,
        kept: Sequence[int] = (),
        **options: Any,
    ) -> None:
        """Takes the options of `keras.optimizers.Adam`, and the tables kept by rows.

        Args:
            learning_rate: Step size, or a schedule of it.
            epsilon: Added to the root of the velocity.
            kept: Indices of variables that `build` gives to `keep_rows`.
            **options: The other options of `keras.optimizers.Adam`.
        """
        super().__init__(learning_rate=learning_rate, epsilon=epsilon, **options)
        self._kept = tuple(kept)
        self._reached: dict[int, Any] = {}

    def build(self, variables: Sequence[Any]) -> None:
        """Makes the moments of the variables."""
        if self.built:
            return
        super().build(variables)
        for at in self._kept:
            self.keep_rows(variables[at])

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments from which `from_config` builds the same optimizer."""
        return {**super().get_config(), "kept": sorted(self._reached)}

    def keep_rows(self, variable: Any) -> None:
        """Updates a table, `[rows, n]`, by the rows that have a gradient.

        Before reading it, bring the rows up to date, or `settle` the whole table.
        The optimizer must have been built.
        """
        name = f"{variable.path.replace('/', '_')}_reached"
        self._reached[self._get_variable_index(variable)] = self.add_variable(
            (variable.shape[0],), dtype="int64", name=name
        )

    def apply(
        self, grads: Sequence[Any], trainable_variables: Sequence[Any] | None = None
    ) -> None:
        """Applies gradients; sparse ones have the effect of dense ones.

        Several workers first sum the gradients, sparse ones by gathering their rows.
        """
        variables = trainable_variables or self._trainable_variables
        alone = tf.distribute.get_strategy().num_replicas_in_sync == 1
        by_rows = [
            not alone
            or (bool(self._reached) and self._get_variable_index(x) in self._reached)
            for x in variables
        ]
        ready = [
            grad if grad is None or kept else tf.convert_to_tensor(grad)
            for grad, kept in zip(grads, by_rows, strict=True)
        ]
        super().apply(ready, trainable_variables)

    def update_step(
        self, gradient: Any, variable: Any, learning_rate: tf.Tensor
    ) -> None:
        """Updates a variable in one pass over it, by TensorFlow's own Adam."""
        at = self._get_variable_index(variable)
        if at in self._reached:
            self._update_rows(gradient, variable, learning_rate)
            return
        steps = tf.cast(self.iterations + 1, variable.dtype)
        tf.raw_ops.ResourceApplyAdam(
            var=variable.handle,
            m=self._momentums[at].handle,
            v=self._velocities[at].handle,
            beta1_power=tf.pow(tf.constant(self.beta_1, variable.dtype), steps),
            beta2_power=tf.pow(tf.constant(self.beta_2, variable.dtype), steps),
            lr=tf.cast(learning_rate, variable.dtype),
            beta1=self.beta_1,
            beta2=self.beta_2,
            epsilon=self.epsilon,
            grad=tf.convert_to_tensor(gradient),
        )

    def _update_rows(
        self, gradient: tf.IndexedSlices, variable: Any, learning_rate: tf.Tensor
    ) -> None:
        """Updates the rows of a gradient, which must be up to date."""
        rows, index = tf.unique(tf.cast(gradient.indices, tf.int64))
        summed = tf.math.unsorted_segment_sum(gradient.values, index, tf.size(rows))
        value, m, v = self._of(variable, rows)
        m += (1 - self.beta_1) * (summed - m)
        v += (1 - self.beta_2) * (summed * summed - v)
        size = tf.cast(learning_rate, v.dtype) * self._size(self.iterations + 1, v)
        value -= size * m / (tf.sqrt(v) + self.epsilon)
        self._set(variable, rows, (value, m, v), self.iterations + 1)

    def bring_up_to_date(self, variable: Any, rows: tf.Tensor) -> None:
        """Applies the steps that rows have missed; does nothing for a dense table.

        After s steps without a gradient a row's momentum m and velocity v are
        b1^s m and b2^s v. With a = sqrt(v), q = a / (a + epsilon) and
        d = 1 - sqrt(b2)^s the step s moves it by its size times

            b1^s m / (sqrt(b2)^s a + epsilon) = m / (a + epsilon) b1^s / (1 - q d),

        and 1 / (1 - q d) = 1 + q d + (q d)^2 + … is a short series, since b1^s has
        faded when d becomes large. So the sums over s are the same for all values of a
        row.

        Args:
            variable: A table.
            rows: Some of its rows, which may repeat.
        """
        at = self._get_variable_index(variable)
        if at not in self._reached:
            return
        rows, _ = tf.unique(tf.cast(rows, tf.int64))
        now = tf.cast(self.iterations, tf.int64)
        reached = tf.gather(_table(self._reached[at]), rows)
        value, m, v = self._of(variable, rows)
        weights = self._missed(reached, now - reached, value.dtype)
        a = tf.sqrt(v)
        q = a / (a + self.epsilon)
        series = tf.zeros_like(q)
        for term in reversed(range(_TERMS)):
            series = series * q + weights[:, term : term + 1]
        rate = tf.cast(self.learning_rate, value.dtype)
        value -= rate * m / (a + self.epsilon) * series
        missed = tf.cast(now - reached, value.dtype)[:, None]
        m *= tf.pow(tf.constant(self.beta_1, value.dtype), missed)
        v *= tf.pow(tf.constant(self.beta_2, value.dtype), missed)
        self._set(variable, rows, (value, m, v), now)

    def settle(self) -> None:
        """Brings all tables up to date."""
        for at in self._reached:
            variable = self._trainable_variables[at]
            for start in range(0, variable.shape[0], _SLICE):
                end = min(start + _SLICE, variable.shape[0])
                self.bring_up_to_date(variable, tf.range(start, end, dtype=tf.int64))

    def _missed(
        self, reached: tf.Tensor, missed: tf.Tensor, dtype: tf.DType
    ) -> tf.Tensor:
        """Sums sizes times b1^s d^i over missed steps, for each i, `[rows, terms]`."""
        s = np.arange(1, _FADED + 1)
        d = 1 - np.sqrt(self.beta_2) ** s
        factors = self.beta_1**s * np.stack([d**i for i in range(_TERMS)])
        steps = tf.constant(s, tf.int64)
        sizes = self._size(reached[:, None] + steps, tf.zeros([], dtype))
        sizes = tf.where(steps <= missed[:, None], sizes, 0)
        return tf.matmul(sizes, tf.constant(factors.T, dtype))

    def _size(self, step: tf.Tensor, like: tf.Tensor) -> tf.Tensor:
        """The size of a step, to be multiplied by the learning rate."""
        step = tf.cast(step, like.dtype)
        first, second = (
            -tf.math.expm1(step * np.log(beta)) for beta in (self.beta_1, self.beta_2)
        )
        return tf.sqrt(second) / first

    def _of(self, variable: Any, rows: tf.Tensor) -> list[tf.Tensor]:
        at = self._get_variable_index(variable)
        tables = (variable, self._momentums[at], self._velocities[at])
        return [tf.gather(_table(table), rows) for table in tables]

    def _set(
        self, variable: Any, rows: tf.Tensor, values: Sequence[tf.Tensor], step: Any
    ) -> None:
        at = self._get_variable_index(variable)
        tables = (variable, self._momentums[at], self._velocities[at])
        for table, part in zip(tables, values, strict=True):
            _table(table).scatter_update(tf.IndexedSlices(part, rows))
        step = tf.fill(tf.shape(rows), tf.cast(step, tf.int64))
        _table(self._reached[at]).scatter_update(tf.IndexedSlices(step, rows))


def _table(variable: Any) -> tf.Variable:
    """TensorFlow's variable behind a Keras one, so that single rows can be read."""
    return variable.value if isinstance(variable, keras.Variable) else variable


# The values of `--adam`; Keras's own shows the effect of `SummingAdam`.
OPTIMIZERS: Mapping[str, type[KerasAdam]] = {"summed": SummingAdam, "keras": KerasAdam}
