"""Time and memory of a training step as work grows: `bash run.sh benchmark growth`.

Random texts and edges; one size changes at a time, and each point is measured in its
own process. Writes the log-log plot to docs/figures/growth.png and prints the points
with the fitted slope and the peak memory.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from benchmarks.turns import peak
from cane_gane.models.settings import ModelSettings
from cane_gane.training.runtime import load_tensorflow

ROOT = Path(__file__).resolve().parent.parent
USUAL = {"words in a text": 100, "edges in a batch": 64, "vocabulary": 10_000,
         "nodes": 1_000}  # fmt: skip
SIZES = {
    "words in a text": (50, 100, 200, 400, 700, 1000),
    "edges in a batch": (16, 32, 64, 128, 256),
    "vocabulary": (10_000, 30_000, 100_000, 300_000, 1_000_000),
    "nodes": (1_000, 10_000, 100_000, 300_000, 1_000_000),
}
STEPS = 5


def step_seconds(sizes: dict[str, int]) -> float:
    from cane_gane.data.tokens import EncodedTexts
    from cane_gane.models.build import build_model
    from cane_gane.sampling.batches import edge_batches
    from cane_gane.sampling.edges import EdgeSampler
    from cane_gane.training.compile import compile_model

    rng = np.random.default_rng(1)
    words, nodes = sizes["words in a text"], sizes["nodes"]
    texts = EncodedTexts.of(
        rng.integers(1, sizes["vocabulary"], (nodes, words), dtype=np.int32),
        np.full(nodes, words),
    )
    batch = sizes["edges in a batch"]
    edges = rng.integers(0, nodes, (2 * batch, 2))
    settings = ModelSettings.make(batch_size=batch, start="random")
    model = build_model(settings, "ap", sizes["vocabulary"], nodes, seed=1)
    compile_model(model, settings)
    batches = iter(edge_batches(texts, EdgeSampler(edges, batch_size=batch)))
    model.make_train_function()
    model.train_function(batches)
    times = []
    for _ in range(STEPS):
        start = time.perf_counter()
        float(model.train_function(batches)["loss"])
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def slope(sizes: tuple[int, ...], seconds: list[float]) -> float:
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def draw(found: dict[str, list[float]], path: Path) -> None:
    from matplotlib.figure import Figure
    from matplotlib.ticker import EngFormatter

    figure = Figure(figsize=(9, 6), layout="constrained")
    axes = figure.subplots(2, 2, sharey=True)
    for axis, (name, seconds) in zip(axes.flat, found.items(), strict=True):
        axis.loglog(SIZES[name], seconds, "o-", color="#0072b2")
        axis.set_title(f"{name}: slope {slope(SIZES[name], seconds):.2f}")
        axis.set_xticks(SIZES[name], map(EngFormatter(sep=""), SIZES[name]))
        axis.minorticks_off()
        axis.grid(alpha=0.3)
    figure.supylabel("seconds of a step")
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, dpi=110)


def child(sizes: str) -> None:
    load_tensorflow(deterministic=True, device="auto")
    seconds = step_seconds(json.loads(sizes))
    print(json.dumps({"seconds": seconds, "peak_mb": peak()}))


def ask(name: str, size: int) -> dict[str, float]:
    print(name, size, file=sys.stderr, flush=True)
    command = [sys.executable, "-m", "benchmarks.growth"]
    given = json.dumps({**USUAL, name: size})
    done = subprocess.run(
        [*command, given], cwd=ROOT, stdout=subprocess.PIPE, check=True
    )
    answer: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return answer


def main() -> None:
    found: dict[str, list[float]] = {}
    print("| | sizes | seconds of a step | slope | peak MB |\n|---|---|---|---|---|")
    for name, sizes in SIZES.items():
        answers = [ask(name, size) for size in sizes]
        found[name] = [answer["seconds"] for answer in answers]
        cells = (
            ", ".join(f"{size:,}" for size in sizes),
            ", ".join(f"{x:.2f}" for x in found[name]),
            f"{slope(sizes, found[name]):.2f}",
            ", ".join(f"{answer['peak_mb']:,.0f}" for answer in answers),
        )
        print(f"| {name} | {' | '.join(cells)} |", flush=True)
    draw(found, ROOT / "docs" / "figures" / "growth.png")


if __name__ == "__main__":
    child(sys.argv[1]) if len(sys.argv) > 1 else main()
