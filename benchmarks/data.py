"""Edges per second from the input pipeline and from upstream's own batch code.

bash run.sh benchmark data cora [--upstream=FOLDER]

`FOLDER` is a checkout of thunlp/CANE; its DataSet.py runs unmodified, with a stand-in
for the vocabulary of TensorFlow 1, and texts are gathered as in its train.py. Rounds
are interleaved; the figure is the median.
"""

from __future__ import annotations

import contextlib
import io
import statistics
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
from absl import app, flags

from cane_gane.data.catalog import find_dataset
from cane_gane.data.network import TextualNetwork
from cane_gane.data.tokens import CleanTokenizer, UpstreamTokenizer
from cane_gane.sampling.batches import edge_batches
from cane_gane.sampling.edges import EdgeSampler, UpstreamSampler
from cane_gane.upstream.standins import install_vocabulary

UPSTREAM = flags.DEFINE_string("upstream", None, "a checkout of thunlp/CANE")
ROUNDS = flags.DEFINE_integer("rounds", 9, "rounds to take the median of", 1)
EPOCHS = flags.DEFINE_integer("epochs", 10, "epochs in a round", 1)


def pipeline(network: TextualNetwork, train: np.ndarray, trim: bool) -> Callable:
    texts = CleanTokenizer.fit(network).encode(network.texts)
    sampler = EdgeSampler(train)
    batches = edge_batches(texts, sampler, trim=trim)
    return lambda: iterate(batches.take(EPOCHS.value * sampler.steps))


def upstream_mode(network: TextualNetwork, train: np.ndarray) -> Callable:
    tokenizer = UpstreamTokenizer.fit(network)
    texts = tokenizer.encode(tokenizer.read(network))
    sampler = UpstreamSampler(train)
    batches = edge_batches(texts, sampler, trim=False)
    return lambda: iterate(batches.take(EPOCHS.value * sampler.steps))


def iterate(batches: Iterable) -> int:
    return sum(len(batch["source"]) for batch in batches)


def upstream_itself(folder: Path, network_folder: Path, split_folder: Path) -> Callable:
    """Loads upstream's DataSet.py and returns a loop over its batches."""
    install_vocabulary()
    sys.path.insert(0, str(folder / "code"))
    import DataSet

    with contextlib.redirect_stdout(io.StringIO()):
        data = DataSet.dataSet(
            str(network_folder / "data.txt"), str(split_folder / "graph.txt")
        )

    def run() -> int:
        edges = 0
        for _ in range(EPOCHS.value):
            for batch in data.generate_batches():
                nodes = np.array(batch).T
                texts = [data.text[row] for row in nodes]
                edges += len(texts[0])
        return edges

    return run


def main(argv: list[str]) -> None:
    name = argv[1] if len(argv) > 1 else "cora"
    folder = find_dataset(name)
    network = TextualNetwork.read(folder)
    split = network.split(0.55)
    runs = {
        "pipeline, trimmed to the batch": pipeline(network, split.train, True),
        "pipeline, full width": pipeline(network, split.train, False),
        "pipeline, upstream mode": upstream_mode(network, split.train),
    }
    if UPSTREAM.value:
        import tempfile

        draft = Path(tempfile.mkdtemp())
        split.write(draft)
        runs["upstream's DataSet.py"] = upstream_itself(
            Path(UPSTREAM.value), folder, draft
        )
    rates: dict[str, list[float]] = {label: [] for label in runs}
    for turn in range(ROUNDS.value + 1):
        for label, run in runs.items():
            start = time.perf_counter()
            edges = run()
            if turn:  # the first round warms up
                rates[label].append(edges / (time.perf_counter() - start))
    print(f"{name} 0.55, {len(split.train):,} training edges, batch 64\n")
    print("| | edges a second | spread |\n|---|---|---|")
    for label, values in rates.items():
        middle = statistics.median(values)
        print(f"| {label} | {middle:,.0f} | {min(values):,.0f} to {max(values):,.0f} |")


if __name__ == "__main__":
    app.run(main)
