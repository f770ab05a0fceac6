"""A process of `benchmarks.training`: one of our models, a few steps at a time."""

from __future__ import annotations

import contextlib
import itertools
import json
import sys
import tempfile
import time
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import numpy as np

from cane_gane.data.catalog import load
from cane_gane.methods import gane
from cane_gane.methods.registry import METHODS
from cane_gane.methods.served import serve
from cane_gane.methods.started import start
from cane_gane.runs.config import Config

PAIRS = 8192  # scored in one step, as in evaluation


def turns(units: int) -> Generator[None, int, None]:
    """Answers each number on standard input with the seconds that so many steps took.

    Args:
        units: How many edges or pairs an epoch has.

    Yields:
        Whenever a step may be taken; send back how many units the step processed.
    """
    tell({"units": units})
    for line in sys.stdin:
        if line.strip() == "end":
            tell({"peak_mb": peak()})
            return
        start, done = time.perf_counter(), 0
        for _ in range(int(line)):
            done += yield
        tell({"seconds": time.perf_counter() - start, "units": done})


def take_turns(step: Callable[[], int], units: int) -> None:
    """Takes a step whenever `turns` allows one."""
    turn = turns(units)
    with contextlib.suppress(StopIteration):
        next(turn)
        while True:
            turn.send(step())


def tell(answer: dict[str, Any]) -> None:
    print(json.dumps(answer), flush=True)


def peak() -> float:
    """Peak memory of this process in MB; getrusage would include its parent's."""
    status = Path("/proc/self/status").read_text()
    line = next(x for x in status.splitlines() if x.startswith("VmHWM"))
    return int(line.split()[1]) / 1e3


def configure(case: str, dataset: str, ratio: str) -> Config:
    chosen: dict[str, Any] = {"method": {"score": "ap"}.get(case, case)}
    if case == "cane, upstream mode":
        chosen = {"method": "cane", "preset": "upstream"}
    return Config.make(dataset=dataset, ratio=float(ratio), **chosen)


def main(case: str, dataset: str, ratio: str) -> None:
    config = configure(case, dataset, ratio)
    settings: Any = config.settings
    METHODS[config.method].start(settings, "auto")
    split = load(dataset).split(config.ratio, config.split, config.seed)
    inputs, model = gane.set_up(config.method, split, settings, config.seed)
    start(model, settings, inputs, config.seed)
    if case == "score":
        with tempfile.TemporaryDirectory() as folder:
            servable = serve(inputs, model, settings, Path(folder))
            score(servable, split, Path(folder, "saved_model"))
    else:
        train(model, inputs)


def train(model: Any, inputs: Any) -> None:
    from cane_gane.sampling.batches import edge_batches

    sampler = inputs.sampler
    batches = iter(edge_batches(inputs.texts, sampler, trim=model.trims))
    model.make_train_function()

    sizes = itertools.cycle(batch_sizes(len(inputs.edges), sampler.batch_size))

    def step() -> int:
        float(model.train_function(batches)["loss"])
        return next(sizes)

    step()
    take_turns(step, len(inputs.edges))


def batch_sizes(edges: int, size: int) -> list[int]:
    """How many edges the batches of an epoch have."""
    return [min(size, edges - start) for start in range(0, edges, size)]


def score(servable: Any, split: Any, path: Path) -> None:
    from cane_gane.serving.client import ServedModel

    servable.export(path)
    served = ServedModel.load(path, split, lonely=True)
    nodes = split.network.node_count
    pairs = np.random.default_rng(1).integers(0, nodes, (PAIRS, 2))
    served.score(pairs[:64])
    take_turns(lambda: len(served.score(pairs)), PAIRS)


if __name__ == "__main__":
    main(*sys.argv[1:])
