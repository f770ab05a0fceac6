"""Weights that rank the first of each list first: a softmax, by Newton's method."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

Floats = npt.NDArray[np.floating]


def fit_weights(features: Floats, counts: Floats, shrinkage: float) -> Floats:
    """Returns the weights that make the first of each list most likely, `[features]`.

    Args:
        features: `[lists, candidates, features]`.
        counts: Log of how many nodes a candidate stands for, `[lists, candidates]`.
        shrinkage: The cost of the squared weights, with features scaled to spread 1.
    """
    centred = (features - features.mean(axis=(0, 1))).astype(np.float32)
    scale = centred.std(axis=(0, 1))
    scale[scale < 1e-6] = np.inf  # a constant feature gets weight 0
    centred /= scale
    fitted = Softmax(centred, counts, shrinkage)
    start = np.zeros(len(scale))
    found = minimize(
        fitted.value, start, jac=fitted.slope, hess=fitted.curvature,
        method="trust-exact", options={"gtol": 1e-4},
    )  # fmt: skip
    return np.asarray(found.x / scale)


class Softmax:
    """The cross-entropy of the first of each list, as a function of the weights.

    It is the mean over lists of -log of the share that a softmax over the weighted
    sums gives to the first, plus `shrinkage` times the squares of the weights.
    """

    def __init__(self, features: Floats, counts: Floats, shrinkage: float) -> None:
        """Takes the arguments of `fit_weights`, with features of mean 0."""
        self._features, self._counts = features, counts
        self._shrinkage = shrinkage
        self._asked: bytes | None = None

    def _at(self, weights: Floats) -> tuple[float, Floats]:
        """Returns the loss without shrinkage and all shares; caches the last call."""
        if self._asked != weights.tobytes():
            scores = self._features @ weights.astype(np.float32) + self._counts
            scores -= scores.max(axis=1, keepdims=True)
            shares = np.exp(scores)
            sums = shares.sum(axis=1, keepdims=True)
            loss = float((np.log(sums[:, 0]) - scores[:, 0]).mean(dtype=np.float64))
            self._asked, self._found = weights.tobytes(), (loss, shares / sums)
        return self._found

    def value(self, weights: Floats) -> float:
        """Returns the loss."""
        return self._at(weights)[0] + self._shrinkage * float(weights @ weights)

    def _expected(self, weights: Floats) -> Floats:
        """Returns the features of each list, averaged by share, `[lists, features]`."""
        return np.einsum("lc,lcf->lf", self._at(weights)[1], self._features)

    def slope(self, weights: Floats) -> Floats:
        """Returns the gradient, `[features]`."""
        gaps = self._expected(weights) - self._features[:, 0]
        return gaps.mean(axis=0, dtype=np.float64) + 2 * self._shrinkage * weights

    def curvature(self, weights: Floats) -> Floats:
        """Returns the Hessian, `[features, features]`."""
        lists, _, count = self._features.shape
        weighed = np.sqrt(self._at(weights)[1])[..., None] * self._features
        flat = weighed.reshape(-1, count)
        expected = self._expected(weights)
        found = (flat.T @ flat - expected.T @ expected) / lists
        return found.astype(np.float64) + 2 * self._shrinkage * np.eye(count)
