"""A small network with three topics, for tests that train."""

from __future__ import annotations

from pathlib import Path

import numpy as np


def write_topics(folder: Path, nodes: int = 60, seed: int = 0) -> Path:
    """Writes a network whose edges mostly join nodes that share a topic's words."""
    generator = np.random.default_rng(seed)
    topics = generator.integers(0, 3, nodes)
    words = [[f"topic{t}word{i}" for i in range(12)] for t in range(3)]
    texts = [
        " ".join(generator.choice(words[topic], generator.integers(4, 15)))
        for topic in topics
    ]
    edges = set()
    while len(edges) < 3 * nodes:
        source, target = generator.integers(0, nodes, 2).tolist()
        alike = topics[source] == topics[target]
        if source < target and (alike or generator.random() < 0.05):
            edges.add((source, target))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "data.txt").write_text("".join(f"{text}\n" for text in texts))
    (folder / "graph.txt").write_text("".join(f"{a}\t{b}\n" for a, b in sorted(edges)))
    (folder / "group.txt").write_text("".join(f"{topic}\n" for topic in topics))
    return folder
