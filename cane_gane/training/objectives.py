"""The loss that training minimises, given the four inner products of pairs of nodes.

The inner products of a pair (source, target) are on the last axis of every tensor of
terms: text with text (ss), structure with structure (tt), structure of the source with
text of the target (ts), text of the source with structure of the target (st).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Self

import keras
import tensorflow as tf


class Objective(ABC):
    """The loss of edges and their negatives."""

    def __init__(self, weights: Sequence[float], epsilon: float = 0.0) -> None:
        """Takes the weights of the terms.

        Args:
            weights: The weights of ss, tt, ts and st; upstream's rho1, rho2, rho3,
                rho3. The paper has ones.
            epsilon: Added inside the logarithms; upstream has 0.001, which bounds the
                loss of a pair.
        """
        self.weights = tuple(weights)
        self.epsilon = epsilon

    @abstractmethod
    def __call__(self, positive: tf.Tensor, negative: tf.Tensor) -> tf.Tensor:
        """Returns the loss of each edge, `[b]`.

        Args:
            positive: Terms of the edges, `[b, 4]`.
            negative: Terms of each source with its negatives, `[b, K, 4]`.
        """

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments from which `from_config` builds the same objective."""
        return {"weights": list(self.weights), "epsilon": self.epsilon}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """Builds the objective that `get_config` describes."""
        return cls(**config)

    def _weighted(self, terms: tf.Tensor) -> tf.Tensor:
        return terms * tf.constant(self.weights, terms.dtype)

    def _log_sigmoid(self, x: tf.Tensor) -> tf.Tensor:
        if self.epsilon:
            return tf.math.log(tf.sigmoid(x) + self.epsilon)
        return tf.math.log_sigmoid(x)


@keras.saving.register_keras_serializable(package="cane_gane")
class Terms(Objective):
    """CANE's objective: a separate log-sigmoid for each inner product.

    The loss of an edge is the weighted sum of -log(sigmoid(x) + epsilon) over
    its terms and of -log(sigmoid(-x) + epsilon) over those of its negatives.
    """

    def __call__(self, positive: tf.Tensor, negative: tf.Tensor) -> tf.Tensor:
        """Returns the loss of each edge; see `Objective`."""
        near = self._weighted(self._log_sigmoid(positive))
        far = self._weighted(self._log_sigmoid(-negative))
        return -(tf.reduce_sum(near, 1) + tf.reduce_sum(far, [1, 2]))


@keras.saving.register_keras_serializable(package="cane_gane")
class Likelihood(Objective):
    """The paper's objective: one log-sigmoid over the weighted sum of the terms."""

    def __call__(self, positive: tf.Tensor, negative: tf.Tensor) -> tf.Tensor:
        """Returns the loss of each edge; see `Objective`."""
        near = self._log_sigmoid(tf.reduce_sum(self._weighted(positive), -1))
        far = self._log_sigmoid(-tf.reduce_sum(self._weighted(negative), -1))
        return -(near + tf.reduce_sum(far, 1))


OBJECTIVES: Mapping[str, type[Objective]] = {"terms": Terms, "likelihood": Likelihood}
