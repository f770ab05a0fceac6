"""Which texts are near which in a large network: an approximate index, not all pairs.

Each function takes time and memory in proportion to the texts, but for the logarithm
in the search of the index.
"""

from __future__ import annotations

import contextlib
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import voyager
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.preprocessing import normalize

from cane_gane.models.start.blocks import blocks, in_turn
from cane_gane.progress import Progress

Floats = npt.NDArray[np.float32]

_SWEEPS = 7  # of the subspace iteration
_MORE = 10  # directions beside those that are asked for
_ROWS = 20_000  # texts at once
SEARCHED = 200  # directions that the index looks at
_POINTS = 2_000  # of the index at once
_LINKS, _EFFORT = 12, 100  # of the index: neighbours of a point, and candidates


class TextSpace(NamedTuple):
    """Texts of a large network in the leading directions of their TF-IDF vectors.

    Attributes:
        weighted: TF-IDF vectors of length 1, `[texts, words]`, sparse.
        idf: The IDF of each word, `[words]`.
        directions: The directions, `[words, rank]`.
    """

    weighted: Any
    idf: npt.NDArray[np.float64]
    directions: Floats

    def vectors(self) -> Floats:
        """Returns the texts along the first directions, of length 1, or 0."""
        first = np.ascontiguousarray(self.directions[:, :SEARCHED])
        found = np.empty((self.weighted.shape[0], first.shape[1]), np.float32)
        for rows in blocks(len(found), _ROWS):
            found[rows] = normalize(self.weighted[rows] @ first)
        return found


def text_space(counts: Any, rank: int, seed: int) -> TextSpace:
    """Finds the leading directions of texts: LSA, without a matrix of all texts.

    Subspace iteration over blocks of texts: A'A is applied to a few directions, and
    these are made orthogonal, until they are the leading ones.

    Args:
        counts: How often each text has each word, `[texts, words]`, sparse, float32.
        rank: How many directions.
        seed: What the first directions depend on.
    """
    transformer = TfidfTransformer(sublinear_tf=True).fit(counts)
    weighted = transformer.transform(counts)
    words = weighted.shape[1]
    width = min(rank + _MORE, words)
    drawn = np.random.default_rng(seed).standard_normal((words, width), np.float32)
    found = np.linalg.qr(drawn)[0]
    values = np.zeros((width, width))
    last = found
    with Progress("LSA of the texts", _SWEEPS * weighted.shape[0]) as progress:
        for _ in range(_SWEEPS):
            image = _gram(weighted, found, progress)
            values = found.T @ image
            last, found = found, np.linalg.qr(image)[0]
    # Rayleigh-Ritz: the best directions inside what the last sweep started from.
    _, turn = np.linalg.eigh((values + values.T) / 2)
    best = last @ turn[:, ::-1][:, : min(rank, words)]
    signs = np.sign(best[np.abs(best).argmax(axis=0), np.arange(best.shape[1])])
    return TextSpace(weighted, transformer.idf_, (best * signs).astype(np.float32))


def nearest(vectors: Floats, similar: int, seed: int, stage: str) -> Any:
    """Joins each node with those of the nearest vectors, weighted by their cosine.

    Args:
        vectors: Vectors of length 1, or 0 for a node that is joined with none.
        similar: How many others each node is joined with, about.
        seed: What the layers of the index depend on.
        stage: What is said while it runs.

    Returns:
        The weights, `[nodes, nodes]`, sparse and symmetric.
    """
    count = len(vectors)
    known = np.flatnonzero(vectors.any(axis=1))
    asked = min(similar + 1, len(known))  # a node finds itself, too
    if asked < 2:
        return sparse.csr_array((count, count), dtype=np.float32)
    index = voyager.Index(
        voyager.Space.Cosine,
        num_dimensions=vectors.shape[1],
        M=_LINKS,
        ef_construction=_EFFORT,
        random_seed=seed,
        max_elements=len(known),
    )
    others = np.empty((len(known), asked), np.int64)
    cosines = np.empty((len(known), asked), np.float32)
    with Progress(stage, 2 * len(known)) as progress:
        for rows in blocks(len(known), _POINTS):
            # By one thread: the index depends on the order.
            index.add_items(vectors[known[rows]], num_threads=1)
            progress.add(_POINTS)
        for rows in blocks(len(known), _POINTS):
            others[rows], cosines[rows] = _query(index, vectors[known[rows]], asked)
            progress.add(_POINTS)
    return _joined(count, known, others, cosines)


def _query(index: voyager.Index, vectors: Floats, asked: int) -> tuple[Any, Floats]:
    """Returns the points nearest to vectors and the cosines; -1 for none."""
    try:
        found, far = index.query(vectors, k=asked, num_threads=1)
        return found.astype(np.int64), 1 - far
    except voyager.RecallError:  # points that are alike hide others
        pass
    others = np.full((len(vectors), asked), -1)
    cosines = np.zeros((len(vectors), asked), np.float32)
    for row, vector in enumerate(vectors):
        for size in (asked, asked // 2, 1):
            with contextlib.suppress(voyager.RecallError):
                found, far = index.query(vector, k=size, query_ef=20 * asked)
                others[row, :size], cosines[row, :size] = found.astype(int), 1 - far
                break
    return others, cosines


def _joined(count: int, known: Any, others: Any, cosines: Floats) -> Any:
    """Returns the weights between nodes, the larger one of both directions."""
    sources = np.repeat(known, others.shape[1])
    targets = np.where(others.ravel() < 0, sources, known[others.ravel()])
    kept = (sources != targets) & (cosines.ravel() > 0)
    graph = sparse.csr_array(
        (cosines.ravel()[kept], (sources[kept], targets[kept])), (count, count)
    )
    return graph.maximum(graph.T)


def _gram(matrix: Any, vectors: Floats, progress: Progress) -> Floats:
    """Returns A'A times vectors, the sum over blocks of texts in their order."""

    def image(rows: slice) -> Floats:
        block = matrix[rows]
        return block.T @ (block @ vectors)

    total = np.zeros(vectors.shape, np.float32)
    for rows, part in in_turn(image, blocks(matrix.shape[0], _ROWS)):
        total += part
        progress.add(rows.stop - rows.start)
    return total
