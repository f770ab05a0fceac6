"""Node vectors from a skip-gram over random walks, by gensim's Word2Vec."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from cane_gane.config import Settings, setting
from cane_gane.data.graph import Edges, adjacency
from cane_gane.data.random_walks import Walker
from cane_gane.progress import Progress
from cane_gane.training.room import check_room

Floats = npt.NDArray[np.float32]
Integers = npt.NDArray[np.int64]

_AT_ONCE = 1000  # walks that are turned into sentences at once


@dataclass(frozen=True)
class WalkSettings(Settings):
    """How walks are drawn, and how the skip-gram is trained."""

    dimension: int = setting(200, "length of a node vector", low=1, high=10_000)
    walks: int = setting(10, "walks from each node", low=1, high=10**4)
    length: int = setting(40, "nodes of a walk", low=2, high=10**4)
    span: int = setting(
        10, "nodes to each side that a node predicts (deepwalk, node2vec, naive)",
        low=1, high=1_000,
    )  # fmt: skip
    passes: int = setting(1, "passes over the walks", low=1, high=10**4)


def walk_memory(node_count: int, settings: WalkSettings) -> float:
    """Returns the least number of bytes that walks and vectors need."""
    walks = 8.0 * settings.walks * settings.length
    return node_count * (walks + 2 * 4 * settings.dimension)


def walk_vectors(
    edges: Edges,
    node_count: int,
    settings: WalkSettings,
    seed: int,
    p: float = 1.0,
    q: float = 1.0,
) -> Floats:
    """Draws walks over training edges and fits a skip-gram to them.

    Args:
        edges: Training edges, `[train, 2]`; their directions are ignored.
        node_count: The number of nodes.
        settings: How walks are drawn, and the skip-gram's settings.
        seed: The seed; it determines walks and vectors to the last bit.
        p: See `Walker`.
        q: See `Walker`.

    Returns:
        Vectors, `[nodes, dimension]`; a row of NaN for a node without an edge.
    """
    check_room(partial(walk_memory, node_count), settings)
    walker = Walker(adjacency(edges, node_count), p, q)
    rng = np.random.default_rng(seed)
    starts = np.repeat(walker.nodes, settings.walks)
    walks = walker.walk(rng.permutation(starts), settings.length, rng)
    return fit_skip_gram(walks, node_count, settings, seed)


def fit_skip_gram(
    walks: Integers, node_count: int, settings: WalkSettings, seed: int
) -> Floats:
    """Fits a skip-gram with negative sampling.

    Args:
        walks: Node ids, `[walks, length]`.
        node_count: The number of nodes.
        settings: The skip-gram's settings.
        seed: The seed of its random numbers.

    Returns:
        Vectors, `[nodes, dimension]`; a row of NaN for a node on no walk.
    """
    from gensim.models import Word2Vec

    with Progress("skip-gram", settings.passes * len(walks)) as progress:
        model = Word2Vec(
            _Sentences(walks, node_count, progress),
            vector_size=settings.dimension,
            window=settings.span,
            min_count=0,
            sg=1,
            negative=5,
            sample=0,
            epochs=settings.passes,
            seed=seed + 1,  # gensim refuses 0
            workers=1,  # with more, the order of steps is not reproducible
            hashfxn=_hash,
        )
    vectors = np.full((node_count, settings.dimension), np.nan, np.float32)
    vectors[[int(name) for name in model.wv.index_to_key]] = model.wv.vectors
    return vectors


class _Sentences:
    """Walks as sentences, block by block: all at once would take 8 times the memory."""

    def __init__(self, walks: Integers, node_count: int, progress: Progress) -> None:
        """Takes the walks, and a progress line that counts walks read for learning."""
        self._walks, self._progress = walks, progress
        self._names = np.arange(node_count).astype(str)
        self._learns = False  # the first pass only reads the words

    def __iter__(self) -> Iterator[list[str]]:
        for first in range(0, len(self._walks), _AT_ONCE):
            block = self._walks[first : first + _AT_ONCE]
            yield from self._names[block].tolist()
            if self._learns:
                self._progress.add(len(block))
        self._learns = True


def _hash(word: Any) -> int:
    """A stable hash: Python's own hash of a string differs between processes."""
    return zlib.crc32(str(word).encode())
