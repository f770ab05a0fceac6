"""The transport plan between the words of two texts, as a layer."""

from __future__ import annotations

from typing import Any

import keras
import tensorflow as tf

from cane_gane.layers import masking
from cane_gane.layers.masking import Mask, MaskConsumer, precise
from cane_gane.transport import Gradient, cosine_cost, euclidean_cost, ipot

_COSTS = {"cosine": cosine_cost, "euclidean": euclidean_cost}


@keras.saving.register_keras_serializable(package="cane_gane")
class TransportPlan(MaskConsumer):
    """Which words of one text correspond to which words of the other.

    T_uv = SolveOT(S_u, S_v) of the paper (section "Optimal-transport-based matching",
    Algorithm 1): each text is a set of words of equal weight, 1 / n_u and 1 / n_v, and
    the plan moves one onto the other at minimal cost. The cost is 1 - cos(x, y) or
    ||x - y||^2. The plan is solved in float32 even under a 16-bit policy.

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
        **kwargs: Options of `keras.layers.Layer`: `name`, `dtype`.

    Call arguments:
        source: Word vectors S_u, `[batch, n, p]`.
        target: Word vectors S_v, `[batch, m, p]`.
        source_mask: True at real words, or how often each occurs in the text,
            `[batch, n]`. By default the mask that `source` carries, as for every
            `x_mask` of these layers.
        target_mask: The same, `[batch, m]`.

    Returns:
        Plans, `[batch, n, m]`: rows sum to 1 / n_u, columns to 1 / n_v, times how
        often the word occurs in its text; zeros at padding, and everywhere if one of
        the two texts is empty.

    Raises:
        ValueError: The cost is unknown, or the solver refuses a setting.
    """

    def __init__(
        self,
        cost: str = "cosine",
        beta: float = 0.5,
        iterations: int = 50,
        inner_iterations: int = 1,
        gradient: Gradient = "last_step",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.cost = masking.check_choice("cost", cost, list(_COSTS))
        self.beta = beta
        self.iterations = iterations
        self.inner_iterations = inner_iterations
        self.gradient: Gradient = gradient

    def call(
        self,
        source: tf.Tensor,
        target: tf.Tensor,
        source_mask: Mask = None,
        target_mask: Mask = None,
    ) -> tf.Tensor:
        """Returns the plan in the layer's compute type."""
        plan = self.solve(source, target, source_mask, target_mask)
        return tf.cast(plan, self.compute_dtype)

    def solve(self, source: tf.Tensor, target: tf.Tensor, *masks: Mask) -> tf.Tensor:
        """Returns the plan at least in float32; entries near 1 / (n m) need that."""
        cost = _COSTS[self.cost](precise(source), precise(target))
        source_weights, target_weights = (
            None if mask is None else masking.word_shares(tf.cast(mask, cost.dtype))
            for mask in masks
        )
        return ipot(
            cost,
            source_weights=source_weights,
            target_weights=target_weights,
            beta=self.beta,
            iterations=self.iterations,
            inner_iterations=self.inner_iterations,
            gradient=self.gradient,
            cost_range=2.0 if self.cost == "cosine" else None,
        )
