"""The derivative of the steps in `proximal`: sweep by sweep, from the last one back.

The plan of each sweep is recomputed from its potentials, T = exp(-t X + f + g), so that
memory holds only a few plans for any number of steps.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import tensorflow as tf

from cane_gane.transport.problem import Problem, log_weights
from cane_gane.transport.proximal import KERNEL_SPREAD, MOST_CHANGE, Solution

Derivatives = tuple[tf.Tensor, tf.Tensor, tf.Tensor]


def backward(
    problem: Problem, solution: Solution, upstream: tf.Tensor, inner: int, through: bool
) -> Derivatives:
    """Derivatives of sum(upstream * plan) by X, `mu` and `nu`.

    Args:
        problem: The problem that was solved.
        solution: Its recorded solution.
        upstream: Derivative by the plan, `[batch, n, m]`.
        inner: The scalings in each step of the run, K.
        through: False holds the inputs of the last step constant.

    Returns:
        The derivatives by X, `[batch, n, m]`, by the source weights, `[batch, n]`, and
        by the target weights, `[batch, m]`.
    """
    dtype = problem.scaled.dtype

    def run(inside: tf.DType) -> tuple[tf.Tensor, ...]:
        reverse = _Reverse(problem.cast(inside), solution, inner, through)
        by_x, by_mu, by_nu = reverse.run(tf.cast(upstream, inside))
        by_x = problem.mask(by_x)
        return tuple(tf.cast(x, dtype) for x in (by_x, by_mu[:, :, 0], by_nu[:, 0, :]))

    if dtype == tf.float64:
        return run(dtype)
    near, far = partial(run, tf.float32), partial(run, tf.float64)
    return problem.spread_within(KERNEL_SPREAD[tf.float64], near, far)


def through_last_step(
    problem: Problem, solution: Solution, upstream: tf.Tensor
) -> Derivatives:
    """`backward` with the inputs of the last step constant, if that has one sweep.

    It needs no potentials: the last plan and the change of sigma are enough.
    """
    by_log = solution.plan * upstream
    by_nu = tf.math.divide_no_nan(tf.reduce_sum(by_log, 1, keepdims=True), problem.nu)
    by_f = tf.reduce_sum(by_log, 2, keepdims=True)
    by_f -= tf.matmul(solution.plan, by_nu, transpose_b=True)
    by_mu = tf.math.divide_no_nan(by_f, problem.mu)
    by_x = solution.plan * (by_nu + by_mu * solution.ratio - upstream)
    return by_x, by_mu[:, :, 0], by_nu[:, 0, :]


class _Adjoint(NamedTuple):
    """Derivatives by X, the weights, f and g of a sweep, and g one step earlier."""

    x: tf.Tensor
    mu: tf.Tensor
    nu: tf.Tensor
    f: tf.Tensor
    g: tf.Tensor
    earlier_g: tf.Tensor


class _Reverse:
    """Walks the sweeps backwards."""

    def __init__(
        self, problem: Problem, solution: Solution, inner: int, through_all: bool
    ) -> None:
        self.problem, self.inner, self.through_all = problem, inner, through_all
        self.plan, self.f = tf.cast(solution.plan, problem.scaled.dtype), solution.f
        self.steps = tf.shape(self.f)[0] // inner
        self.log_nu = log_weights(problem.nu)
        # g is log nu before the first step and one step earlier: gs[r + inner + 1] is g
        # of sweep r
        start = tf.repeat(tf.cast(self.log_nu, tf.float64)[None], inner + 1, 0)
        self.g = tf.concat([start, solution.g], 0)

    def run(self, upstream: tf.Tensor) -> Derivatives:
        """Derivatives by X, `mu` and `nu`, each of the shape of its variable."""
        by_log = self.plan * upstream
        rows, columns = tf.zeros_like(self.problem.mu), tf.zeros_like(self.problem.nu)
        start = _Adjoint(
            x=-by_log * self._times(self.steps),
            mu=rows,
            nu=columns,
            f=tf.reduce_sum(by_log, 2, keepdims=True),
            g=tf.reduce_sum(by_log, 1, keepdims=True),
            earlier_g=columns,
        )
        last = self.steps * self.inner - 1
        first = 0 if self.through_all else (self.steps - 1) * self.inner
        _, adjoint = tf.while_loop(lambda r, _: r >= first, self._sweep, (last, start))
        by_nu = adjoint.nu
        if self.through_all:
            start = adjoint.g + adjoint.earlier_g
            by_nu += tf.math.divide_no_nan(start, self.problem.nu)
        return adjoint.x, adjoint.mu, by_nu

    def _times(self, step: tf.Tensor) -> tf.Tensor:
        """How often X enters the plan of a step, except where it is held constant."""
        return tf.cast(step if self.through_all else 1, self.plan.dtype)

    def _sweep(self, r: tf.Tensor, after: _Adjoint) -> tuple[tf.Tensor, _Adjoint]:
        step, opens = r // self.inner + 1, tf.equal(r % self.inner, 0)
        plan, ratio = self._recompute(r, step, opens)
        by_nu = tf.math.divide_no_nan(after.g, self.problem.nu)
        by_f = after.f - tf.matmul(plan, by_nu, transpose_b=True)
        by_mu = tf.math.divide_no_nan(by_f, self.problem.mu)
        by_start = -ratio * tf.matmul(by_mu, plan, transpose_a=True)
        return r - 1, _Adjoint(
            x=after.x + self._times(step) * plan * (by_nu + by_mu * ratio),
            mu=after.mu + by_mu,
            nu=after.nu + by_nu,
            f=tf.zeros_like(by_f),
            g=tf.where(opens, 2 * by_start + after.earlier_g, by_start),
            earlier_g=tf.where(opens, -by_start, after.earlier_g),
        )

    def _recompute(
        self, r: tf.Tensor, step: tf.Tensor, opens: tf.Tensor
    ) -> tuple[tf.Tensor, tf.Tensor]:
        """The plan after a sweep, and exp(g' - g) of it, bounded against rounding."""
        f, g = self.f[r], self.g[r + self.inner + 1]
        before, earlier = self.g[r + self.inner], self.g[r]
        start = tf.where(opens, 2 * before - earlier, before)
        dtype = self.plan.dtype
        log_plan = tf.cast(f, dtype) + tf.cast(g, dtype)
        log_plan -= tf.cast(step, dtype) * self.problem.scaled
        plan = tf.exp(tf.minimum(log_plan, self.log_nu))
        ratio = tf.exp(tf.cast(tf.minimum(start - g, MOST_CHANGE), dtype))
        return self.problem.mask(plan), ratio
