"""An index of vectors, by which the nearest are found without comparing all."""

from __future__ import annotations

import io

import numpy as np
import numpy.typing as npt
import voyager

from cane_gane.data.vectors import fill_missing, missing_rows

Floats = npt.NDArray[np.floating]
Integers = npt.NDArray[np.int64]

_NEIGHBOURS = 16  # of each vector in the graph of the index
_CARE = 200  # vectors that are looked at when one is added
_SEARCH = 4  # times as many are looked at as are asked for


class VectorIndex:
    """Vectors by inner product, in a graph of near ones (HNSW).

    Vectors get one more coordinate that makes all equally long, so that the largest
    inner product is the nearest direction.
    """

    def __init__(self, index: voyager.Index) -> None:
        """Takes what `build` or `load` made."""
        self._index = index

    @classmethod
    def build(cls, vectors: Floats, seed: int) -> VectorIndex:
        """Indexes vectors, `[nodes, size]`; a row of NaN is left out.

        Args:
            vectors: The vectors.
            seed: What the graph depends on.
        """
        nodes = np.flatnonzero(~missing_rows(vectors))
        filled = fill_missing(vectors)[nodes].astype(np.float32)
        squares = np.square(filled).sum(axis=1)
        rest = np.sqrt(np.maximum(squares.max(initial=0) - squares, 0))
        index = voyager.Index(
            voyager.Space.Euclidean,
            filled.shape[1] + 1,
            _NEIGHBOURS,
            _CARE,
            random_seed=seed,
        )
        if len(nodes):  # one thread, so that the graph depends on the seed alone
            index.add_items(np.column_stack([filled, rest]), nodes, num_threads=1)
        return cls(index)

    @classmethod
    def load(cls, content: bytes) -> VectorIndex:
        """Reads back what `save` returned."""
        return cls(voyager.Index.load(io.BytesIO(content)))

    def save(self) -> bytes:
        """Returns the index as the content of a file."""
        file = io.BytesIO()
        self._index.save(file)
        return file.getvalue()

    def nearest(self, vector: Floats, count: int) -> Integers:
        """Returns the nodes of the largest inner products with a vector, best first.

        Args:
            vector: The vector, `[size]`; none is near to one of NaN.
            count: How many nodes at the most.
        """
        count = min(count, len(self._index))
        if not count or np.isnan(vector).any():
            return np.zeros(0, np.int64)
        asked = np.append(vector, 0).astype(np.float32)
        found, _ = self._index.query(asked, count, query_ef=_SEARCH * count)
        return found.astype(np.int64)
