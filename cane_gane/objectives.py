"""What training minimises, given the four inner products of pairs of nodes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt
import tensorflow as tf

# The inner products of a pair (source, target), in the order of the last axis of
# every tensor of terms: text with text, structure with structure, structure of
# the source with text of the target, text of the source with that structure.
TERMS = ("ss", "tt", "ts", "st")

Objective = Callable[[tf.Tensor, tf.Tensor], tf.Tensor]


def terms(weights: Sequence[float], epsilon: float = 0.0) -> Objective:
    """CANE's objective: a log-sigmoid for each inner product on its own.

    The loss of an edge is the weighted sum of -log(sigmoid(x) + epsilon) over
    its terms and of -log(sigmoid(-x) + epsilon) over those of its negatives.

    Args:
        weights: The weights of `TERMS`; upstream's rho1, rho2, rho3, rho3.
        epsilon: What is added inside the logarithm; upstream has 0.001, which
            bounds the loss of a pair.

    Returns:
        A function of positive `[b, 4]` and negative `[b, K, 4]` terms that gives
        the loss of each edge, `[b]`.
    """
    factors = np.array(weights)

    def loss(positive: tf.Tensor, negative: tf.Tensor) -> tf.Tensor:
        near = _weighted(_log_sigmoid(positive, epsilon), factors)
        far = _weighted(_log_sigmoid(-negative, epsilon), factors)
        return -(tf.reduce_sum(near, 1) + tf.reduce_sum(far, [1, 2]))

    return loss


def likelihood(weights: Sequence[float], epsilon: float = 0.0) -> Objective:
    """The paper's objective: one log-sigmoid over the sum of the inner products.

    Args:
        weights: The weights of `TERMS` in the sum; the paper has ones.
        epsilon: As in `terms`.

    Returns:
        A function as in `terms`.
    """
    factors = np.array(weights)

    def loss(positive: tf.Tensor, negative: tf.Tensor) -> tf.Tensor:
        near = _log_sigmoid(tf.reduce_sum(_weighted(positive, factors), -1), epsilon)
        far = _log_sigmoid(-tf.reduce_sum(_weighted(negative, factors), -1), epsilon)
        return -(near + tf.reduce_sum(far, 1))

    return loss


OBJECTIVES: Mapping[str, Callable[[Sequence[float], float], Objective]] = {
    "terms": terms,
    "likelihood": likelihood,
}


def _weighted(terms: tf.Tensor, factors: npt.NDArray[np.float64]) -> tf.Tensor:
    return terms * tf.constant(factors, terms.dtype)


def _log_sigmoid(x: tf.Tensor, epsilon: float) -> tf.Tensor:
    if epsilon:
        return tf.math.log(tf.sigmoid(x) + epsilon)
    return tf.math.log_sigmoid(x)
