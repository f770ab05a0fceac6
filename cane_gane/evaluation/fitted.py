"""What any method leaves behind, and all that evaluation and reports ask of it."""

from __future__ import annotations

import abc
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from cane_gane.data.graph import Edges
from cane_gane.data.vectors import fill_missing, missing_rows
from cane_gane.errors import InputError
from cane_gane.evaluation.matching import Match

Floats = npt.NDArray[np.floating]
Integers = npt.NDArray[np.int64]

_BLOCK = 512  # sources whose scores with all nodes are held at once


class Fitted(abc.ABC):
    """A fitted method: it scores pairs of nodes, and where it can, pairs of texts.

    Attributes:
        score_name: What its score is called in metrics.json.
        parts: Named columns of `vectors`, each evaluated on its own.
        history: A dict for each epoch of training, where there were epochs.
        best_epoch: The epoch whose values it has.
        reads_texts: Whether it can score and match texts.
    """

    score_name = "pairs"
    parts: Mapping[str, slice] = {}
    history: Sequence[Mapping[str, Any]] = ()
    best_epoch = 0
    reads_texts = False

    @property
    @abc.abstractmethod
    def vectors(self) -> Floats:
        """The vector of each node, `[nodes, size]`; a row of NaN where it has none."""

    @abc.abstractmethod
    def score(self, pairs: Edges) -> Floats:
        """Scores pairs of nodes, `[pairs, 2]`, to `[pairs]`."""

    def score_rows(self, sources: Integers) -> Floats | None:
        """Scores sources with all nodes, `[sources, nodes]`; None where it is slow."""
        return None

    def score_texts(self, sources: Sequence[str], targets: Sequence[str]) -> Floats:
        """Scores pairs of texts by what a text alone has."""
        raise InputError("found a method that reads no text; expected cane, wane, …")

    def match(self, sources: Sequence[str], targets: Sequence[str]) -> list[Match]:
        """Matches the words of pairs of texts."""
        raise InputError("found a method that reads no text; expected cane, wane, …")

    def save(self, path: Path) -> None:
        """Writes a SavedModel that `Method.open` reads back."""
        raise InputError(f"found {type(self).__name__}; it cannot be saved")


class RowFitted(Fitted):
    """A fitted method whose scores with all nodes are cheap."""

    @abc.abstractmethod
    def score_rows(self, sources: Integers) -> Floats:
        """Scores sources with all nodes, `[sources, nodes]`."""

    def score(self, pairs: Edges) -> Floats:
        """Scores pairs, `[..., 2]`, to `[...]`."""
        sources, row_of = np.unique(pairs[..., 0], return_inverse=True)
        row_of = row_of.reshape(pairs.shape[:-1])
        scores = np.zeros(pairs.shape[:-1])
        for first in range(0, len(sources), _BLOCK):
            inside = (row_of >= first) & (row_of < first + _BLOCK)
            rows = self.score_rows(sources[first : first + _BLOCK])
            scores[inside] = rows[row_of[inside] - first, pairs[inside][:, 1]]
        return scores


class VectorFitted(RowFitted):
    """Vectors of nodes, whose score is their inner product.

    A node without a vector scores 0 with every other.
    """

    score_name = "vectors"

    def __init__(self, vectors: npt.ArrayLike) -> None:
        """Takes the vectors, `[nodes, size]`, a row of NaN for a node without one.

        Raises:
            InputError: A vector is infinite or NaN in part.
        """
        self._vectors = np.asarray(vectors)
        self._filled = fill_missing(np.asarray(vectors, np.float64))

    @property
    def vectors(self) -> Floats:
        """The vectors."""
        return self._vectors

    @cached_property
    def missing(self) -> npt.NDArray[np.bool_]:
        """Marks the nodes without a vector, `[nodes]`."""
        return missing_rows(self._vectors)

    def score_rows(self, sources: Integers) -> Floats:
        """Scores sources with all nodes, `[sources, nodes]`."""
        return self._filled[sources] @ self._filled.T


class SparseFitted(RowFitted):
    """Sparse vectors of nodes, whose score is their inner product."""

    score_name = "vectors"

    def __init__(self, vectors: Any) -> None:
        """Takes the vectors, `[nodes, size]`, in any sparse format."""
        self._rows = sparse.csr_array(vectors)
        self._columns = sparse.csr_array(self._rows.T)

    @property
    def vectors(self) -> Floats:
        """The vectors, dense."""
        return self._rows.toarray()

    def score_rows(self, sources: Integers) -> Floats:
        """Scores sources with all nodes, `[sources, nodes]`."""
        return (self._rows[sources] @ self._columns).toarray()
