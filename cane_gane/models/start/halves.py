"""Finds nearest vectors in a large network by trees of halves, not by all pairs.

A tree repeatedly halves the vectors along the line between two centres, until groups of
a few hundred are left, which are compared within the group. Neighbours that one tree
separates are found by another. Each tree takes n log n steps, most of them matrix
products.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from cane_gane.models.start.blocks import blocks, in_turn
from cane_gane.progress import Progress

Floats = npt.NDArray[np.float32]
Integers = npt.NDArray[np.int64]

_TREES = 16
_TOGETHER = 512  # vectors that are compared with each other
_CLOSE = 64  # vectors in a group of `in_order`
_LOOKED_AT = 256  # vectors that decide how others are halved
_TURNS = 3  # of the two centres
_ROWS = 20_000  # vectors at once


def nearest(vectors: Floats, similar: int, seed: int, stage: str) -> Any:
    """Joins each node with those of the nearest vectors, weighted by their cosine.

    Args:
        vectors: Vectors of length 1, or 0 for a node that is joined with no other.
        similar: The approximate number of others that each node is joined with.
        seed: The seed of the trees.
        stage: The title of the progress line.

    Returns:
        The weights, `[nodes, nodes]`, sparse and symmetric.
    """
    count = len(vectors)
    known = np.flatnonzero(vectors.any(axis=1))
    asked = min(similar, len(known) - 1)
    if asked < 1:
        return sparse.csr_array((count, count), dtype=np.float32)
    own = vectors if len(known) == count else vectors[known]
    others = np.full((len(own), asked), -1, np.int32)
    cosines = np.zeros((len(own), asked), np.float32)
    with Progress(stage, _TREES) as progress:
        trees = in_turn(lambda tree: _of_tree(own, asked, [seed, tree]), range(_TREES))
        for _, found in trees:
            for rows in blocks(len(own), _ROWS):
                _merge(others[rows], cosines[rows], *(part[rows] for part in found))
            progress.add()
    return _joined(count, known, others, cosines)


def in_order(vectors: Floats, seed: int) -> Integers:
    """Returns an order of vectors, `[vectors]`, in which near vectors are adjacent."""
    rng = np.random.default_rng([seed, _TREES])
    return np.concatenate([*_leaves(vectors, _CLOSE, rng), np.zeros(0, np.int64)])


def _of_tree(vectors: Floats, asked: int, seed: Any) -> tuple[Any, Floats]:
    """Returns the nearest vectors in the same group of one tree, and their cosines.

    Both are `[vectors, asked]`, padded with -1 and 0.
    """
    others = np.full((len(vectors), asked), -1, np.int32)
    cosines = np.zeros((len(vectors), asked), np.float32)
    for nodes in _leaves(vectors, _TOGETHER, np.random.default_rng(seed)):
        own = vectors[nodes]
        near = own @ own.T
        np.fill_diagonal(near, -2)
        size = min(asked, len(nodes) - 1)
        best = np.argpartition(near, len(nodes) - size, axis=1)[:, len(nodes) - size :]
        others[nodes, :size] = nodes[best]
        cosines[nodes, :size] = np.take_along_axis(near, best, axis=1)
    return others, cosines


def _leaves(vectors: Floats, size: int, rng: np.random.Generator) -> Iterator[Integers]:
    """Yields groups of near vectors, with at most `size` and over a quarter of it."""
    waiting = [np.arange(len(vectors))]
    while waiting:
        nodes = waiting.pop()
        if len(nodes) <= size:
            yield nodes
            continue
        line = _line(vectors[rng.choice(nodes, _LOOKED_AT)])
        along = np.empty(len(nodes), np.float32)
        for rows in blocks(len(nodes), _ROWS):
            along[rows] = vectors[nodes[rows]] @ line
        middle = len(nodes) // 2
        order = np.argpartition(along, middle)
        waiting += [nodes[order[middle:]], nodes[order[:middle]]]


def _line(some: Floats) -> Floats:
    """Returns the line between the centres of two halves of vectors, `[size]`."""
    line = some[0] - some[1]
    for _ in range(_TURNS):
        along = some @ line
        above = along > np.median(along)
        if not above.any():  # all are equal
            break
        line = some[above].mean(axis=0) - some[~above].mean(axis=0)
    return line


def _merge(others: Any, cosines: Floats, found: Any, near: Floats) -> None:
    """Merges the nearest of both into the first two arrays, `[vectors, asked]` each."""
    asked = others.shape[1]
    twice = (found[:, :, None] == others[:, None, :]).any(axis=2)
    both = np.concatenate([others, found], axis=1)
    weights = np.concatenate([cosines, np.where(twice, -2, near)], axis=1)
    best = np.argpartition(weights, asked, axis=1)[:, asked:]
    others[:] = np.take_along_axis(both, best, axis=1)
    cosines[:] = np.take_along_axis(weights, best, axis=1)


def _joined(count: int, known: Integers, others: Any, cosines: Floats) -> Any:
    """Returns the weights between nodes, the larger of both directions."""
    kept = (others >= 0) & (cosines > 0)
    sources, targets = known[np.nonzero(kept)[0]], known[others[kept]]
    shape = count, count
    graph = sparse.csr_array((cosines[kept], (sources, targets)), shape)
    return graph.maximum(graph.T)
