"""Stands in for the training command: says what it got, and writes what a run leaves.

`FAKE_FAIL` names cells that fail, `FAKE_WAIT` those that wait to be killed.
"""

import json
import os
import sys
import time
from pathlib import Path

import numpy as np

from cane_gane.data.catalog import PUBLISHED
from cane_gane.data.network import digests
from cane_gane.evaluation.results import (
    BaselineFigures,
    Evaluation,
    Labels,
    ModelFigures,
    Timing,
    to_json,
)
from cane_gane.runs.config import Config
from cane_gane.runs.folder import RunFolder

BASELINES = ("tfidf", "tfidf_one_hop", "common_neighbours", "preferential_attachment")
THREADS = ("TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS", "OMP_NUM_THREADS")
PROTOCOLS = ("upstream", "strict")


def fake_evaluation(config, labels=False):
    """Returns figures that depend on nothing but the settings."""
    place = [config.seed, round(100 * config.ratio)]
    draw = np.random.default_rng(
        [*place, config.settings.window, *config.method.encode()]
    )
    edges = np.random.default_rng(place)  # a split has the same baselines for all

    def figures(kind, generator):
        auc, error = generator.uniform(0.85, 0.99), generator.uniform(0.001, 0.009)
        near = (float(auc - 2 * error), float(auc + 2 * error))
        return kind(auc=float(auc), std_error=float(error), interval=near)

    return Evaluation(
        link_prediction={name: figures(ModelFigures, draw) for name in PROTOCOLS},
        baselines={
            name: {key: figures(BaselineFigures, edges) for key in BASELINES}
            for name in PROTOCOLS
        },
        time=Timing(float(draw.uniform(60, 600)), 30.0),
        node_classification={
            share: Labels(
                float(draw.uniform(0.7, 0.9)),
                std={"macro_f1": float(draw.uniform(0.001, 0.009))},
            )
            for share in ("0.1", "0.3", "0.5", "0.7")
        }
        if labels
        else None,
    )


def write_run(config, folder, labels=False):
    """Writes what a finished run leaves; one called cora is of the published data."""
    data = PUBLISHED.get(config.dataset)
    if data is None and Path(config.dataset).is_dir():
        data = digests(Path(config.dataset))
    folder.path.mkdir(parents=True, exist_ok=True)
    folder.write_json("config.json", {"settings": config.flat(), "data": data or {}})
    folder.write_json("metrics.json", to_json(fake_evaluation(config, labels)))


def main(words):
    """Behaves like the training command."""
    dataset, ratio, method, *rest = words
    given = dict(word.removeprefix("--").split("=") for word in rest)
    runs_dir, _ = Path(given.pop("runs_dir")), given.pop("device")
    chosen = {name: json.loads(value) for name, value in given.items()}
    config = Config.make(dataset=dataset, ratio=float(ratio), method=method, **chosen)
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
