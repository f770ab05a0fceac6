"""Where the time before the first step goes: `bash run.sh benchmark startup cora 0.55`.

Prints each part when it ends, with the seconds since the command started.
"""

from __future__ import annotations

import sys
import time
from typing import Any

from cane_gane.data.catalog import load
from cane_gane.methods import gane
from cane_gane.methods.registry import METHODS
from cane_gane.methods.started import start
from cane_gane.runs.config import Config

START = time.perf_counter()


class Laps:
    """Prints each part that has ended, with the time so far."""

    def __init__(self) -> None:
        self._last = START
        print("| part | seconds | since the start |\n|---|---|---|")

    def __call__(self, part: str) -> None:
        now = time.perf_counter()
        print(f"| {part} | {now - self._last:.1f} | {now - START:.1f} |", flush=True)
        self._last = now


def main(dataset: str, ratio: str, method: str = "ap") -> None:
    lap = Laps()
    config = Config.make(dataset=dataset, ratio=float(ratio), method=method)
    settings: Any = config.settings
    METHODS[method].start(settings, "auto")
    from cane_gane.sampling.batches import edge_batches

    lap("TensorFlow and Keras")
    split = load(dataset).split(config.ratio, config.split, config.seed)
    inputs, model = gane.set_up(method, split, settings, config.seed)
    lap("data and model")
    start(model, settings, inputs, config.seed)
    lap("LSA, walks and text vectors")
    batches = edge_batches(inputs.texts, inputs.sampler, trim=model.trims)
    model.make_train_function()
    iterator = iter(batches)
    lap("input")
    for part in ("first step, with its tracing", "second step"):
        float(model.train_function(iterator)["loss"])
        lap(part)


if __name__ == "__main__":
    main(*sys.argv[1:])
