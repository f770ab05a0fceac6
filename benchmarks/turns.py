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

from cane_gane.config import make_config
from cane_gane.startup import load_tensorflow

PAIRS = 8192  # scored in a step, as evaluation does


def turns(units: int) -> Generator[None, int, None]:
    """Answers each number on standard input with the seconds of so many steps.

    Args:
        units: What an epoch has, edges or pairs.

    Yields:
        When a step may be taken; it wants back how many units that was.
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
    """Takes a step whenever it may."""
    turn = turns(units)
    with contextlib.suppress(StopIteration):
        next(turn)
        while True:
            turn.send(step())


def tell(answer: dict[str, Any]) -> None:
    print(json.dumps(answer), flush=True)


def peak() -> float:
    """Most memory of this process so far, in MB; getrusage would count its parent's."""
    status = Path("/proc/self/status").read_text()
    line = next(x for x in status.splitlines() if x.startswith("VmHWM"))
    return int(line.split()[1]) / 1e3


def settings(case: str, dataset: str, ratio: str) -> Any:
    chosen: dict[str, Any] = {"variant": {"score": "ap"}.get(case, case)}
    if case == "cane, upstream mode":
        chosen = {"variant": "cane", "preset": "upstream"}
    return make_config(dataset=dataset, ratio=float(ratio), **chosen)


def main(case: str, dataset: str, ratio: str) -> None:
    config = settings(case, dataset, ratio)
    load_tensorflow(
        deterministic=config.deterministic, device="auto", by_pairs=config.masked
    )
    from cane_gane.models import build_model
    from cane_gane.preparation import prepare
    from cane_gane.servable import Servable
    from cane_gane.starts import start_tables

    prepared = prepare(config)
    words = len(prepared.tokenizer.words)
    model = build_model(config, words, prepared.network.node_count)
    with tempfile.TemporaryDirectory() as folder:
        vocabulary = Path(folder, "vocabulary.txt")
        prepared.tokenizer.save(vocabulary)
        unknown = len(prepared.tokenizer.reserved) - 1
        servable = Servable(model, prepared.texts, vocabulary, unknown)
        start_tables(servable, config, prepared)
        if case == "score":
            score(servable, prepared.network.node_count, Path(folder, "saved_model"))
        else:
            train(model, prepared)


def train(model: Any, prepared: Any) -> None:
    from cane_gane.batches import edge_batches

    sampler = prepared.sampler
    batches = iter(edge_batches(prepared.texts, sampler, trim=model.trims))
    model.make_train_function()

    sizes = itertools.cycle(batch_sizes(len(prepared.fitted), sampler.batch_size))

    def step() -> int:
        float(model.train_function(batches)["loss"])
        return next(sizes)

    step()
    take_turns(step, len(prepared.fitted))


def batch_sizes(edges: int, size: int) -> list[int]:
    """How many edges the batches of an epoch have."""
    return [min(size, edges - start) for start in range(0, edges, size)]


def score(servable: Any, nodes: int, path: Path) -> None:
    from cane_gane.served import Served

    servable.export(path)
    served = Served(path)
    pairs = np.random.default_rng(1).integers(0, nodes, (PAIRS, 2))
    served.score_nodes(pairs[:64])
    take_turns(lambda: len(served.score_nodes(pairs)), PAIRS)


if __name__ == "__main__":
    main(*sys.argv[1:])
