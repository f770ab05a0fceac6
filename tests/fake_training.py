"""Stands in for the training command: says what it got, and writes what a run leaves.

`FAKE_FAIL` names cells that fail, `FAKE_WAIT` those that wait to be killed.
"""

import json
import os
import sys
import time
from pathlib import Path

import numpy as np

from cane_gane.config import make_config
from cane_gane.runs import RunFolder

BASELINES = ("tfidf", "tfidf_one_hop", "common_neighbours", "preferential_attachment")
THREADS = ("TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS", "OMP_NUM_THREADS")


def fake_metrics(config, labels=False):
    """Returns figures that hang on nothing but the settings."""
    draw = np.random.default_rng(
        [
            config.seed,
            round(100 * config.ratio),
            config.window,
            *config.variant.encode(),
        ]
    )
    edges = np.random.default_rng([config.seed, round(100 * config.ratio)])

    def figures(generator):
        auc, error = generator.uniform(0.85, 0.99), generator.uniform(0.001, 0.009)
        return {"auc": float(auc), "std_error": float(error)}

    protocols = ("upstream", "strict")
    metrics = {
        "link_prediction": {name: figures(draw) for name in protocols},
        "baselines": {
            name: {key: figures(edges) for key in BASELINES} for name in protocols
        },
        "time": {"train": float(draw.uniform(60, 600)), "evaluate": 30.0},
    }
    if labels:
        metrics["node_classification"] = {
            share: {
                "macro_f1": float(draw.uniform(0.7, 0.9)),
                "std": {"macro_f1": float(draw.uniform(0.001, 0.009))},
            }
            for share in ("0.1", "0.3", "0.5", "0.7")
        }
    return metrics


def write_run(config, folder, labels=False):
    """Writes what a finished run leaves."""
    folder.path.mkdir(parents=True, exist_ok=True)
    folder.write_json("config.json", {"settings": vars(config)})
    folder.write_json("metrics.json", fake_metrics(config, labels))


def main(words):
    """Behaves like the training command."""
    dataset, ratio, variant, *rest = words
    given = dict(word.removeprefix("--").split("=") for word in rest)
    runs_dir, _ = Path(given.pop("runs_dir")), given.pop("device")
    chosen = {name: json.loads(value) for name, value in given.items()}
    config = make_config(dataset=dataset, ratio=float(ratio), variant=variant, **chosen)
    folder = RunFolder.of(config, runs_dir)
    name = folder.path.name
    threads = [os.environ.get(key) for key in THREADS]
    with open(runs_dir / "started.txt", "a") as file:
        print(name, os.getpid(), *threads, file=file, flush=True)
    print("epoch   1/1", file=sys.stderr, flush=True)
    if name in os.environ.get("FAKE_WAIT", ""):
        time.sleep(600)
    if name in os.environ.get("FAKE_FAIL", ""):
        print("cane_gane: found loss nan in epoch 1", file=sys.stderr)
        return 3
    write_run(config, folder)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
