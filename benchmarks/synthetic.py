"""Networks of any size with topics: `bash run.sh benchmark synthetic FOLDER NODES`.

Every topic has its own words and nodes. A text mixes words of its topic with common
ones, both drawn by Zipf's law; most edges stay inside a topic, and its first nodes are
popular. All files are written block by block.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

NODES_OF_TOPIC = 400
WORDS_OF_TOPIC = 300
COMMON = 3_000  # words that all topics share
SHORTEST, LONGEST = 15, 65
OF_TOPIC = 0.5  # share of a text's words
EDGES_OF_NODE = 4
INSIDE = 0.95  # share of the edges
BLOCK = 20_000


def write_network(folder: Path, count: int, seed: int = 1) -> None:
    """Writes data.txt, graph.txt and group.txt of `count` nodes."""
    rng = np.random.default_rng(seed)
    topics = max(10, count // NODES_OF_TOPIC)
    topic = rng.integers(topics, size=count)
    folder.mkdir(parents=True, exist_ok=True)
    # Topics share words: the vocabulary grows with the square root of the nodes only.
    vocabulary = COMMON + min(topics * WORDS_OF_TOPIC, 100 * int(count**0.5))
    with open(folder / "data.txt", "w", encoding="ascii") as file:
        for block in texts(rng, topic, _words(vocabulary)):
            file.writelines(block)
    edges = _edges(rng, topic, topics)
    with open(folder / "graph.txt", "w", encoding="ascii") as file:
        for first in range(0, len(edges), BLOCK):
            rows = edges[first : first + BLOCK].tolist()
            file.writelines(f"{source}\t{target}\n" for source, target in rows)
    groups = (f"topic{own % 20}\n" for own in topic.tolist())
    (folder / "group.txt").write_text("".join(groups), encoding="ascii")


def texts(
    rng: np.random.Generator, topic: Any, words: np.ndarray
) -> Iterator[list[str]]:
    """Yields the lines of data.txt, a block at a time."""
    for first in range(0, len(topic), BLOCK):
        own = topic[first : first + BLOCK]
        lengths = rng.integers(SHORTEST, LONGEST + 1, size=len(own))
        owner = np.repeat(own, lengths)
        common = _zipf(rng, COMMON, len(owner))
        special = owner * WORDS_OF_TOPIC + _zipf(rng, WORDS_OF_TOPIC, len(owner))
        special = COMMON + special * 7919 % (len(words) - COMMON)  # a prime
        chosen = np.where(rng.random(len(owner)) < OF_TOPIC, special, common)
        ends = np.cumsum(lengths).tolist()
        found = words[chosen].tolist()
        starts = [0, *ends[:-1]]
        yield [" ".join(found[a:b]) + "\n" for a, b in zip(starts, ends, strict=True)]


def _zipf(rng: np.random.Generator, count: int, size: int) -> Any:
    shares = np.cumsum(1 / np.arange(1, count + 1))
    return np.searchsorted(shares / shares[-1], rng.random(size)).clip(0, count - 1)


def _edges(rng: np.random.Generator, topic: Any, topics: int) -> Any:
    order = np.argsort(topic, kind="stable")
    starts = np.searchsorted(topic[order], np.arange(topics + 1))
    source = np.repeat(np.arange(len(topic)), EDGES_OF_NODE)
    first, last = starts[topic[source]], starts[topic[source] + 1]
    # the cube prefers the first nodes of a topic
    inside = order[first + (rng.random(len(source)) ** 3 * (last - first)).astype(int)]
    anywhere = rng.integers(len(topic), size=len(source))
    target = np.where(rng.random(len(source)) < INSIDE, inside, anywhere)
    pairs = np.stack([source, target], axis=1)[source != target]
    return rng.permutation(np.unique(pairs, axis=0))


def _words(count: int) -> np.ndarray:
    """Returns words of three to five syllables, none twice."""
    parts = [a + b for a, b in product("bdfgklmnprstvz", "aeiou")]
    names = (
        "".join(some) for size in (3, 4, 5) for some in product(parts, repeat=size)
    )
    return np.array([name for name, _ in zip(names, range(count), strict=False)])


if __name__ == "__main__":
    write_network(Path(sys.argv[1]), int(sys.argv[2]))
