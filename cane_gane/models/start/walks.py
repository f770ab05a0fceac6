"""Initial node vectors: walks over edges and similar texts, and popularity."""

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

WALK_NORM = 4.0  # gives structure and text the same weight in the score
_SIMILAR = 15  # similar texts that each node is joined with
GOES_ON = 0.85  # the probability that a walk takes another step
_FLOOR = 1e-4  # with fewer walks, two nodes are as far apart as any
_SWEEPS = 24  # of the linear solver: an error of 1e-5 at `GOES_ON`
_FEWER = 16  # in a large network: logarithms have an RMS error of 0.0005
_CELLS = 50_000_000  # of the largest matrices: 0.2 GB each
_COLUMNS = 800  # nodes where walks end, in networks of any size
_BLOCK = 20_000_000  # cells of each of about ten matrices held by a solver
_AT_ONCE = 32  # most columns solved at once: more do not fit the cache
_ROWS = 20_000  # nodes whose vectors are computed at once


@threadpool_limits.wrap(limits=1)  # sums of several threads depend on their number
def walk_vectors(
    texts: Sequence[str], train: Edges, dimension: int, seed: int
) -> Floats:
    """Factorises how often walks from one node visit another.

    The walks follow the training edges, and weaker ties between a node and those with
    the nearest texts, alone and with their training neighbours' texts, so that a node
    without a training edge also has a vector. R = (1 - c B)^-1, with B the normalised
    adjacency, counts the walks. The inner products of the vectors approximate log R, up
    to a constant, as a skip-gram over sampled walks would. In a large network only the
    columns of a sample of nodes are computed, and the vectors of all nodes follow from
    these (Nyström's method).

    Args:
        texts: The text of each node.
        train: Training edges, `[train, 2]`. No other edge is used.
        dimension: The number of columns of the result.
        seed: The seed of the sample of nodes.

    Returns:
        Vectors of norm `WALK_NORM`, `[nodes, dimension]`.
    """
    count = len(texts)
    if not dimension:
        return np.zeros((count, 0), np.float32)
    step = walk_step(tfidf_vectors(texts, longest=2), neighbours(train, count))
    return walk_space(step, dimension, seed)[0]


class WalkSpace(NamedTuple):
    """Computes the vector of any node from its walks to a sample of nodes.

    Attributes:
        sample: The sample of nodes.
        mean: What all logarithms of walks have in common.
        projection: Maps the rest to vectors, `[sample, dimension]`.
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
        """Returns unscaled vectors, whose inner products approximate the logarithms."""
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
        dimension: The number of columns of the vectors.
        seed: The seed of the sample of nodes.
        order: For a large network, an order of nodes in which near nodes are together.
        unit: Whether all vectors have norm `WALK_NORM`; else their inner products
            approximate the logarithms of walks minus their mean.

    Returns:
        The vectors, `[nodes, dimension]`, and the map from walks to vectors.
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

    Computed in blocks of columns and in half precision, whose error of 0.2 % is far
    below that of the floor. Nodes are renumbered so that near nodes are together and a
    step of the walks finds most of what it reads in the cache.
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
    """Returns the same matrix with nodes in another order, with small index types."""
    found = step[order][:, order]
    found.sort_indices()
    if found.nnz < np.iinfo(np.int32).max:
        found.indices = found.indices.astype(np.int32)
        found.indptr = found.indptr.astype(np.int32)
    return found


def walk_step(own: Any, joined: Any) -> Any:
    """Returns c B: the weights of a walk's next step, times the chance to take one.

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
    """`walk_step` for a large network, which finds the nearest texts by trees.

    Args:
        own: Text vectors of length 1, `[nodes, size]`, such as those of LSA.
        train: Training edges, `[train, 2]`.
        seed: The seed of the trees.

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
    """Returns dense text vectors plus those of neighbours, like `one_hop_vectors`.

    Args:
        own: Text vectors of length 1, `[nodes, size]`.
        joined: Adjacency of the training edges, `[nodes, nodes]`, sparse.
    """
    hop = np.empty_like(own)
    for rows in blocks(len(own), _ROWS):
        hop[rows] = normalize(own[rows] + normalize(joined[rows] @ own))
    return hop


def walk_chances(weights: Any, goes_on: float = GOES_ON) -> Any:
    """Returns c B, with B the normalised weights and c the probability `goes_on`.

    Args:
        weights: Weights between nodes, `[nodes, nodes]`, sparse and symmetric.
        goes_on: The probability that a walk takes another step.
    """
    sums = np.asarray(weights.sum(axis=1)).ravel()
    scale = sparse.diags_array(1 / np.sqrt(np.maximum(sums, 1e-12)))
    # Each weight is divided by the square roots of its row's and its column's sum.
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
        goes_on: The probability that `step` was made with.
        sweeps: How many steps of the solver are taken.
    """
    found = _solve(step, nodes, goes_on, sweeps)
    found += np.float32(_FLOOR)
    return np.log(found, out=found)


def popularity(train: Edges, count: int) -> Floats:
    """Returns 1 + log(1 + n) for each of `count` nodes at which n edges end.

    Random edges would end at all nodes equally often; real ones prefer popular nodes.
    """
    links = train[train[:, 0] != train[:, 1]]
    return (1 + np.log1p(np.bincount(links[:, 1], minlength=count))).astype(np.float32)


@threadpool_limits.wrap(limits=1)
def turned_to_texts(walks: Floats, popular: Floats, texts: Floats) -> Floats:
    """Rotates all vectors of walks together, as close as possible to text vectors.

    The rotation keeps the inner products of node vectors, and makes their inner
    products with text vectors, the mixed terms of the score, meaningful from the start.
    Popularity takes the one direction that is left, so that it adds the product of two
    nodes' popularity to their inner product.

    Args:
        walks: What `walk_vectors` returned, `[nodes, dimension - 1]`.
        popular: The weighted popularity of each node, `[nodes]`.
        texts: Text vectors of the first nodes, `[some nodes, dimension]`.

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
    """Returns the largest eigenvalues of a symmetric matrix, and their eigenvectors."""
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
        goes_on: The probability that `step` was made with.
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
