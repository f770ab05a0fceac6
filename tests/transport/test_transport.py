"""The solver against a linear programme, network simplex, numpy and differences."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import ot
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from cane_gane.transport import cosine_cost, euclidean_cost, ipot
from cane_gane.transport.problem import Problem
from cane_gane.transport.proximal import KERNEL_SPREAD, iterate
from cane_gane.transport.scalings import KernelForm, LogForm

# Traced once for each set of options: pays from a few hundred steps on.
solve = tf.function(ipot, autograph=False)
MODES = ("full", "last_step", "none")


@pytest.fixture
def rng():
    return np.random.default_rng(7)


def word_costs(rng, batch=4, n=12, m=9, width=50):
    source = tf.constant(rng.normal(size=(batch, n, width)))
    target = tf.constant(rng.normal(size=(batch, m, width)))
    return cosine_cost(source, target).numpy()


def algorithm_1(cost, beta=0.5, iterations=50, inner_iterations=1):
    n, m = cost.shape
    kernel, plan, sigma = np.exp(-cost / beta), np.ones((n, m)), np.full(m, 1 / m)
    for _ in range(iterations):
        q = kernel * plan
        for _ in range(inner_iterations):
            delta = 1 / (n * (q @ sigma))
            sigma = 1 / (m * (q.T @ delta))
        plan = np.diag(delta) @ q @ np.diag(sigma)
    return plan


def exact_plan(cost):
    n, m = cost.shape
    return ot.emd(np.full(n, 1 / n), np.full(m, 1 / m), cost)


def linear_programme(cost):
    n, m = cost.shape
    rows, columns = np.kron(np.eye(n), np.ones(m)), np.kron(np.ones(n), np.eye(m))
    sums = np.concatenate([np.full(n, 1 / n), np.full(m, 1 / m)])
    return linprog(cost.ravel(), A_eq=np.vstack([rows, columns]), b_eq=sums).fun


def gradients(cost, weight, run=ipot, **options):
    """Derivative of sum(weight * plan) by the cost, and by the weights if given."""
    names = [name for name in options if name.endswith("weights")]
    values = [tf.convert_to_tensor(x) for x in (cost, *map(options.pop, names))]
    with tf.GradientTape() as tape:
        tape.watch(values)
        sides = dict(zip(names, values[1:], strict=True))
        plan = run(values[0], **sides, **options)
        loss = tf.reduce_sum(tf.cast(weight, plan.dtype) * plan)
    return tape.gradient(loss, values)


# --- against references


@pytest.mark.parametrize("inner_iterations", [1, 3])
def test_equals_algorithm_1_in_numpy(rng, inner_iterations):
    costs = word_costs(rng)
    plans = ipot(
        tf.constant(costs, tf.float32), inner_iterations=inner_iterations
    ).numpy()
    expected = [algorithm_1(c, inner_iterations=inner_iterations) for c in costs]
    np.testing.assert_allclose(plans, expected, rtol=0, atol=1e-6)


@pytest.mark.parametrize(("n", "m", "width"), [(5, 7, 10), (30, 30, 100), (20, 9, 20)])
def test_default_cost_is_within_a_hundredth_of_the_linear_programme(rng, n, m, width):
    costs = word_costs(rng, 3, n, m, width)
    ours = np.sum(ipot(tf.constant(costs, tf.float32)).numpy() * costs, (1, 2))
    np.testing.assert_allclose(ours, [linear_programme(c) for c in costs], rtol=0.01)


def test_many_steps_reach_the_network_simplex(rng):
    costs = word_costs(rng, 4, 30, 20)
    ours = np.sum(solve(tf.constant(costs), iterations=2000).numpy() * costs, (1, 2))
    exact = [np.sum(exact_plan(c) * c) for c in costs]
    np.testing.assert_allclose(ours, exact, rtol=1e-4)


def test_assignment_problem_recovers_the_permutation(rng):
    permutation = rng.permutation(15)
    cost = rng.uniform(0.5, 1.5, (15, 15))
    cost[np.arange(15), permutation] = 0.1
    plan = ipot(tf.constant(cost[np.newaxis])).numpy()[0]
    np.testing.assert_array_equal(plan.argmax(1), permutation)


# --- marginals, masks, weights


def test_columns_sum_to_their_weights_at_once(rng):
    plans = ipot(tf.constant(word_costs(rng)), iterations=1).numpy()
    np.testing.assert_allclose(plans.sum(1), 1 / 9, rtol=1e-12)


def test_rows_sum_to_their_weights_in_the_limit(rng):
    plans = solve(tf.constant(word_costs(rng)), iterations=2000).numpy()
    np.testing.assert_allclose(plans.sum(2), 1 / 12, rtol=1e-5)


def test_weights_are_the_marginals(rng):
    mu, nu = rng.dirichlet(np.ones(12), 4), rng.dirichlet(np.ones(9), 4)
    plans = solve(
        tf.constant(word_costs(rng)),
        source_weights=mu,
        target_weights=nu,
        iterations=2000,
    ).numpy()
    np.testing.assert_allclose(plans.sum(2), mu, atol=1e-6)
    np.testing.assert_allclose(plans.sum(1), nu, atol=1e-12)


@given(
    n=st.integers(1, 6),
    m=st.integers(1, 6),
    more=st.integers(0, 3),
    seed=st.integers(0),
)
@settings(deadline=None, max_examples=25)
def test_padding_changes_nothing(n, m, more, seed):
    rng = np.random.default_rng(seed)
    cost = rng.uniform(0, 2, (1, n, m))
    padded = rng.uniform(-9, 9, (1, n + more, m + 2 * more))
    padded[:, :n, :m] = cost
    masks = [np.arange(k + j * more)[np.newaxis] < k for k, j in ((n, 1), (m, 2))]
    plan = ipot(tf.constant(padded), *masks, iterations=5).numpy()
    expected = np.zeros_like(padded)
    expected[:, :n, :m] = ipot(tf.constant(cost), iterations=5)
    np.testing.assert_allclose(plan, expected, rtol=1e-12, atol=0)


@pytest.mark.parametrize("scale", [1, 10, 1e4])
def test_masked_entries_are_exactly_zero(rng, scale):
    costs = tf.constant(scale * word_costs(rng), tf.float32)
    source, target = rng.random((4, 12)) < 0.5, rng.random((4, 9)) < 0.5
    plans = ipot(costs, source, target).numpy()
    outside = ~(source[:, :, np.newaxis] & target[:, np.newaxis, :])
    assert not plans[outside].any()


@pytest.mark.parametrize("scale", [1, 1e4])
def test_an_item_without_words_has_a_plan_of_zeros(rng, scale):
    target = np.ones((4, 9), bool)
    target[2] = False
    plans = ipot(tf.constant(scale * word_costs(rng)), None, target).numpy()
    np.testing.assert_array_equal(plans.any((1, 2)), [True, True, False, True])


def test_batch_equals_a_loop_of_singles(rng):
    costs = word_costs(rng)
    singles = [ipot(tf.constant(c[np.newaxis])).numpy()[0] for c in costs]
    np.testing.assert_allclose(ipot(tf.constant(costs)), singles, rtol=1e-10)


@given(seed=st.integers(0))
@settings(deadline=None, max_examples=20)
def test_permuted_words_permute_the_plan(seed):
    rng = np.random.default_rng(seed)
    costs = word_costs(rng, 1, 6, 5)
    rows, columns = rng.permutation(6), rng.permutation(5)
    permuted = solve(tf.constant(costs[:, rows][:, :, columns])).numpy()
    expected = solve(tf.constant(costs)).numpy()[:, rows][:, :, columns]
    np.testing.assert_allclose(permuted, expected, rtol=1e-8, atol=1e-15)


def test_exchanged_texts_transpose_the_plan_in_the_limit(rng):
    costs = word_costs(rng)
    plans = solve(tf.constant(costs), iterations=3000).numpy()
    exchanged = solve(tf.constant(costs.transpose(0, 2, 1)), iterations=3000).numpy()
    np.testing.assert_allclose(exchanged.transpose(0, 2, 1), plans, atol=1e-5)


# --- sparsity


def test_share_of_large_entries_falls_with_the_steps(rng):
    costs = tf.constant(word_costs(rng, 8, 30, 30))
    shares = [
        np.mean(solve(costs, iterations=steps).numpy() > 1 / (10 * 30 * 30))
        for steps in (1, 10, 50, 200, 1000)
    ]
    assert shares == sorted(shares, reverse=True)
    assert shares[-1] < shares[0] / 5


def test_the_exact_plan_has_fewer_than_n_plus_m_entries(rng):
    costs = word_costs(rng, 4, 30, 20)
    assert all(np.count_nonzero(exact_plan(c)) <= 30 + 20 - 1 for c in costs)


# --- forms


@given(
    spread=st.floats(0.1, KERNEL_SPREAD[tf.float32]),
    kind=st.sampled_from(["random", "line", "binary", "nearly free"]),
    seed=st.integers(0),
)
@settings(deadline=None, max_examples=25)
def test_products_agree_with_the_log_domain_up_to_their_spread(spread, kind, seed):
    rng = np.random.default_rng(seed)
    cost = rng.uniform(0, 1, (2, 20, 20))
    if kind == "line":
        cost = abs(np.sort(cost[:, :, :1], 1) - cost[:, :1] ** 3)
    elif kind == "binary":
        cost = np.float64(cost < 0.5)
    elif kind == "nearly free":
        cost = np.float64(cost < 0.95)
    cost = tf.constant(spread * cost / cost.max())
    weights = tf.fill([2, 20], tf.constant(1 / 20, tf.float64))
    problem = Problem.build(cost, weights, weights, 1.0, masked=False)
    plain = _iterated(KernelForm, problem.cast(tf.float32)).plan.numpy()
    log = _iterated(LogForm, problem).plan.numpy()
    np.testing.assert_allclose(plain, log, atol=1e-5 / 20)


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize(("beta", "iterations"), [(0.5, 20), (0.4, 100), (0.1, 100)])
def test_a_known_range_of_costs_changes_no_plan(rng, beta, iterations, masked):
    vectors = [tf.constant(rng.normal(size=(3, n, 4))) for n in (9, 12)]
    cost = tf.cast(cosine_cost(*vectors), tf.float32)
    masks = [rng.random((3, n)) < 0.7 for n in (9, 12)] if masked else []
    options = {"beta": beta, "iterations": iterations}
    expected = ipot(cost, *masks, **options)
    for known in ({"for_xla": False}, {"for_xla": True}):
        plan = ipot(cost, *masks, **options, **known, cost_range=2.0)
        np.testing.assert_allclose(plan, expected, atol=1e-6)


@tf.function(autograph=False)
def _iterated(form, problem):
    return iterate(form(problem), 100, 1, record=False)


# --- stability

HARD = {
    "1x1": (1, 1, 1.0, 0.5, 50),
    "1x300": (1, 300, 1.0, 0.5, 50),
    "300x1": (300, 1, 1.0, 0.5, 50),
    "300x300": (300, 300, 1.0, 0.5, 10),
    "cost 1e4": (12, 9, 1e4, 0.5, 50),
    "beta 1e-3": (12, 9, 1.0, 1e-3, 50),
    "both": (12, 9, 1e4, 1e-3, 50),
    "500 steps": (12, 9, 1e4, 1e-3, 500),
}


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize("case", HARD.values(), ids=HARD)
def test_hard_plans_are_finite_and_meet_their_columns(rng, case, dtype):
    n, m, scale, beta, iterations = case
    costs = tf.cast(scale * word_costs(rng, 2, n, m) / 2, dtype)
    plans = ipot(costs, beta=beta, iterations=iterations)
    sums = tf.cast(tf.reduce_sum(tf.cast(plans, "float64"), 1), "float64").numpy()
    loose = {"float16": 2e-2, "bfloat16": 2e-2}.get(dtype, 1e-4)
    np.testing.assert_allclose(sums, 1 / m, rtol=loose)


@pytest.mark.parametrize("mode", ["full", "last_step"])
@pytest.mark.parametrize("case", HARD.values(), ids=HARD)
def test_hard_gradients_are_finite(rng, case, mode):
    n, m, scale, beta, iterations = case
    costs = np.float32(scale * word_costs(rng, 2, n, m) / 2)
    source = np.array([[True] * n, [False] * n])
    options = {"beta": beta, "iterations": iterations, "gradient": mode}
    run = solve if iterations > 100 else ipot
    weight = rng.normal(size=costs.shape)
    (gradient,) = gradients(costs, weight, run, source_mask=source, **options)
    assert np.isfinite(gradient).all()


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_gradients_have_the_type_of_the_cost_and_saturate(rng, dtype):
    costs = tf.cast(word_costs(rng), dtype)
    options = {"beta": 1e-3, "gradient": "last_step", "iterations": 5}
    (gradient,) = gradients(costs, 1e4 * rng.normal(size=costs.shape), **options)
    assert gradient.dtype == dtype
    assert np.isfinite(tf.cast(gradient, "float64")).all()


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_the_plan_has_the_type_of_the_cost(rng, dtype):
    assert ipot(tf.cast(word_costs(rng), dtype), iterations=2).dtype == dtype


# --- gradients


def difference(cost, weight, direction, step=1e-6, **options):
    values = [
        np.sum(weight * ipot(tf.constant(cost + sign * step * direction), **options))
        for sign in (1, -1)
    ]
    return (values[0] - values[1]) / (2 * step)


@pytest.mark.parametrize("scale", [1, 100])
@pytest.mark.parametrize(
    ("iterations", "inner_iterations"),
    [(1, 1), (2, 1), (7, 1), (50, 1), (1, 3), (5, 3)],
)
def test_full_gradient_equals_differences(rng, iterations, inner_iterations, scale):
    cost, weight = scale * rng.uniform(0, 1, (2, 5, 4)), rng.normal(size=(2, 5, 4))
    mask = np.arange(5) < np.array([[5], [3]])
    options = {
        "source_mask": mask,
        "iterations": iterations,
        "inner_iterations": inner_iterations,
        "gradient": "full",
    }
    direction = rng.normal(size=cost.shape)
    (gradient,) = gradients(cost, weight, **options)
    expected = difference(cost, weight, direction, **options)
    assert np.sum(gradient * direction) == pytest.approx(expected, rel=1e-4, abs=1e-7)


@pytest.mark.parametrize("side", ["source_weights", "target_weights"])
def test_full_gradient_by_the_weights_equals_differences(rng, side):
    cost, weight = rng.uniform(0, 1, (2, 5, 5)), rng.normal(size=(2, 5, 5))
    masses = rng.dirichlet(np.ones(5), 2)
    direction = masses * rng.normal(size=masses.shape)
    options = {"iterations": 7, "gradient": "full"}
    _, gradient = gradients(cost, weight, **{side: masses}, **options)
    moved = [
        np.sum(weight * ipot(tf.constant(cost), **{side: masses + step}, **options))
        for step in (1e-6 * direction, -1e-6 * direction)
    ]
    expected = (moved[0] - moved[1]) / 2e-6
    assert np.sum(gradient * direction) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("inner_iterations", [1, 3])
def test_last_step_gradient_is_that_of_one_step_from_a_constant_plan(
    rng, inner_iterations
):
    cost, weight = rng.uniform(0, 1, (5, 4)), rng.normal(size=(5, 4))
    plan, sigma = np.ones((5, 4)), np.ones(4)
    for _ in range(6):
        plan, sigma = one_step(cost, plan, sigma, inner_iterations)
    direction = rng.normal(size=cost.shape)
    ends = [
        one_step(cost + step * direction, plan, sigma, inner_iterations)[0]
        for step in (1e-6, -1e-6)
    ]
    options = {"iterations": 7, "inner_iterations": inner_iterations}
    (gradient,) = gradients(cost[np.newaxis], weight, gradient="last_step", **options)
    expected = np.sum(weight * (ends[0] - ends[1])) / 2e-6
    assert np.sum(gradient[0] * direction) == pytest.approx(expected, rel=1e-6)


def one_step(cost, plan, sigma, inner_iterations):
    q = np.exp(-cost / 0.5) * plan
    for _ in range(inner_iterations):
        delta = 1 / (len(q) * (q @ sigma))
        sigma = 1 / (q.shape[1] * (q.T @ delta))
    return delta[:, np.newaxis] * q * sigma, sigma


def test_gradient_none_is_none(rng):
    assert gradients(word_costs(rng), 1.0, gradient="none") == [None]


@pytest.mark.parametrize("mode", ["full", "last_step"])
def test_float32_gradient_is_near_the_float64_one(rng, mode):
    cost = np.float32(word_costs(rng, 2, 40, 30))
    weight = rng.normal(size=cost.shape)
    (single,) = gradients(cost, weight, gradient=mode)
    (double,) = gradients(np.float64(cost), weight, gradient=mode)
    np.testing.assert_allclose(single, double, atol=2e-4 * np.abs(double).max())


@pytest.mark.parametrize("mode", ["full", "last_step"])
def test_no_gradient_at_masked_entries(rng, mode):
    cost, source = word_costs(rng), rng.random((4, 12)) < 0.5
    (gradient,) = gradients(cost, 1.0, source_mask=source, gradient=mode)
    assert not gradient.numpy()[~source].any()


def test_backward_graph_stores_no_plan_for_each_step():
    def graph(cost):
        with tf.GradientTape() as tape:
            tape.watch(cost)
            loss = tf.reduce_sum(tf.square(ipot(cost, gradient="full")))
        return tape.gradient(loss, cost)

    spec = tf.TensorSpec([2, 13, 11], tf.float32)
    concrete = tf.function(graph, autograph=False).get_concrete_function(spec)
    text = str(concrete.graph.as_graph_def(add_shapes=True))
    sizes = "".join(f"dim {{ size: {size} }} " for size in (50, 2, 13, 11))
    assert sizes not in " ".join(text.split())
    assert "PushBack" not in text


MEMORY = """
import sys
from pathlib import Path

import tensorflow as tf

from cane_gane.transport import ipot

def peak():
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(x for x in lines if x.startswith("VmHWM")).split()[1])

@tf.function(jit_compile=True)
def gradient(cost, steps):
    with tf.GradientTape() as tape:
        tape.watch(cost)
        loss = tf.reduce_sum(tf.square(ipot(cost, gradient="full", iterations=steps)))
    return tape.gradient(loss, cost)

cost = tf.random.stateless_uniform([16, 200, 200], [1, 2], maxval=2.0)
gradient(cost, 2)
before = peak()
gradient(cost, 202)
print(peak() - before)
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc")
def test_memory_of_the_full_gradient_does_not_grow_with_the_steps():
    command = [sys.executable, "-c", MEMORY]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    plan = 16 * 200 * 200 * 4
    assert int(run.stdout) * 1024 < 50 * plan  # 200 stored plans would be 200


# --- ways to run


@pytest.mark.parametrize("jit_compile", [False, True])
@pytest.mark.parametrize("mode", MODES)
def test_compiled_equals_eager(rng, mode, jit_compile):
    cost = np.float32(word_costs(rng))
    mask = rng.random((4, 12)) < 0.7
    run = tf.function(ipot, jit_compile=jit_compile, autograph=False)
    plans = run(tf.constant(cost), tf.constant(mask), gradient=mode)
    eager = ipot(tf.constant(cost), mask, gradient=mode)
    np.testing.assert_allclose(plans, eager, rtol=1e-4, atol=1e-7)


@pytest.mark.parametrize("inner_iterations", [1, 2])
@pytest.mark.parametrize("mode", ["full", "last_step"])
def test_xla_gradient_equals_eager(rng, mode, inner_iterations):
    cost, weight = word_costs(rng), rng.normal(size=(4, 12, 9))
    options = {"gradient": mode, "inner_iterations": inner_iterations}

    @tf.function(jit_compile=True, autograph=False)
    def compiled(cost):
        return gradients(cost, weight, **options)

    (eager,) = gradients(cost, weight, **options)
    np.testing.assert_allclose(
        compiled(tf.constant(cost))[0], eager, rtol=1e-7, atol=1e-10
    )


@pytest.mark.parametrize("jit_compile", [False, True])
def test_reloaded_saved_model_equals_eager(rng, tmp_path, jit_compile):
    module = tf.Module()
    module.solve = tf.function(
        lambda cost: ipot(cost),
        input_signature=[tf.TensorSpec([None, None, None])],
        jit_compile=jit_compile,
        autograph=False,
    )
    tf.saved_model.save(module, tmp_path)
    cost = tf.constant(word_costs(rng), tf.float32)
    reloaded = tf.saved_model.load(tmp_path).solve(cost)
    np.testing.assert_allclose(reloaded, ipot(cost), rtol=1e-4, atol=1e-7)


def test_the_loop_is_not_unrolled():
    specs = tf.TensorSpec([2, 5, 4])
    few, many = (
        len(solve.get_concrete_function(specs, iterations=k).graph.get_operations())
        for k in (2, 200)
    )
    assert few == many


# --- costs


def test_cosine_cost_is_one_minus_the_cosine(rng):
    x, y = rng.normal(size=(1, 1, 7)), rng.normal(size=(1, 1, 7))
    cosine = np.sum(x * y) / np.linalg.norm(x) / np.linalg.norm(y)
    assert cosine_cost(x, y).numpy().item() == pytest.approx(1 - cosine)


def test_euclidean_cost_is_the_squared_distance(rng):
    x, y = rng.normal(size=(1, 6, 7)), rng.normal(size=(1, 5, 7))
    expected = np.linalg.norm(x[0][:, np.newaxis] - y[0], axis=-1) ** 2
    np.testing.assert_allclose(euclidean_cost(x, y)[0], expected)


COSTS = {"cosine": cosine_cost, "euclidean": euclidean_cost}


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize("cost", COSTS.values(), ids=COSTS)
def test_costs_of_zero_vectors_have_finite_gradients(rng, cost, dtype):
    words = tf.cast(np.concatenate([np.zeros((1, 2, 4)), np.ones((1, 2, 4))], 1), dtype)
    with tf.GradientTape() as tape:
        tape.watch(words)
        loss = tf.reduce_sum(cost(words, words))
    gradient = tape.gradient(loss, words)
    assert gradient.dtype == dtype
    assert np.isfinite(tf.cast(gradient, "float64")).all()


def test_zero_vectors_cost_one():
    assert cosine_cost(np.zeros((1, 1, 3)), np.ones((1, 1, 3))).numpy().item() == 1


# --- arguments


@pytest.mark.parametrize(
    ("options", "ends"),
    [
        ({"gradient": "some"}, "received 'some'"),
        ({"beta": 0.0}, "received 0.0"),
        ({"beta": float("nan")}, "received nan"),
        ({"iterations": 0}, "received 0"),
        ({"inner_iterations": 0}, "received 0"),
        ({"source_mask": np.ones(3, bool)}, r"received \(3,\)"),
        ({"source_mask": np.ones((2, 4), bool)}, r"received \(2, 4\)"),
        ({"target_weights": np.ones((2, 3, 1))}, r"received \(2, 3, 1\)"),
    ],
)
def test_a_bad_argument_is_named_with_what_was_received(options, ends):
    with pytest.raises(ValueError, match=f"{ends}$"):
        ipot(tf.zeros([2, 3, 4]), **options)


def test_a_cost_without_batch_is_refused():
    with pytest.raises(ValueError, match=r"received \(3, 4\)$"):
        ipot(tf.zeros([3, 4]))
