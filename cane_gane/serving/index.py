"""An index of vectors that finds the nearest without comparing all."""

from __future__ import annotations

import contextlib
import io

import numpy as np
import numpy.typing as npt
import voyager

from cane_gane.data.vectors import fill_missing, missing_rows
from cane_gane.progress import Progress

Floats = npt.NDArray[np.floating]
Integers = npt.NDArray[np.int64]

_NEIGHBOURS = 16  # neighbours of each vector in the graph of the index
_CARE = 200  # vectors that are visited when one is added
_MANY = 100_000  # vectors: from this size on, half as many are visited
_SEARCH = 4  # visited vectors for each one that is asked for
_BLOCK = 2_000  # vectors that are added at once


class VectorIndex:
    """Vectors by inner product, in a graph of near neighbours (HNSW).

    Vectors get one more coordinate that makes their lengths equal, so that the largest
    inner product is the nearest direction.
    """

    def __init__(self, index: voyager.Index) -> None:
        """Takes the index that `build` or `load` made."""
        self._index = index

    @classmethod
    def build(cls, vectors: Floats, seed: int) -> VectorIndex:
        """Indexes vectors, `[nodes, size]`; a row of NaN is left out.

        Args:
            vectors: The vectors.
            seed: The seed of the graph.
        """
        cut = [slice(at, at + _BLOCK) for at in range(0, len(vectors), _BLOCK)]
        squares = [np.square(_known(vectors, own)[1]).sum(axis=1) for own in cut]
        count = sum(map(len, squares))
        longest = max((part.max(initial=0) for part in squares), default=0)
        index = voyager.Index(
            voyager.Space.Euclidean,
            vectors.shape[1] + 1,
            _NEIGHBOURS,
            _CARE if count < _MANY else _CARE // 2,
            random_seed=seed,
            max_elements=max(1, count),
        )
        with Progress("index of the vectors", count) as progress:
            for own, part in zip(cut, squares, strict=True):
                nodes, points = _known(vectors, own)
                rest = np.sqrt(np.maximum(longest - part, 0))
                points = np.column_stack([points, rest])
                if len(nodes):  # one thread, so that it depends only on the seed
                    index.add_items(points, nodes, num_threads=1)
                progress.add(len(nodes))
        return cls(index)

    @classmethod
    def load(cls, content: bytes) -> VectorIndex:
        """Reads what `save` returned."""
        return cls(voyager.Index.load(io.BytesIO(content)))

    def save(self) -> bytes:
        """Returns the index as the content of a file."""
        file = io.BytesIO()
        self._index.save(file)
        return file.getvalue()

    def nearest(self, vector: Floats, count: int) -> Integers:
        """Returns the nodes with the largest inner products with a vector, best first.

        Args:
            vector: The vector, `[size]`; NaN finds no nodes.
            count: The largest number of nodes.
        """
        (found,) = self.nearest_of(vector[None], count)
        return found[found >= 0]

    def nearest_of(self, vectors: Floats, count: int) -> Integers:
        """Returns the same for several vectors, `[vectors, count]`, padded with -1."""
        count = min(count, len(self._index))
        found = np.full((len(vectors), count), -1)
        known = np.flatnonzero(~np.isnan(vectors).any(axis=1))
        if not count or not len(known):
            return found
        asked = np.pad(vectors[known], ((0, 0), (0, 1))).astype(np.float32)
        try:
            near, _ = self._index.query(asked, count, query_ef=_SEARCH * count)
            found[known] = near.astype(np.int64)
        except voyager.RecallError:  # not all nodes can be reached from each other
            for row, vector in zip(known.tolist(), asked, strict=True):
                near = self._reachable(vector, count)
                found[row, : len(near)] = near
        return found

    def _reachable(self, vector: Floats, count: int) -> Integers:
        """Returns as many nodes as can be reached, best first."""
        while count:
            with contextlib.suppress(voyager.RecallError):
                near, _ = self._index.query(
                    vector, count, query_ef=10 * _SEARCH * count
                )
                return near.astype(np.int64)
            count //= 2
        return np.zeros(0, np.int64)


def _known(vectors: Floats, rows: slice) -> tuple[Integers, npt.NDArray[np.float32]]:
    """Returns the nodes of some rows that have a vector, and the vectors."""
    some = vectors[rows]
    known = np.flatnonzero(~missing_rows(some))
    found = fill_missing(some, rows.start)[known].astype(np.float32)
    return known + rows.start, found
