"""Steps per second with 1 and 2 workers of one core each.

bash run.sh benchmark workers DATASET RATIO [--batches=64,256,1024]

Each case runs in its own processes, each bound to one core. One worker is the plain
step; two are what `--workers=2` runs. Tables start at random, which does not change the
cost of a step.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from typing import Any

from absl import app, flags

from benchmarks.machine import processor
from cane_gane.runs.loopback import PrivateNetwork, enter
from cane_gane.training.workers.cluster import Cluster

METHOD = flags.DEFINE_string("method", "ap", "which model")
BATCHES = flags.DEFINE_list("batches", ["64", "256", "1024"], "edges in a batch")
ROUNDS = flags.DEFINE_integer("rounds", 7, "rounds to take the median of", 1)
STEPS = flags.DEFINE_integer("steps", 8, "training steps in a round", 1)
JSON = flags.DEFINE_bool("json", False, "whether to print JSON")
WORKER = flags.DEFINE_string("worker", None, "the order of one worker, as JSON")
_THREADS = ("TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS", "OMP_NUM_THREADS")


def work(order: dict[str, Any]) -> dict[str, Any]:
    """Takes steps as one of the workers; returns their duration and the sizes."""
    cluster = Cluster(tuple(order["addresses"]), order["index"])
    os.sched_setaffinity(0, {sorted(os.sched_getaffinity(0))[cluster.index]})
    from cane_gane.training.runtime import load_tensorflow
    from cane_gane.training.workers.cluster import join

    strategy = None
    if len(cluster.addresses) > 1:
        strategy = join(cluster, device="cpu")
    else:
        load_tensorflow(device="cpu")
    return {**_timed(order, cluster, strategy), "index": cluster.index}


def _timed(order: dict[str, Any], cluster: Cluster, strategy: Any) -> dict[str, Any]:
    import contextlib
    import time

    import numpy as np
    import tensorflow as tf

    from cane_gane.data.catalog import find_dataset
    from cane_gane.data.network import TextualNetwork
    from cane_gane.models.build import build_model
    from cane_gane.models.pair_model import part_of
    from cane_gane.models.settings import ModelSettings
    from cane_gane.sampling.batches import edge_batches
    from cane_gane.training.compile import compile_model
    from cane_gane.training.inputs import prepare
    from cane_gane.training.workers.step import make_step

    settings = ModelSettings.make(
        start="random", places="random", batch_size=order["batch"]
    )
    network = TextualNetwork.read(find_dataset(order["dataset"]))
    inputs = prepare(network.split(order["ratio"]), settings, 1)
    words = len(inputs.tokenizer.words)
    with strategy.scope() if strategy else contextlib.nullcontext():
        model = build_model(settings, order["method"], words, network.node_count, 1)
        compile_model(model, settings)
    source = edge_batches(inputs.texts, inputs.sampler)
    kind = source.element_spec
    alone = tf.function(
        lambda batch: model.train_step(batch)["loss"], input_signature=[kind]
    )
    step = make_step(model, strategy, kind) if strategy else alone
    whole = inputs.sampler.batch_size
    full = source.filter(lambda batch: tf.shape(batch["source"])[0] == whole)
    batches = iter(full)
    for _ in range(3):
        float(step(next(batches)))
    seconds, rows = [], []
    for _ in range(order["rounds"]):
        taken = [next(batches) for _ in range(order["steps"])]
        started = time.perf_counter()
        for batch in taken:
            float(step(batch))
        seconds.append((time.perf_counter() - started) / len(taken))
        part = part_of(taken[0], cluster.index, len(cluster.addresses))
        rows.append(
            sum(
                len(np.unique(np.concatenate([part[n].numpy().ravel() for n in names])))
                for names in (
                    ("source_text", "target_text", "negatives_text"),
                    ("source", "target", "negatives"),
                )
            )
        )
    dense = sum(int(np.prod(one.shape)) for one in model.trainable_variables)
    small = dense - (words + network.node_count) * settings.dimension
    by_rows = statistics.mean(rows) * (4 * settings.dimension + 8) + 4 * small
    return {
        "seconds": seconds, "mb_by_rows": by_rows / 1e6, "mb_dense": 4 * dense / 1e6
    }  # fmt: skip


def measure(dataset: str, ratio: float, batch: int, workers: int) -> dict[str, Any]:
    """Runs one case; returns what the chief found."""
    network = _network() if workers > 1 else None
    processes = []
    for one in Cluster.local(workers):
        order = {
            "dataset": dataset, "ratio": ratio, "method": METHOD.value, "batch": batch,
            "addresses": one.addresses, "index": one.index, "rounds": ROUNDS.value,
            "steps": STEPS.value,
        }  # fmt: skip
        settings = {
            **os.environ, **dict.fromkeys(_THREADS, "1"), "TF_CPP_MIN_LOG_LEVEL": "3",
            **(network.settings if network else {}),
        }  # fmt: skip
        processes.append(
            subprocess.Popen(
                [sys.executable, "-m", "benchmarks.workers",
                 f"--worker={json.dumps(order)}"],
                env=settings, pass_fds=network.files if network else (),
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            )
        )  # fmt: skip
    answers = [process.communicate() for process in processes]
    if network:
        network.close()
    if any(process.returncode for process in processes):
        raise SystemExit("\n".join(errors for _, errors in answers))
    return dict(json.loads(answers[0][0].splitlines()[-1]))


def _network() -> PrivateNetwork | None:
    try:
        return PrivateNetwork()
    except OSError:
        return None


def main(argv: list[str]) -> None:
    if WORKER.value:
        enter()
        print(json.dumps(work(json.loads(WORKER.value))), flush=True)
        os._exit(0)
    _, dataset, ratio = argv
    rows = []
    for batch in map(int, BATCHES.value):
        found = [measure(dataset, float(ratio), batch, count) for count in (1, 2)]
        one, two = (1 / statistics.median(case["seconds"]) for case in found)
        spread = [1 / max(found[1]["seconds"]), 1 / min(found[1]["seconds"])]
        rows.append(
            {
                "batch": batch,
                "one_worker": one,
                "two_workers": two,
                "gain": two / one,
                "slowest_and_fastest_round_of_two": spread,
                "mb_a_step_by_rows": found[1]["mb_by_rows"],
                "mb_a_step_dense": found[1]["mb_dense"],
            }
        )
        print(f"batch {batch} done", file=sys.stderr, flush=True)
    if JSON.value:
        print(json.dumps({"cpu": processor(), "rows": rows}, indent=1))
        return
    print(f"{dataset} {ratio}, {METHOD.value}, {processor()}: steps a second\n")
    print("| batch | 1 worker | 2 workers | gain | MB by rows | MB dense |")
    print("|---|---|---|---|---|---|")
    for row in rows:
        low, high = row["slowest_and_fastest_round_of_two"]
        print(
            f"| {row['batch']} | {row['one_worker']:.2f} | {row['two_workers']:.2f} "
            f"({low:.2f} to {high:.2f}) | {row['gain']:.2f} | "
            f"{row['mb_a_step_by_rows']:.2f} | {row['mb_a_step_dense']:.2f} |"
        )


if __name__ == "__main__":
    app.run(main)
