"""Optimal transport between two texts: word costs and the plan that moves them.

Pure TensorFlow. The steps of the solver and their derivative are in `proximal`.
"""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

import tensorflow as tf

from cane_gane.transport.adjoint import backward, through_last_step
from cane_gane.transport.problem import Problem
from cane_gane.transport.proximal import Solution, forward

Gradient = Literal["full", "last_step", "none"]
Given: TypeAlias = tf.Tensor | None


def cosine_cost(source: tf.Tensor, target: tf.Tensor) -> tf.Tensor:
    """One minus the cosine of every pair of word vectors, the paper's c(x, y).

    A zero vector has cosine 0 with every other one, and the gradient 0.

    Args:
        source: Word vectors of one text, `[batch, n, p]`.
        target: Word vectors of the other text, `[batch, m, p]`.

    Returns:
        Costs between 0 and 2, `[batch, n, m]`.
    """
    source, target = tf.convert_to_tensor(source), tf.convert_to_tensor(target)
    cosine = tf.matmul(_unit(source), _unit(target), transpose_b=True)
    return tf.cast(1 - cosine, source.dtype)


def euclidean_cost(source: tf.Tensor, target: tf.Tensor) -> tf.Tensor:
    """Squared distance of every pair of word vectors, the paper's ||x - y||^2.

    Args:
        source: Word vectors of one text, `[batch, n, p]`.
        target: Word vectors of the other text, `[batch, m, p]`.

    Returns:
        Costs of at least 0, `[batch, n, m]`.
    """
    source, target = tf.convert_to_tensor(source), tf.convert_to_tensor(target)
    x, y = _at_least_float32(source), _at_least_float32(target)
    x_square = tf.reduce_sum(x * x, -1, keepdims=True)
    y_square = tf.expand_dims(tf.reduce_sum(y * y, -1), -2)
    cost = x_square + y_square - 2 * tf.matmul(x, y, transpose_b=True)
    return tf.cast(tf.maximum(cost, 0), source.dtype)


@tf.autograph.experimental.do_not_convert
def ipot(
    cost: tf.Tensor,
    source_mask: Given = None,
    target_mask: Given = None,
    *,
    source_weights: Given = None,
    target_weights: Given = None,
    beta: float = 0.5,
    iterations: int = 50,
    inner_iterations: int = 1,
    gradient: Gradient = "last_step",
    cost_range: float | None = None,
    for_xla: bool = False,
) -> tf.Tensor:
    """The transport plan of a batch of costs, by inexact proximal point steps.

    Algorithm 1 of the paper, for D_c = inf_T sum_ij T_ij C_ij (the paper's optimal
    transport problem). Its symbols: C is `cost`, A = exp(-C / beta) the kernel, T the
    plan, delta and sigma the scalings of rows and columns, n and m the numbers of
    source and target words, 1 / beta the step size, t counts the `iterations`, k and
    K the `inner_iterations`:

        Q = A * T,  delta = 1 / (n Q sigma),  sigma = 1 / (m Q' delta),
        T = diag(delta) Q diag(sigma)

    Beyond the paper, words have masks and may have weights in place of 1 / n and 1 / m;
    T starts as their product, so that a word of twice the weight has the summed plan of
    two equal words. Each step ends with sigma, so columns sum to their weights after
    every step, rows only in the limit. If entries of the plan would underflow between
    the steps, which depends on the spread of C / beta, float64 or the log domain is
    used instead. 16-bit costs are solved in float32.

    Args:
        cost: Costs C, `[batch, n, m]`. Masked entries may hold anything.
        source_mask: True at real words, `[batch, n]`; all are by default.
        target_mask: The same for the target, `[batch, m]`.
        source_weights: Mass of each source word, `[batch, n]`, 1 / (number of real
            words) by default. Ignored where masked; both sides should sum to the
            same. A word of weight 0 counts as masked.
        target_weights: The same for the target, `[batch, m]`.
        beta: Inverse step size: the smaller, the closer to the exact plan.
        iterations: The number of proximal steps.
        inner_iterations: Scalings in each step, K; 1 in the paper.
        gradient: `"full"` differentiates through all steps, with memory for a few plans
            and `iterations` pairs of vectors; `"last_step"` holds the plan and sigma
            that enter the last step constant; `"none"` holds the whole plan constant.
            There are no second derivatives.
        cost_range: The largest cost, if it is known and no cost is below 0, including
            masked entries: 2 for the cosine. The form of the steps is then chosen in
            advance, and nothing has to be masked between them.
        for_xla: Whether XLA will compile this: then steps with more products are
            faster, since XLA fuses them.

    Returns:
        Plans in the type of `cost`, `[batch, n, m]`, exactly 0 where masked, and
        everywhere if one of the two texts has no words.

    Raises:
        ValueError: An argument is out of its range or has another rank.
    """
    if gradient not in get_args(Gradient):
        names = ", ".join(get_args(Gradient))
        raise ValueError(f"gradient must be one of {names}; received {gradient!r}")
    if not beta > 0:
        raise ValueError(f"beta must be above 0; received {beta!r}")
    counts = {"iterations": iterations, "inner_iterations": inner_iterations}
    for name, count in counts.items():
        if count < 1:
            raise ValueError(f"{name} must be at least 1; received {count!r}")
    cost = tf.convert_to_tensor(cost)
    _check_shape("cost", cost.shape, [None, None, None])
    batch, n, m = cost.shape
    dtype = _at_least_float32(cost).dtype
    mu = _word_mass("source", source_mask, source_weights, tf.shape(cost)[:2], dtype)
    nu = _word_mass("target", target_mask, target_weights, tf.shape(cost)[::2], dtype)
    sides = (source_mask, target_mask, source_weights, target_weights)
    masked = any(side is not None for side in sides)
    _check_shape("source mask and weights", mu.shape, [batch, n])
    _check_shape("target mask and weights", nu.shape, [batch, m])

    def solve(
        cost: tf.Tensor, mu: tf.Tensor, nu: tf.Tensor, record: bool
    ) -> tuple[Problem, Solution]:
        cost = tf.cast(cost, dtype)
        problem = Problem.build(cost, mu, nu, beta, masked, cost_range)
        counts = (iterations, inner_iterations)
        return problem, forward(problem, *counts, record, powers=not for_xla)

    @tf.custom_gradient
    def differentiable(cost: tf.Tensor, mu: tf.Tensor, nu: tf.Tensor) -> tf.Tensor:
        through_all = gradient == "full"
        single = not through_all and inner_iterations == 1
        problem, solution = solve(cost, mu, nu, record=not single)

        def grad(upstream: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
            run = (problem, solution, tf.cast(upstream, dtype))
            if single:
                by_scaled, by_mu, by_nu = through_last_step(*run)
            else:
                by_scaled, by_mu, by_nu = backward(*run, inner_iterations, through_all)
            return tf.saturate_cast(by_scaled / beta, cost.dtype), by_mu, by_nu

        return tf.cast(solution.plan, cost.dtype), grad

    if gradient == "none":
        cost, mu, nu = map(tf.stop_gradient, (cost, mu, nu))
        _, solution = solve(cost, mu, nu, record=False)
        return tf.cast(solution.plan, cost.dtype)
    return differentiable(cost, mu, nu)


def _unit(vectors: tf.Tensor) -> tf.Tensor:
    vectors = _at_least_float32(vectors)
    square = tf.reduce_sum(vectors * vectors, -1, keepdims=True)
    some = square > 0
    return vectors * tf.where(some, tf.math.rsqrt(tf.where(some, square, 1)), 0)


def _at_least_float32(values: tf.Tensor) -> tf.Tensor:
    return values if values.dtype == tf.float64 else tf.cast(values, tf.float32)


def _word_mass(
    side: str, mask: Given, weights: Given, shape: tf.Tensor, dtype: tf.DType
) -> tf.Tensor:
    """The mass of each word, 0 where masked, `[batch, length]`."""
    mask = tf.ones(shape, tf.bool) if mask is None else tf.cast(mask, tf.bool)
    _check_shape(f"{side}_mask", mask.shape, [None, None])
    if weights is None:
        real = tf.cast(mask, dtype)
        return tf.math.divide_no_nan(real, tf.reduce_sum(real, 1, keepdims=True))
    weights = tf.cast(weights, dtype)
    _check_shape(f"{side}_weights", weights.shape, [None, None])
    return tf.where(mask, weights, 0)


def _check_shape(name: str, shape: tf.TensorShape, expected: list[int | None]) -> None:
    if not shape.is_compatible_with(expected):
        raise ValueError(f"{name} must have shape {expected}; received {shape}")
