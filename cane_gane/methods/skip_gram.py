"""Node vectors of a skip-gram over random walks, by gensim's Word2Vec."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from cane_gane.config import Settings, setting
from cane_gane.data.graph import Edges, adjacency
from cane_gane.data.random_walks import Walker
from cane_gane.training.room import check_room

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class WalkSettings(Settings):
    """How walks are drawn and what is made of them."""

    dimension: int = setting(200, "length of a node vector", low=1, high=10_000)
    walks: int = setting(10, "walks from each node", low=1, high=10**4)
    length: int = setting(40, "nodes of a walk", low=2, high=10**4)
    span: int = setting(
        10, "nodes to each side that a node predicts (deepwalk, node2vec, naive)",
        low=1, high=1_000,
    )  # fmt: skip
    passes: int = setting(1, "passes over the walks", low=1, high=10**4)


def walk_memory(node_count: int, settings: WalkSettings) -> float:
    """Returns the bytes that walks and vectors hold at the least."""
    step = 8 + 60  # a number, and a string for gensim
    walks = float(step * settings.walks * settings.length)
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
        edges: Training edges, `[train, 2]`; their directions do not count.
        node_count: The number of nodes.
        settings: How walks are drawn, and the skip-gram's settings.
        seed: What walks and vectors depend on, to the last bit.
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
    walks: npt.NDArray[np.int64], node_count: int, settings: WalkSettings, seed: int
) -> Floats:
    """Fits a skip-gram with negative sampling.

    Args:
        walks: Node ids, `[walks, length]`.
        node_count: The number of nodes.
        settings: The skip-gram's settings.
        seed: What its random numbers depend on.

    Returns:
        Vectors, `[nodes, dimension]`; a row of NaN for a node on no walk.
    """
    from gensim.models import Word2Vec

    names = np.arange(node_count).astype(str)
    model = Word2Vec(
        names[walks].tolist(),
        vector_size=settings.dimension,
        window=settings.span,
        min_count=0,
        sg=1,
        negative=5,
        sample=0,
        epochs=settings.passes,
        seed=seed + 1,  # it refuses 0
        workers=1,  # the order of steps of several depends on their pace
        hashfxn=_hash,
    )
    vectors = np.full((node_count, settings.dimension), np.nan, np.float32)
    vectors[[int(name) for name in model.wv.index_to_key]] = model.wv.vectors
    return vectors


def _hash(word: Any) -> int:
    """Python's own hash of a string is another one in each process."""
    return zlib.crc32(str(word).encode())
