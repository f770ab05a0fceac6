"""One batch of transport problems, prepared for the steps of the solver."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import tensorflow as tf


class Problem(NamedTuple):
    """Costs and weights of a batch, prepared for the steps.

    Attributes:
        scaled: X minus a constant for each row, finite where masked, `[batch, n, m]`.
        real: True at pairs of real words, `[batch, n, m]`, or None if all are: XLA
            spends a long time folding a constant mask when it compiles.
        mu: Source weights, `[batch, n, 1]`.
        nu: Target weights, `[batch, 1, m]`.
        spread: The largest difference of entries of a row, `[]`, or a bound that is
            known in advance.
    """

    scaled: tf.Tensor
    real: tf.Tensor | None
    mu: tf.Tensor
    nu: tf.Tensor
    spread: tf.Tensor | float

    @classmethod
    def build(
        cls, cost: tf.Tensor, mu: tf.Tensor, nu: tf.Tensor, beta: float, masked: bool,
        cost_range: float | None = None,
    ) -> Problem:  # fmt: skip
        """Masks and scales; subtracting a constant from a row keeps the plan."""
        mu, nu = mu[:, :, tf.newaxis], nu[:, tf.newaxis, :]
        real = tf.logical_and(mu > 0, nu > 0) if masked else None
        if cost_range is None:
            known = tf.where(real, cost, cost.dtype.max) if masked else cost
            known -= tf.reduce_min(known, 2, keepdims=True)
            scaled = known / tf.cast(beta, cost.dtype)
            scaled = tf.where(real, scaled, 0) if masked else scaled
            spread = tf.reduce_max(scaled)
        else:
            scaled = (cost - cost_range / 2) / tf.cast(beta, cost.dtype)
            spread = cost_range / beta
        if masked:
            some_target = tf.reduce_any(nu > 0, 2, keepdims=True)
            some_source = tf.reduce_any(mu > 0, 1, keepdims=True)
            mu, nu = tf.where(some_target, mu, 0), tf.where(some_source, nu, 0)
        return cls(scaled, real, mu, nu, spread)

    def spread_within(
        self, bound: float, near: Callable[[], Any], far: Callable[[], Any]
    ) -> Any:
        """Returns `near()` if the spread is within a bound, else `far()`."""
        if isinstance(self.spread, float):
            return near() if self.spread <= bound else far()
        return tf.cond(self.spread <= bound, near, far)

    def cast(self, dtype: tf.DType) -> Problem:
        """The same problem in another floating type."""
        scaled, mu, nu = (tf.cast(x, dtype) for x in (self.scaled, self.mu, self.nu))
        return Problem(scaled, self.real, mu, nu, self.spread)

    def mask(self, values: tf.Tensor, otherwise: float = 0.0) -> tf.Tensor:
        """Values at pairs of real words, `otherwise` elsewhere, `[batch, n, m]`."""
        return values if self.real is None else tf.where(self.real, values, otherwise)


def log_weights(weights: tf.Tensor) -> tf.Tensor:
    """Logarithms of weights; 0 where masked."""
    return tf.math.log(tf.where(weights > 0, weights, 1))
