"""Times the transport solver beside other ways to the same plan.

One interleaved run, medians: `python -m benchmarks.transport [--json]`. Real lengths
come from the folders cora and HepTh in CANE_DATASETS.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import tensorflow as tf

from benchmarks import solvers
from benchmarks.solvers import STEPS
from benchmarks.turns import peak
from cane_gane import transport
from cane_gane.models.chunks import in_chunks

ROOT = Path(__file__).resolve().parent.parent
BATCH, WORDS, CAP = 64, 100, 300

# As the layers call it: a cosine cost is between 0 and 2.
ipot = functools.partial(transport.ipot, cost_range=2.0)


def chunked(cost: tf.Tensor, *masks: tf.Tensor, **options: object) -> tf.Tensor:
    """`ipot` in chunks of similar length, as the models call it.

    They give each operation one core (`load_tensorflow`); here it may use all.
    """
    shape = tf.shape(cost)
    sides = masks or (tf.ones(shape[:2], tf.bool), tf.ones(shape[::2], tf.bool))

    def solve(
        source: tf.Tensor, target: tf.Tensor, pairs: tf.Tensor
    ) -> tuple[tf.Tensor]:
        n, m = tf.shape(source)[1], tf.shape(target)[1]
        trimmed = tf.gather(cost, pairs)[:, :n, :m]
        plan = ipot(trimmed, source > 0, target > 0, **options)
        return (tf.pad(plan, [[0, 0], [0, shape[1] - n], [0, shape[2] - m]]),)

    return in_chunks(solve, *(tf.cast(side, tf.int32) for side in sides))[0]


def timed(
    runs: dict[str, Callable[[], object]], rounds: int
) -> dict[str, dict[str, float]]:
    """Milliseconds of each, interleaved; `first` includes compilation."""
    first, times = {}, {name: [] for name in runs}
    for name, run in runs.items():
        start = time.perf_counter()
        run()
        first[name] = time.perf_counter() - start
    for _ in range(rounds):
        for name, run in runs.items():
            start = time.perf_counter()
            run()
            times[name].append(1e3 * (time.perf_counter() - start))
    return {
        name: {
            "median_ms": float(np.median(times[name])),
            "min_ms": min(times[name]),
            "first_s": first[name],
        }
        for name in runs
    }


def word_costs(rng: np.random.Generator, n: int, m: int) -> np.ndarray:
    source, target = rng.normal(size=(BATCH, n, 100)), rng.normal(size=(BATCH, m, 100))
    for words in (source, target):
        words /= np.linalg.norm(words, axis=-1, keepdims=True)
    return np.float32(1 - source @ target.transpose(0, 2, 1))


def graph(
    function: Callable[..., tf.Tensor], **options: object
) -> Callable[..., tf.Tensor]:
    jit = options.pop("jit", False)
    if jit and function is ipot:
        options["for_xla"] = True
    return tf.function(
        lambda *x: function(*x, **options), jit_compile=jit, autograph=False
    )


def dense(rounds: int) -> list[dict[str, object]]:
    cost = word_costs(np.random.default_rng(0), WORDS, WORDS)
    tensor = tf.constant(cost)
    functions = {
        "Algorithm 1, diagonal matrices, TensorFlow": graph(solvers.literal),
        "`ipot`, tf.function": graph(ipot),
        "`ipot`, XLA": graph(ipot, jit=True),
        "`ipot`, in chunks": graph(chunked),
    }
    with tempfile.TemporaryDirectory() as folder:
        in_c = solvers.c_solver(folder)
        rows = {
            "Algorithm 1, numpy": lambda: solvers.in_numpy(cost),
            "POT, batched proximal solver": lambda: solvers.in_pot(cost),
            "POT, batched projections": lambda: solvers.in_pot_by_projections(cost),
            "C loop, gcc -O3, two threads": lambda: in_c(cost),
        }
        for name, function in functions.items():
            rows[name] = lambda function=function: function(tensor).numpy()
        figures = timed(rows, rounds)
        plans = {name: run() for name, run in rows.items()}
    reference = plans["Algorithm 1, numpy"]
    base = figures["Algorithm 1, diagonal matrices, TensorFlow"]["median_ms"]
    return [
        {
            "case": name,
            **figures[name],
            "over_literal": base / figures[name]["median_ms"],
            "difference": float(np.abs(plans[name] - reference).max()),
        }
        for name in rows
    ]


def differentiated(
    function: Callable[..., tf.Tensor], mode: str
) -> Callable[..., tf.Tensor]:
    def run(cost: tf.Tensor, *masks: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            tape.watch(cost)
            loss = tf.reduce_sum(tf.square(function(cost, *masks, gradient=mode)))
        if mode == "none":  # a gradient of zeros would need no plan at all
            return loss
        return tf.convert_to_tensor(tape.gradient(loss, cost))

    return run


def backward(rounds: int) -> list[dict[str, object]]:
    tensor = tf.constant(word_costs(np.random.default_rng(0), WORDS, WORDS))
    rows = {}
    for mode in ("none", "last_step", "full"):
        for name, jit in (("tf.function", False), ("XLA", True)):
            solver = functools.partial(ipot, for_xla=jit)
            function = graph(differentiated(solver, mode), jit=jit)
            rows[f"`{mode}`, {name}"] = lambda f=function: f(tensor).numpy()
        function = graph(differentiated(chunked, mode))
        rows[f"`{mode}`, in chunks"] = lambda f=function: f(tensor).numpy()
    figures = timed(rows, rounds)
    return [{"case": name, **figures[name]} for name in rows]


def text_lengths(name: str) -> tuple[np.ndarray, np.ndarray] | None:
    default = ROOT.parent / "shared" / "datasets"
    folder = Path(os.environ.get("CANE_DATASETS", default), name)
    if not (folder / "data.txt").exists():
        return None
    with open(folder / "data.txt", errors="replace") as lines:
        lengths = [min(CAP, max(1, len(line.split()))) for line in lines]
    return np.array(lengths), np.loadtxt(
        folder / "graph.txt", dtype=int, usecols=(0, 1)
    )


def real_batch(name: str, full: bool) -> tuple[tf.Tensor, ...] | None:
    found = text_lengths(name)
    if found is None:
        return None
    lengths, edges = found
    rng = np.random.default_rng(1)
    n, m = lengths[edges[rng.choice(len(edges), BATCH)]].T
    width = (CAP, CAP) if full else (n.max(), m.max())
    masks = [
        np.arange(w) < k[:, np.newaxis] for w, k in zip(width, (n, m), strict=True)
    ]
    return tuple(map(tf.constant, (word_costs(rng, *width), *masks)))


def real(rounds: int) -> list[dict[str, object]]:
    table: list[dict[str, object]] = []
    for name in ("cora", "HepTh"):
        for full in (True, False):
            batch = real_batch(name, full)
            if batch is None:
                print(f"no texts of {name}: skipped", file=sys.stderr)
                continue
            table += real_rows(name, full, batch, rounds)
    return table


def real_rows(
    name: str, full: bool, batch: tuple[tf.Tensor, ...], rounds: int
) -> list[dict[str, object]]:
    functions = {
        "padded, tf.function": graph(ipot),
        "padded, XLA": graph(ipot, jit=True),
        "in chunks": graph(chunked),
        "padded, XLA, with gradient": graph(
            differentiated(functools.partial(ipot, for_xla=True), "last_step"), jit=True
        ),
        "in chunks, with gradient": graph(differentiated(chunked, "last_step")),
    }
    rows = {
        case: lambda f=function: f(*batch).numpy()
        for case, function in functions.items()
    }
    figures = timed(rows, rounds)
    plans = {case: rows[case]() for case in list(rows)[:3]}
    where = f"{name}, padded to {CAP if full else 'the longest'}"
    table = []
    for case, figure in figures.items():
        end = ", with gradient" if case.endswith("gradient") else ""
        base = figures[f"padded, XLA{end}"]["median_ms"]
        row = {"case": f"{where}: {case}", **figure}
        row["over_padded_xla"] = base / figure["median_ms"]
        if case in plans:
            difference = np.abs(plans[case] - plans["padded, XLA"]).max()
            row["difference"] = float(difference)
        table.append(row)
    return table


def memory(mode: str) -> None:
    """Prints the peak memory of one gradient at the largest size."""
    shape = [BATCH, CAP, CAP]
    cost = tf.random.stateless_uniform(shape, [1, 2], maxval=2.0)
    before = peak()
    solver = functools.partial(ipot, for_xla=mode == "XLA")
    graph(differentiated(solver, "full"), jit=mode == "XLA")(cost).numpy()
    print(json.dumps({"before_mb": before, "peak_mb": peak()}))


def peak_memory() -> list[dict[str, object]]:
    table = []
    for mode in ("tf.function", "XLA"):
        command = [sys.executable, "-m", "benchmarks.transport", "--memory", mode]
        run = subprocess.run(
            command, capture_output=True, text=True, check=True, cwd=ROOT
        )
        table.append({"case": f"`full`, {mode}", **json.loads(run.stdout)})
    return table


def markdown(title: str, table: list[dict[str, object]]) -> str:
    names = list(dict.fromkeys(key for row in table for key in row))
    lines = [
        f"### {title}",
        "",
        "| " + " | ".join(names) + " |",
        "|---" * len(names) + "|",
    ]
    for row in table:
        cells = [row.get(name, "") for name in names]
        shown = [
            x if isinstance(x, str) else f"{x:.1e}" if x < 0.05 else f"{x:.1f}"
            for x in cells
        ]
        lines.append("| " + " | ".join(shown) + " |")
    return "\n".join([*lines, ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--memory", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.memory:
        memory(arguments.memory)
        return
    size = f"batch {BATCH}, {WORDS}×{WORDS}, {STEPS} steps"
    rounds = arguments.rounds
    parts: dict[str, Callable[[], list[dict[str, object]]]] = {
        f"One plan, {size}": lambda: dense(rounds),
        f"With the gradient, {size}": lambda: backward(rounds),
        f"Real lengths, batch {BATCH}, {STEPS} steps": lambda: real(rounds),
        f"Peak memory, batch {BATCH}, {CAP}×{CAP}, {STEPS} steps": peak_memory,
    }
    tables = {}
    for title, part in parts.items():
        tables[title] = part()
        if not arguments.json:
            print(markdown(title, tables[title]), flush=True)
    if arguments.json:
        print(json.dumps(tables, indent=1))


if __name__ == "__main__":
    main()
