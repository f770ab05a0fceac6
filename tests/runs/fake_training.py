"""Stands in for the training command: says what it got, and writes what a run leaves.

`FAKE_FAIL` names cells that fail, `FAKE_WAIT` those that wait to be killed.
"""

import dataclasses
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
    Difference,
    Evaluation,
    Labels,
    ModelFigures,
    Timing,
    to_json,
)
from cane_gane.runs.config import Config
from cane_gane.runs.folder import RunFolder

BASELINES = (
    "start", "linear", "walks", "tfidf_one_hop", "tfidf", "pagerank",
    "common_neighbours", "preferential_attachment",
)  # fmt: skip
THREADS = ("TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS", "OMP_NUM_THREADS")
RANKED = ("mrr", "hits_at_10")
# What a score has under each protocol.
PROTOCOLS = {
    "upstream": ("auc",),
    "strict": ("auc", *RANKED),
    "all_edges": ("auc",),
    "hard": RANKED,
}


def fake_figures(kind, shown, generator, most):
    """Returns the figures that are shown, drawn at random up to the most."""
    found = {name: float(generator.uniform(0.8, most)) for name in shown}
    error = interval = None
    if "auc" in found:
        error = float(generator.uniform(0.001, 0.009))
        interval = (found["auc"] - 2 * error, found["auc"] + 2 * error)
    return kind(**{"auc": None, **found}, std_error=error, interval=interval, scored=90)


def fake_baseline(own, shown, generator):
    """Returns figures of a baseline, with how much the model is above each."""
    found = fake_figures(BaselineFigures, shown, generator, most=0.95)
    gaps = {name: getattr(own, name) - getattr(found, name) for name in shown}
    half = float(generator.uniform(0.01, 0.05))
    return dataclasses.replace(
        found,
        difference={
            name: Difference(gap, (gap - half, gap + half))
            for name, gap in gaps.items()
        },
    )


def fake_evaluation(config, labels=False):
    """Returns figures that depend on nothing but the settings."""
    place = [config.seed, round(100 * config.ratio)]
    draw = np.random.default_rng(
        [*place, getattr(config.settings, "window", 0), *config.method.encode()]
    )
    # A split has the same baselines for all methods, but for their own starts.
    edges = np.random.default_rng(place)
    links = {
        name: fake_figures(ModelFigures, shown, draw, most=0.99)
        for name, shown in PROTOCOLS.items()
    }
    return Evaluation(
        link_prediction=links,
        baselines={
            name: {
                key: fake_baseline(
                    links[name], shown, draw if key == "start" else edges
                )
                for key in BASELINES
            }
            for name, shown in PROTOCOLS.items()
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


def value_of(word):
    """Reads the value of a flag: a number, true or false, or else a word."""
    try:
        return json.loads(word)
    except json.JSONDecodeError:
        return word


def main(words):
    """Behaves like the training command."""
    dataset, ratio, method, *rest = words
    given = dict(word.removeprefix("--").split("=") for word in rest)
    runs_dir, _ = Path(given.pop("runs_dir")), given.pop("device")
    chosen = {name: value_of(word) for name, word in given.items()}
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
