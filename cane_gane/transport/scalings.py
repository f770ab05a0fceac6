"""The forms of a step: by products, powers or logarithms."""

from __future__ import annotations

from typing import NamedTuple

import tensorflow as tf

from cane_gane.transport.problem import Problem, log_weights

_LOG_OF_NOTHING = -1e30


class State(NamedTuple):
    """The state of a run: the plan is diag(delta) Q diag(sigma).

    Attributes:
        q: Q of the paper, `[batch, n, m]`.
        delta: Row scalings, `[batch, n, 1]`.
        sigma: Column scalings, `[batch, 1, m]`.
        carried: sigma of the last step alone, from which the next step starts.
    """

    q: tf.Tensor
    delta: tf.Tensor
    sigma: tf.Tensor
    carried: tf.Tensor


class KernelForm:
    """Algorithm 1 as written: products of scalings and matrix-vector products."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.factor = tf.exp(-problem.scaled)

    def start(self) -> State:
        """T = mu nu' and a constant sigma, whose value cancels.

        Algorithm 1 starts from T = 1, which is equivalent for words of equal weight.
        For other weights, this start gives the plan of a text in which words repeat.
        """
        mu, nu = self.problem.mu, self.problem.nu
        return State(tf.ones_like(self.factor), mu, nu, tf.ones_like(nu))

    def rounds(self, iterations: int) -> list[int]:
        """How many steps to take between two calls of `absorb`."""
        return [iterations]

    def absorb(self, state: State) -> State:
        """The same state, made safe for the steps of a round."""
        return state

    def plan(self, state: State) -> tf.Tensor:
        """T = diag(delta) Q diag(sigma)."""
        return state.q * (state.delta * state.sigma)

    def advance(self, state: State) -> State:
        """Starts a step: the next Q = A * T, with the sigma that it starts from."""
        q = state.q * self.factor * (state.delta * state.sigma)
        return state._replace(q=q, sigma=state.carried)

    def sweep(self, state: State, before: State) -> State:
        """Scales rows, then columns; `before` is where the step began."""
        state = self._scale(state)
        return state._replace(carried=state.sigma)

    def _scale(self, state: State) -> State:
        rows = tf.matmul(state.q, state.sigma, transpose_b=True)
        delta = tf.math.divide_no_nan(self.problem.mu, rows)
        columns = tf.matmul(delta, state.q, transpose_a=True)
        sigma = tf.math.divide_no_nan(self.problem.nu, columns)
        return state._replace(delta=delta, sigma=sigma)

    def logarithm(self, scaling: tf.Tensor) -> tf.Tensor:
        """The logarithm of delta or sigma; 0 where masked."""
        return log_weights(scaling)


class PowerForm(KernelForm):
    """The same with Q = A * A * …, so that a step takes one product over the plan.

    After t steps T = diag(delta) A^t diag(sigma), where A^t is the power of each entry
    and delta and sigma collect the scalings of all steps. That works until A^t
    approaches the underflow of the type; then `absorb` restarts from the plan. The
    spread must be known in advance.
    """

    def rounds(self, iterations: int) -> list[int]:
        """Equal rounds, each short enough for the exponents of the type."""
        limit = 600 if self.factor.dtype == tf.float64 else 64
        longest = max(1, int(limit / max(self.problem.spread, 1.0)))
        count = -(-iterations // longest)
        return [(iterations + i) // count for i in range(count)]

    def advance(self, state: State) -> State:
        """Starts a step: the next power of A."""
        q = state.q * self.factor
        return state._replace(q=q, sigma=state.sigma * state.carried)

    def sweep(self, state: State, before: State) -> State:
        """Scales rows, then columns."""
        state = self._scale(state)
        carried = tf.math.divide_no_nan(state.sigma, before.sigma)
        return state._replace(carried=carried)

    def absorb(self, state: State) -> State:
        """The same state with the scalings moved into Q."""
        delta, sigma = tf.ones_like(state.delta), tf.ones_like(state.sigma)
        return State(self.plan(state), delta, sigma, state.carried)


class LogForm(KernelForm):
    """The same in logarithms: q, delta and sigma hold those of Q, delta and sigma."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.log_mu, self.log_nu = log_weights(problem.mu), log_weights(problem.nu)

    def start(self) -> State:
        """T = mu nu' and a constant sigma, whose value cancels."""
        mu, nu = self.problem.mu, self.problem.nu
        delta = tf.where(mu > 0, self.log_mu, _LOG_OF_NOTHING)
        sigma = tf.where(nu > 0, self.log_nu, _LOG_OF_NOTHING)
        carried = tf.where(nu > 0, tf.zeros_like(sigma), sigma)
        return State(tf.zeros_like(self.problem.scaled), delta, sigma, carried)

    def plan(self, state: State) -> tf.Tensor:
        """T = diag(delta) Q diag(sigma)."""
        return self.problem.mask(tf.exp(state.q + (state.delta + state.sigma)))

    def advance(self, state: State) -> State:
        """Starts a step: Q = A * T."""
        q = state.q - self.problem.scaled + (state.delta + state.sigma)
        q = self.problem.mask(q, _LOG_OF_NOTHING)
        return state._replace(q=q, sigma=state.carried)

    def sweep(self, state: State, before: State) -> State:
        """Scales rows, then columns."""
        delta = self.log_mu - _log_sum_exp(state.q + state.sigma, 2)
        delta = tf.where(self.problem.mu > 0, delta, _LOG_OF_NOTHING)
        sigma = self.log_nu - _log_sum_exp(state.q + delta, 1)
        sigma = tf.where(self.problem.nu > 0, sigma, _LOG_OF_NOTHING)
        return State(state.q, delta, sigma, sigma)

    def logarithm(self, scaling: tf.Tensor) -> tf.Tensor:
        """The logarithm of delta or sigma; 0 where masked."""
        return tf.where(scaling > _LOG_OF_NOTHING / 2, scaling, 0)


def _log_sum_exp(values: tf.Tensor, axis: int) -> tf.Tensor:
    """`tf.reduce_logsumexp` for finite values, without its handling of others."""
    top = tf.reduce_max(values, axis, keepdims=True)
    return top + tf.math.log(tf.reduce_sum(tf.exp(values - top), axis, keepdims=True))
