"""Where the time before the first step goes: `bash run.sh benchmark startup cora 0.55`.

Prints each part as it ends, with the seconds since the command.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from cane_gane.config import make_config
from cane_gane.startup import load_tensorflow

START = time.perf_counter()


class Laps:
    """Prints what has been done since the last line."""

    def __init__(self) -> None:
        self._last = START
        print("| part | seconds | since the start |\n|---|---|---|")

    def __call__(self, part: str) -> None:
        now = time.perf_counter()
        print(f"| {part} | {now - self._last:.1f} | {now - START:.1f} |", flush=True)
        self._last = now


def main(dataset: str, ratio: str, variant: str = "ap") -> None:
    lap = Laps()
    config = make_config(dataset=dataset, ratio=float(ratio), variant=variant)
    load_tensorflow(
        deterministic=config.deterministic, device="auto", by_pairs=config.masked
    )
    from cane_gane.batches import edge_batches
    from cane_gane.models import build_model
    from cane_gane.preparation import prepare
    from cane_gane.servable import Servable
    from cane_gane.starts import start_tables

    lap("TensorFlow and Keras")
    prepared = prepare(config)
    lap("data")
    words = len(prepared.tokenizer.words)
    model = build_model(config, words, prepared.network.node_count)
    lap("model")
    with tempfile.TemporaryDirectory() as folder:
        vocabulary = Path(folder, "vocabulary.txt")
        prepared.tokenizer.save(vocabulary)
        servable = Servable(model, prepared.texts, vocabulary, 1)
        start_tables(servable, config, prepared)
    lap("LSA, walks and text vectors")
    batches = edge_batches(prepared.texts, prepared.sampler, trim=model.trims)
    model.make_train_function()
    iterator = iter(batches)
    lap("input")
    for part in ("first step, with its tracing", "second step"):
        float(model.train_function(iterator)["loss"])
        lap(part)


if __name__ == "__main__":
    main(*sys.argv[1:])
