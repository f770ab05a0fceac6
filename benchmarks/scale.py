"""Seconds and peak memory of each stage of a run, by size: `run.sh benchmark scale`.

    bash run.sh benchmark scale --debian=FOLDER [--dblp=FOLDER] [--sizes=5000,200000]

Debian is cut to its nodes of most edges for smaller sizes; without its folder, and
above its size, networks are synthetic. Each size is a process of its own. Results are
appended to benchmarks/scale.jsonl, a table with slopes is printed, and
docs/figures/scale.png is drawn.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

from benchmarks.machine import processor
from benchmarks.synthetic import write_network
from cane_gane.data.network import TextualNetwork
from cane_gane.data.splits import Split, split_edges

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "scale.jsonl"
FIGURE = ROOT / "docs" / "figures" / "scale.png"
SIZES = "5000,20000,63620,200000,1000000"
EDGES = 6_400  # in the part of an epoch that is measured
PAIRS = 8_192  # whose nodes are embedded


class Stages:
    """Wall time, processor time and peak memory of named stages."""

    def __init__(self) -> None:
        self.found: dict[str, dict[str, float]] = {}
        self._peaks: list[float] = []  # of the stages that are running

    @contextlib.contextmanager
    def __call__(self, name: str) -> Iterator[None]:
        self._look()
        self._peaks.append(0)
        start, cpu = time.perf_counter(), time.process_time()
        yield
        self._look()
        self.found[name] = {
            "seconds": round(time.perf_counter() - start, 1),
            "cpu": round(time.process_time() - cpu, 1),
            "peak_mb": round(self._peaks.pop()),
        }
        print(name, self.found[name], file=sys.stderr, flush=True)

    def timed(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Returns a function that times each of its calls as a stage."""

        def call(*given: Any, **named: Any) -> Any:
            with self(name):
                return function(*given, **named)

        return call

    def _look(self) -> None:
        """Updates the peak of all running stages, then resets the kernel's peak."""
        self._peaks = [max(peak, _status("VmHWM")) for peak in self._peaks]
        Path("/proc/self/clear_refs").write_text("5")


def measure(folder: Path, count: int) -> dict[str, Any]:
    """Measures the stages of `ap` on a network, cut to `count` nodes."""
    stages = Stages()
    with stages("read"):
        network = _cut(TextualNetwork.read(folder), count)
    with stages("split"):
        train, test = split_edges(network.edges, 0.9, "strict", 1)
    split = Split(network, train, test, 0.9, "strict", 1)
    sizes = {"nodes": network.node_count, "edges": len(network.edges)}
    _fit(split, stages, sizes)
    return {**sizes, "stages": stages.found}


def _fit(split: Split, stages: Stages, sizes: dict[str, int]) -> None:
    from cane_gane.methods import gane
    from cane_gane.methods.served import serve
    from cane_gane.methods.started import start
    from cane_gane.models.settings import ModelSettings
    from cane_gane.training.checkpoints import Place
    from cane_gane.training.runtime import load_tensorflow

    settings = ModelSettings.make(edges_per_epoch=EDGES, epochs=1)
    load_tensorflow(**gane.runtime_options(settings, "auto"))
    with stages("word ids and model"):
        inputs, model = gane.set_up("ap", split, settings, 1)
    sizes["words"] = len(inputs.tokenizer.words)
    with stages("the start as a whole"), _parts_of_start(inputs, stages):
        start(model, settings, inputs, 1)
    with stages(f"{EDGES:,} edges of an epoch"):
        model.fit(
            gane.batches(inputs, model, Place(0)), steps_per_epoch=inputs.sampler.steps,
            shuffle=False, verbose=0,
        )  # fmt: skip
    with stages("settle"):
        model.settle()
    with tempfile.TemporaryDirectory() as home, stages("export"):
        servable = serve(inputs, model, settings)
        servable.export(Path(home) / "model")
    pairs = np.random.default_rng(1).integers(sizes["nodes"], size=(PAIRS, 2))
    with stages(f"{PAIRS:,} pairs embedded"):
        servable.signatures()["embed_nodes"](nodes=pairs[:, 0], contexts=pairs[:, 1])


@contextlib.contextmanager
def _parts_of_start(inputs: Any, stages: Stages) -> Iterator[None]:
    """Times the parts of a start; those of a small network run side by side."""
    from cane_gane.models.start import tables, walks

    large = len(inputs.texts) >= tables.LARGE
    parts: list[tuple[Any, str, str]] = [
        (tables, "text_space" if large else "lsa_vectors", "LSA"),
        (
            tables if large else walks,
            "large_walk_step" if large else "walk_step",
            "nearest texts",
        ),
        (tables if large else walks, "walk_space", "walks"),
    ]
    with contextlib.ExitStack() as stack:
        for module, name, stage in parts:
            timed = stages.timed(stage, getattr(module, name))
            stack.enter_context(mock.patch.object(module, name, timed))
        yield


def _cut(network: TextualNetwork, count: int) -> TextualNetwork:
    if count >= network.node_count:
        return network
    # Nodes with the most edges come first, so that a part is as dense as the whole.
    degrees = np.bincount(network.edges.ravel(), minlength=network.node_count)
    kept = np.sort(np.argsort(-degrees, kind="stable")[:count])
    place = np.full(network.node_count, -1)
    place[kept] = np.arange(count)
    edges = place[network.edges]
    texts = [network.texts[node] for node in kept.tolist()]
    return TextualNetwork(texts, edges[(edges >= 0).all(axis=1)])


def _status(name: str) -> float:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) / 1024
    return float("nan")


def table(rows: list[dict[str, Any]]) -> str:
    """Returns a row for each stage: CPU seconds and peak MB of each size, slopes."""
    rows = sorted(rows, key=lambda row: row["nodes"])
    heads = [f"{row['name']}, {row['nodes']:,}" for row in rows]
    lines = ["| stage | " + " | ".join(heads) + " | slope |"]
    lines.append("|---" * (len(heads) + 2) + "|")
    for stage in rows[-1]["stages"]:
        points = [(row["nodes"], row["stages"].get(stage)) for row in rows]
        cells = [
            f"{own['seconds']:,.0f} ({own['cpu']:,.0f}), {own['peak_mb']:,.0f}"
            if own else "" for _, own in points
        ]  # fmt: skip
        known = [(count, own["cpu"]) for count, own in points if own and own["cpu"] > 1]
        slope = ""
        if len({count for count, _ in known}) > 1:
            slope = f"{np.polyfit(*np.log(known).T, 1)[0]:.2f}"
        lines.append(f"| {stage} | {' | '.join(cells)} | {slope} |")
    return "\n".join(lines)


def draw(rows: list[dict[str, Any]], path: Path) -> None:
    """Draws the CPU seconds of each stage by the number of nodes."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 5), layout="constrained")
    axes = figure.subplots()
    rows = sorted(rows, key=lambda row: row["nodes"])
    nodes = np.array([row["nodes"] for row in rows], float)
    for stage in rows[-1]["stages"]:
        points = [
            (row["nodes"], row["stages"][stage]["cpu"])
            for row in rows if row["stages"].get(stage, {}).get("cpu", 0) > 1
        ]  # fmt: skip
        if len(points) > 1:
            axes.loglog(*zip(*points, strict=True), "o-", label=stage)
    growth = nodes * np.log(nodes)
    axes.loglog(nodes, growth / growth[0], "--", color="grey", label="n log n")
    axes.set_xlabel("nodes")
    axes.set_ylabel("CPU seconds")
    axes.grid(alpha=0.3)
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
    figure.savefig(path, dpi=110)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--debian", type=Path)
    parser.add_argument("--dblp", type=Path)
    parser.add_argument("--sizes", default=SIZES)
    parser.add_argument("--measure", nargs=2)
    given = parser.parse_args()
    if given.measure:
        print(json.dumps(measure(Path(given.measure[0]), int(given.measure[1]))))
        return
    found = []
    with tempfile.TemporaryDirectory() as home:
        for size in map(int, given.sizes.split(",")):
            name, folder = "Debian", given.debian
            if folder is None or size > 63_620:
                name, folder = "synthetic", Path(home) / str(size)
                write_network(folder, size)
            found.append(ask(name, folder, size))
    if given.dblp:
        found.append(ask("dblp", given.dblp, 10**9))
    print(table(found))
    draw(found, FIGURE)


def ask(name: str, folder: Path, size: int) -> dict[str, Any]:
    """Measures a network in a process of its own, and keeps the result."""
    print(name, f"{size:,}", file=sys.stderr, flush=True)
    command = [sys.executable, "-m", "benchmarks.scale", "--measure"]
    done = subprocess.run(
        [*command, str(folder), str(size)], cwd=ROOT, stdout=subprocess.PIPE, check=True
    )
    measured = json.loads(done.stdout.splitlines()[-1])
    row = {"name": name, "processor": processor(), **measured}
    with open(RESULTS, "a", encoding="utf-8") as file:
        file.write(json.dumps(row) + "\n")
    return row


if __name__ == "__main__":
    main()
