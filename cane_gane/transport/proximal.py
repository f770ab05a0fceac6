"""The proximal point steps behind `transport.ipot`.

With X = C / beta the plan after step t is T = exp(-t X + f + g), where the potentials
f and g are the logarithms of all row and column scalings so far. A sweep sets
f = log mu - log sum_j exp(-t X + g'), then g = log nu - log sum_i exp(-t X + f). Its
start g' is the g before, and at the first sweep of a step the line through the g of
the two steps before, since sigma is carried over from step to step. Only f and g of a
run are recorded, for its derivative in `adjoint`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import tensorflow as tf

from cane_gane.transport.problem import Problem, log_weights
from cane_gane.transport.scalings import KernelForm, LogForm, PowerForm, State

# Up to this spread of X, products of a whole run keep every relevant entry above the
# underflow of the type; found by comparison with the log domain.
KERNEL_SPREAD = {tf.float32: 5.0, tf.float64: 36.0}
# The largest logarithm of a change of sigma for which a derivative is computed.
MOST_CHANGE = 50.0


class Solution(NamedTuple):
    """The plan and what its derivative needs.

    Attributes:
        plan: `[batch, n, m]`.
        ratio: sigma at the start of the last step divided by sigma at its end,
            `[batch, 1, m]`.
        f: Row potentials after each sweep, float64, `[sweeps, batch, n, 1]`; empty if
            they were not recorded.
        g: Column potentials likewise, `[sweeps, batch, 1, m]`.
    """

    plan: tf.Tensor
    ratio: tf.Tensor
    f: tf.Tensor
    g: tf.Tensor


class History(NamedTuple):
    """Potentials: those at the end of the previous step, and of all sweeps so far."""

    f: tf.Tensor
    g: tf.Tensor
    fs: tf.TensorArray
    gs: tf.TensorArray

    @classmethod
    def empty(cls, mu: tf.Tensor, nu: tf.Tensor, sweeps: int) -> History:
        """Logarithms of the weights; float64, since potentials grow with the steps."""
        start = [log_weights(tf.cast(x, tf.float64)) for x in (mu, nu)]
        arrays = [
            tf.TensorArray(tf.float64, sweeps, element_shape=x.shape).unstack(
                tf.zeros(tf.concat([[sweeps], tf.shape(x)], 0), tf.float64)
            )
            for x in start
        ]
        return cls(*start, *arrays)

    def add(self, sweep: tf.Tensor, f: tf.Tensor, g: tf.Tensor) -> History:
        """Records the potentials of a sweep."""
        return History(f, g, self.fs.write(sweep, f), self.gs.write(sweep, g))


def forward(
    problem: Problem, iterations: int, inner: int, record: bool, *, powers: bool
) -> Solution:
    """Solves in the cheapest form that is safe for the spread of the costs."""
    dtype = problem.scaled.dtype
    # Potentials are recorded as the increments of each step, which powers do not have.
    known = isinstance(problem.spread, float)
    products = PowerForm if powers and known and not record else KernelForm

    def run(form: type[KernelForm], inside: tf.DType) -> Solution:
        solution = iterate(form(problem.cast(inside)), iterations, inner, record)
        plan, ratio = (tf.cast(x, dtype) for x in (solution.plan, solution.ratio))
        return solution._replace(plan=plan, ratio=ratio)

    def in_float64() -> Solution:
        near, far = (partial(run, form, tf.float64) for form in (products, LogForm))
        return problem.spread_within(KERNEL_SPREAD[tf.float64], near, far)

    if dtype == tf.float64:
        return in_float64()
    in_float32 = partial(run, products, tf.float32)
    return problem.spread_within(KERNEL_SPREAD[tf.float32], in_float32, in_float64)


def iterate(form: KernelForm, iterations: int, inner: int, record: bool) -> Solution:
    """Takes the steps in one form, for any spread of the costs."""
    history: Any = ()
    if record:
        problem = form.problem
        history = History.empty(problem.mu, problem.nu, iterations * inner)

    def step(t: tf.Tensor, before: State, history: Any, _: Any) -> tuple[Any, ...]:
        opened, past = form.advance(before), history

        def sweep(k: tf.Tensor, state: State, history: Any) -> tuple[Any, ...]:
            state = form.sweep(state, before)
            if record:
                f = past.f + tf.cast(form.logarithm(state.delta), tf.float64)
                g = past.g + tf.cast(form.logarithm(state.sigma), tf.float64)
                history = history.add(t * inner + k, f, g)
            return k + 1, state, history

        _, state, history = _repeat(sweep, (0, opened, history), inner)
        return t + 1, state, history, before.carried

    state = form.start()
    t, carried = 0, state.carried
    for count in form.rounds(iterations):
        begin = (t, form.absorb(state), history, carried)
        t, state, history, carried = _repeat(step, begin, count)
    change = form.logarithm(carried) - form.logarithm(state.carried)
    ratio = tf.exp(tf.minimum(change, MOST_CHANGE))
    nothing = tf.zeros([0], tf.float64)
    potentials = (history.fs.stack(), history.gs.stack()) if record else (nothing,) * 2
    return Solution(form.plan(state), ratio, *potentials)


def _repeat(
    body: Callable[..., tuple[Any, ...]], start: tuple[Any, ...], times: int
) -> tuple[Any, ...]:
    if times == 1:
        return body(*start)
    return tf.while_loop(lambda *_: True, body, start, maximum_iterations=times)
