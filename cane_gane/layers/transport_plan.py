"""The transport plan between the words of two texts, as a layer."""

from __future__ import annotations

from typing import Any

import keras
import tensorflow as tf

from cane_gane.layers.masking import (
    MaskConsumer,
    Shape,
    check_choice,
    precise,
    word_counts,
    word_shares,
)
from cane_gane.transport import Gradient, cosine_cost, euclidean_cost, ipot

_COSTS = {"cosine": cosine_cost, "euclidean": euclidean_cost}


@keras.saving.register_keras_serializable(package="cane_gane")
class TransportPlan(MaskConsumer):
    """Which word of one text goes with which word of the other.

    T_uv = SolveOT(S_u, S_v) of the paper (section "Optimal-transport-based matching",
    Algorithm 1): each text is a set of words of equal weight, 1 / n_u and 1 / n_v, and
    the plan moves one onto the other at the least cost. The cost is 1 - cos(x, y), or
    ||x - y||^2. The plan is solved in float32 also under a 16-bit policy.

    Example:
        >>> words = keras.random.normal((2, 5, 8), seed=1)
        >>> context = keras.random.normal((2, 7, 8), seed=2)
        >>> TransportPlan()(words, context).shape
        TensorShape([2, 5, 7])

    Args:
        cost: `"cosine"` or `"euclidean"`.
        beta: Inverse step size of the solver.
        iterations: Steps of the solver.
        inner_iterations: Scalings in each step, K.
        gradient: `"full"`, `"last_step"` or `"none"`; see `cane_gane.transport.ipot`.
        tolerance: Stop earlier, when the plan's row sums are off by no more than this
            share.
        **kwargs: Of `keras.layers.Layer`: `name`, `dtype`.

    Call arguments:
        source: Word vectors S_u, `[batch, n, p]`.
        target: Word vectors S_v, `[batch, m, p]`.
        source_mask: True at real words, or how often each stands in the text,
            `[batch, n]`. By default the mask that travels with `source`, as for every
            `x_mask` of these layers.
        target_mask: The same, `[batch, m]`.

    Returns:
        Plans, `[batch, n, m]`: rows sum to 1 / n_u, columns to 1 / n_v, times how
        often the word stands in its text; zeros at padding, and everywhere if one of
        the two texts is empty.

    Raises:
        ValueError: The cost is not known, or the solver refuses a setting.
    """

    def __init__(
        self,
        cost: str = "cosine",
        beta: float = 0.5,
        iterations: int = 50,
        inner_iterations: int = 1,
        gradient: Gradient = "last_step",
        tolerance: float | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.cost = check_choice("cost", cost, list(_COSTS))
        self.beta = beta
        self.iterations = iterations
        self.inner_iterations = inner_iterations
        self.gradient: Gradient = gradient
        self.tolerance = tolerance

    def call(
        self,
        source: tf.Tensor,
        target: tf.Tensor,
        source_mask: tf.Tensor | None = None,
        target_mask: tf.Tensor | None = None,
    ) -> tf.Tensor:
        """The plan in the layer's compute type."""
        plan = self.solve(source, target, source_mask, target_mask)
        return tf.cast(plan, self.compute_dtype)

    def solve(
        self,
        source: tf.Tensor,
        target: tf.Tensor,
        source_mask: tf.Tensor | None = None,
        target_mask: tf.Tensor | None = None,
    ) -> tf.Tensor:
        """The plan at least in float32; entries near 1 / (n m) need that."""
        source, target = precise(source), precise(target)
        sides = ((source_mask, source), (target_mask, target))
        shares = [
            None if mask is None else word_shares(word_counts(mask, words, words.dtype))
            for mask, words in sides
        ]
        return ipot(
            _COSTS[self.cost](source, target),
            source_weights=shares[0],
            target_weights=shares[1],
            beta=self.beta,
            iterations=self.iterations,
            inner_iterations=self.inner_iterations,
            gradient=self.gradient,
            tolerance=self.tolerance,
            cost_range=2.0 if self.cost == "cosine" else None,
        )

    def compute_output_shape(self, source_shape: Shape, target_shape: Shape) -> Shape:
        """`[batch, n, m]`."""
        return (source_shape[0], source_shape[1], target_shape[1])

    def solver_config(self) -> dict[str, Any]:
        """The options of the plan alone."""
        return {
            "cost": self.cost,
            "beta": self.beta,
            "iterations": self.iterations,
            "inner_iterations": self.inner_iterations,
            "gradient": self.gradient,
            "tolerance": self.tolerance,
        }

    def get_config(self) -> dict[str, Any]:
        """What `from_config` builds the same layer of."""
        return {**super().get_config(), **self.solver_config()}
