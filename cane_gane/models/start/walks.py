"""Node vectors to start from: walks over edges and similar texts, and popularity."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.linalg import orthogonal_procrustes
from scipy.sparse.linalg import eigsh
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import normalize
from threadpoolctl import threadpool_limits

from cane_gane.data.graph import Edges, neighbours
from cane_gane.data.tfidf import one_hop_vectors, tfidf_vectors
from cane_gane.models.start.blocks import blocks, in_turn
from cane_gane.models.start.halves import in_order, nearest
from cane_gane.progress import Progress

Floats = npt.NDArray[np.float32]

WALK_NORM = 4.0  # with it structure and text weigh alike in the score
_SIMILAR = 15  # texts that each node is joined with
GOES_ON = 0.85  # the chance that a walk takes another step
_FLOOR = 1e-4  # below it, two nodes are as far apart as any
_SWEEPS = 24  # of the linear solver: an error of 1e-5 at that chance
_FEWER = 16  # of a large network: logarithms are wrong by 0.0005 (root mean square)
_CELLS = 50_000_000  # of the largest matrices: 0.2 GB each
_COLUMNS = 800  # nodes that walks end at, however large the network
_BLOCK = 20_000_000  # cells of a matrix that is solved at once, of about ten
_AT_ONCE = 32  # columns that are solved at once, at the most: more leave the cache
_ROWS = 20_000  # nodes whose vectors are made at once


@threadpool_limits.wrap(limits=1)  # sums of several threads depend on their number
def walk_vectors(
    texts: Sequence[str], train: Edges, dimension: int, seed: int
) -> Floats:
    """Factorises how often walks from one node end at another.

    The walks are over the training edges, and over weaker ones between a node and
    those with the nearest texts, taken alone and with their training neighbours', so
    that a node without a training edge has a vector too. R = (1 - c B)^-1, with B the
    normalised adjacency, counts them, and the inner products of the vectors are near
    log R, up to a constant: what a skip-gram over sampled walks would settle at. In a
    large network the columns of R are those of a sample of nodes, and the vectors of
    all others follow from these (Nyström's method).

    Args:
        texts: The text of each node.
        train: Training edges, `[train, 2]`. No other edge is looked at.
        dimension: Columns of the result.
        seed: What the sample of nodes depends on.

    Returns:
        Vectors of norm `WALK_NORM`, `[nodes, dimension]`.
    """
    count = len(texts)
    if not dimension:
        return np.zeros((count, 0), np.float32)
    step = walk_step(tfidf_vectors(texts, longest=2), neighbours(train, count))
    return walk_space(step, dimension, seed)[0]


class WalkSpace(NamedTuple):
    """How the vector of any node follows from its walks to a sample of nodes.

    Attributes:
        sample: The sample.
        mean: What all logarithms of walks have in common.
        projection: From the rest to vectors, `[sample, dimension]`.
    """

    sample: npt.NDArray[np.int64]
    mean: float
    projection: Floats

    def of(self, walks: Floats) -> Floats:
        """Returns vectors of norm `WALK_NORM`, `[nodes, dimension]`.

        Args:
            walks: Logarithms of walks to the sample, `[nodes, sample]`.
        """
        return WALK_NORM * normalize((walks - self.mean) @ self.projection)

    def projected(self, walks: Floats) -> Floats:
        """Returns the same of any norm: inner products are near the logarithms."""
        return np.asarray((walks - self.mean) @ self.projection, np.float32)


def walk_space(
    step: Any,
    dimension: int,
    seed: int,
    order: npt.NDArray[np.int64] | None = None,
    unit: bool = True,
) -> tuple[Floats, WalkSpace]:
    """Factorises the walks of `walk_vectors`.

    Args:
        step: What `walk_chances` returns, `[nodes, nodes]`.
        dimension: Columns of the vectors.
        seed: What the sample of nodes depends on.
        order: Of a large network, an order of nodes in which near ones are together.
        unit: Whether vectors have one norm, `WALK_NORM`; else their inner products are
            the logarithms of walks, less their mean.

    Returns:
        The vectors, `[nodes, dimension]`, and how they follow from walks.
    """
    count = step.shape[0]
    if not dimension:
        nothing = np.zeros(0, np.int64), 0.0, np.zeros((0, 0), np.float32)
        return np.zeros((count, 0), np.float32), WalkSpace(*nothing)
    size = min(count, max(2 * dimension, _COLUMNS, _CELLS // max(count, 1)))
    sample = np.sort(np.random.default_rng(seed).permutation(count)[:size])
    if order is None and count * size <= _CELLS:
        near: Any = log_walks(step, sample)
    else:
        near = _near(step, sample, np.arange(count) if order is None else order)
    mean = near.mean(dtype=None if near.dtype == np.float32 else np.float64)
    inner = near[sample].astype(np.float32) - mean
    values, vectors = _largest((inner + inner.T) / 2, dimension, seed)
    kept = values > 1e-6 * max(float(values[-1]), 1e-12)
    projection = np.zeros((size, dimension), np.float32)
    projection[:, : kept.sum()] = vectors[:, kept] / np.sqrt(values[kept])
    space = WalkSpace(sample, float(mean), projection)
    found = np.empty((count, dimension), np.float32)
    vectors_of = space.of if unit else space.projected
    for rows in blocks(count, _ROWS):
        found[rows] = vectors_of(near[rows].astype(np.float32))
    return found, space


def _near(
    step: Any, sample: npt.NDArray[np.int64], order: npt.NDArray[np.int64]
) -> Any:
    """Returns `log_walks` between all nodes and a sample, `[nodes, sample]`.

    In blocks of columns, and in half precision, whose error of 0.2 % is far below what
    the floor leaves of a logarithm. Nodes are renumbered for it: where near ones are
    together, a step of the walks finds most of what it reads in the cache.
    """
    count, size = step.shape[0], len(sample)
    near = np.empty((count, size), np.float16)
    place = np.empty(count, np.int64)
    place[order] = np.arange(count)
    step = _renumbered(step, order)
    cut = blocks(size, max(1, min(_AT_ONCE, _BLOCK // count)))

    def walks(columns: slice) -> Floats:
        return log_walks(step, place[sample[columns]], sweeps=_FEWER)

    with Progress("walks", size) as progress:
        for columns, found in in_turn(walks, cut):
            near[order, columns] = found
            progress.add(columns.stop - columns.start)
    return near


def _renumbered(step: Any, order: npt.NDArray[np.int64]) -> Any:
    """Returns the same matrix of nodes in another order, with small indices."""
    found = step[order][:, order]
    found.sort_indices()
    if found.nnz < np.iinfo(np.int32).max:
        found.indices = found.indices.astype(np.int32)
        found.indptr = found.indptr.astype(np.int32)
    return found


def walk_step(own: Any, joined: Any) -> Any:
    """Returns c B: where a walk goes next, with the chance that it goes on.

    Args:
        own: Text vectors of length 1, `[nodes, size]`, sparse.
        joined: Adjacency of the training edges, `[nodes, nodes]`, sparse.

    Returns:
        The matrix, `[nodes, nodes]`, sparse and symmetric.
    """
    similar = _nearest(own) + _nearest(one_hop_vectors(own, joined))
    return walk_chances(joined + similar / 2)


def large_walk_step(
    own: Floats, train: Edges, seed: int
) -> tuple[Any, npt.NDArray[np.int64]]:
    """As `walk_step`, for a large network: the nearest texts by trees.

    Args:
        own: Text vectors of length 1, `[nodes, size]`, such as those of LSA.
        train: Training edges, `[train, 2]`.
        seed: What the trees depend on.

    Returns:
        The matrix, and an order of nodes, `[nodes]`, for `walk_space`.
    """
    joined = neighbours(train, len(own)).astype(np.float32)
    text = nearest(own, _SIMILAR, seed, "similar texts")
    hop = near_vectors(own, joined)
    both = nearest(hop, _SIMILAR, seed, "similar texts with neighbours")
    step = walk_chances(joined + (text + both) / np.float32(2))
    return step, in_order(hop, seed)


def near_vectors(own: Floats, joined: Any) -> Floats:
    """Returns dense text vectors with those of neighbours, as `one_hop_vectors` does.

    Args:
        own: Text vectors of length 1, `[nodes, size]`.
        joined: Adjacency of the training edges, `[nodes, nodes]`, sparse.
    """
    hop = np.empty_like(own)
    for rows in blocks(len(own), _ROWS):
        hop[rows] = normalize(own[rows] + normalize(joined[rows] @ own))
    return hop


def walk_chances(weights: Any, goes_on: float = GOES_ON) -> Any:
    """Returns c B, with B the weights, normalised, and c the chance to go on.

    Args:
        weights: Weights between nodes, `[nodes, nodes]`, sparse and symmetric.
        goes_on: The chance that a walk takes another step.
    """
    sums = np.asarray(weights.sum(axis=1)).ravel()
    scale = sparse.diags_array(1 / np.sqrt(np.maximum(sums, 1e-12)))
    # Each weight over the square roots of its row's and its column's sum.
    return goes_on * (scale @ weights @ scale).tocsr().astype(np.float32)


def log_walks(
    step: Any,
    nodes: npt.NDArray[np.int64],
    goes_on: float = GOES_ON,
    sweeps: int = _SWEEPS,
) -> Floats:
    """Returns log R between all nodes and some, `[nodes, some]`; R = (1 - step)^-1.

    Args:
        step: What `walk_chances` returns.
        nodes: Some nodes.
        goes_on: The chance that it was given.
        sweeps: How many steps of the solver are taken.
    """
    found = _solve(step, nodes, goes_on, sweeps)
    found += np.float32(_FLOOR)
    return np.log(found, out=found)


def popularity(train: Edges, count: int) -> Floats:
    """Returns 1 + log(1 + n) for each of `count` nodes, n of whose edges end there.

    Edges by chance would end at all nodes alike; real ones prefer the popular.
    """
    links = train[train[:, 0] != train[:, 1]]
    return (1 + np.log1p(np.bincount(links[:, 1], minlength=count))).astype(np.float32)


@threadpool_limits.wrap(limits=1)
def turned_to_texts(walks: Floats, popular: Floats, texts: Floats) -> Floats:
    """Turns all vectors of walks alike, each as near to its text's as can be.

    Inner products among them stay; those with text vectors, the mixed terms of the
    score, have a meaning from the start. Popularity goes along the direction that is
    left free, so that the inner product of two nodes gains the product of theirs.

    Args:
        walks: What `walk_vectors` gave, `[nodes, dimension - 1]`.
        popular: The popularity of each node, times its weight, `[nodes]`.
        texts: Text vectors of the first of them, `[some nodes, dimension]`.

    Returns:
        The vectors, `[nodes, dimension]`.
    """
    some = np.pad(walks[: len(texts)], ((0, 0), (0, 1)))
    turn, _ = orthogonal_procrustes(some, normalize(texts))
    found = np.empty((len(walks), turn.shape[1]), np.float32)
    for rows in blocks(len(walks), _ROWS):
        found[rows] = np.column_stack([walks[rows], popular[rows]]) @ turn
    return found


def _largest(matrix: Any, count: int, seed: int) -> tuple[Floats, Floats]:
    """Returns the largest eigenvalues of a symmetric matrix, and their vectors."""
    if len(matrix) <= 2 * count:
        values, vectors = np.linalg.eigh(matrix)
        return values[-count:], vectors[:, -count:]
    start = np.random.default_rng(seed).standard_normal(len(matrix))
    return eigsh(matrix, count, which="LA", v0=start)


def _nearest(vectors: Any) -> Any:
    """Joins each node with those of the nearest vectors, weighted by their cosine."""
    count = vectors.shape[0]
    similar = min(_SIMILAR, count - 1)
    if similar < 1:
        return sparse.csr_array((count, count))
    search = NearestNeighbors(n_neighbors=similar, metric="cosine").fit(vectors)
    graph = sparse.csr_array(search.kneighbors_graph(mode="distance"))
    graph.data = np.maximum(1 - graph.data, 0)
    return graph.maximum(graph.T)


def _solve(
    step: Any, sample: npt.NDArray[np.int64], goes_on: float, sweeps: int = _SWEEPS
) -> Floats:
    """Returns the columns `sample` of (1 - step)^-1."""
    right = np.zeros((step.shape[0], len(sample)), np.float32)
    right[sample, np.arange(len(sample))] = 1
    return count_walks(step, right, goes_on, sweeps)


def count_walks(
    step: Any, starts: Floats, goes_on: float = GOES_ON, sweeps: int = _SWEEPS
) -> Floats:
    """Returns (1 - step)^-1 starts, `[nodes, some]`, by Chebyshev's iteration.

    Args:
        step: What `walk_chances` returns.
        starts: Where walks start, `[nodes, some]`.
        goes_on: The chance that it was given.
        sweeps: How many steps of the solver are taken.
    """
    before, now, factor = np.zeros_like(starts), starts.copy(), 2.0
    for _ in range(sweeps):
        factor = 1 / (1 - goes_on**2 * factor / 4)
        # before + factor * (step @ now + starts - before), without a copy
        then = step @ now
        then += starts
        then -= before
        then *= factor
        then += before
        before, now = now, then
    return np.maximum(now, 0, out=now)
