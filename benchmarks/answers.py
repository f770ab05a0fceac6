"""How long answers take after training: `bash run.sh benchmark answers RUN`.

Opens the run in this process, then asks for suggestions, nodes like a text, and
reasons, 21 times each for random nodes. The first question of a kind loads what the run
folder keeps, or computes it where it is the first ever; the others show what a question
takes.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import cane_gane

QUESTIONS = 21
TOP = 10


def seconds(ask: Callable[[int], Any], node: int) -> float:
    """Returns how long an answer about a node takes."""
    start = time.perf_counter()
    ask(node)
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run")
    given = parser.parse_args()
    start = time.perf_counter()
    model = cane_gane.open(given.run)
    print(f"open: {time.perf_counter() - start:.1f} s\n")
    count, texts = model.network.node_count, model.network.texts
    kinds: dict[str, Callable[[int], Any]] = {
        "recommend, a known node": lambda node: model.recommend(node, top=TOP),
        "recommend, a new text": lambda node: model.recommend(
            text=f"{texts[node]} unheard", top=TOP
        ),
        "search": lambda node: model.search(texts[node], top=TOP),
        "explain": lambda node: model.explain(node, (node + 1) % count),
    }
    print(
        "| question | first, s | median of the others, s | longest of the others, s |"
    )
    print("|---|---:|---:|---:|")
    for kind, ask in kinds.items():
        nodes = np.random.default_rng(0).integers(count, size=QUESTIONS).tolist()
        first, *others = [seconds(ask, node) for node in nodes]
        print(f"| {kind} | {first:.2f} | {np.median(others):.3f} | {max(others):.3f} |")


if __name__ == "__main__":
    main()
