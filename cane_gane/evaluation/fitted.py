"""The result of fitting a method: all that evaluation and reports need of it."""

from __future__ import annotations

import abc
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse

from cane_gane.data.graph import Edges
from cane_gane.data.vectors import fill_missing, missing_rows
from cane_gane.errors import InputError
from cane_gane.evaluation.matching import Match
from cane_gane.progress import Progress

Floats = npt.NDArray[np.floating]
Integers = npt.NDArray[np.int64]

BLOCK_CELLS = 4_000_000  # scores of sources with nodes that are held at once
_PAIRS = 2_000  # pairs of sparse vectors that are multiplied at once
MOST_CELLS = 100_000_000  # scores of sources with nodes that a ranking may compute


class Shortlist(NamedTuple):
    """How many candidates of the first stage a slow score ranks.

    Attributes:
        candidates: For each source, at least.
        hard: For each edge, among its hard negatives.
    """

    candidates: int
    hard: int


class Fitted(abc.ABC):
    """A fitted method: it scores pairs of nodes and, if it can, pairs of texts.

    Attributes:
        score_name: What its score is called in metrics.json.
        parts: Named columns of `vectors`, each evaluated on its own.
        history: A dict for each epoch of training; empty without epochs.
        best_epoch: The epoch whose weights it has.
        start: The method before training, if it starts from something.
        reads_texts: Whether it can score and match texts.
        shortlist: How many candidates of its first stage its score ranks.
    """

    score_name = "pairs"
    parts: Mapping[str, slice] = {}
    history: Sequence[Mapping[str, Any]] = ()
    best_epoch = 0
    start: Fitted | None = None
    reads_texts = False
    shortlist = Shortlist(candidates=100, hard=40)

    @property
    @abc.abstractmethod
    def vectors(self) -> Floats:
        """The vector of each node, `[nodes, size]`; a row of NaN if it has none."""

    @abc.abstractmethod
    def score(self, pairs: Edges) -> Floats:
        """Scores pairs of nodes, `[pairs, 2]`, to `[pairs]`."""

    @property
    def first_stage(self) -> RowFitted:
        """The score that names the candidates for a slow score to rank."""
        return VectorFitted(self.vectors)

    def score_texts(self, sources: Sequence[str], targets: Sequence[str]) -> Floats:
        """Scores pairs of texts, from the texts alone."""
        raise InputError("found a method that reads no text; expected cane, wane, …")

    def embed_texts(self, texts: Sequence[str]) -> Floats:
        """Embeds texts, each with itself as context, `[texts, size]`."""
        raise InputError("found a method that reads no text; expected cane, wane, …")

    def match(self, sources: Sequence[str], targets: Sequence[str]) -> list[Match]:
        """Matches the words of pairs of texts."""
        raise InputError("found a method that reads no text; expected cane, wane, …")

    def save(self, path: Path) -> None:
        """Writes a SavedModel that `Method.open` reads back."""
        raise InputError(f"found {type(self).__name__}; it cannot be saved")


class RowFitted(Fitted):
    """A fitted method whose scores with all nodes are cheap."""

    @property
    @abc.abstractmethod
    def node_count(self) -> int:
        """The number of nodes."""

    @abc.abstractmethod
    def score_rows(self, sources: Integers) -> Floats:
        """Scores sources with all nodes, `[sources, nodes]`."""

    def in_blocks(self, sources: Integers) -> Iterator[tuple[int, Floats]]:
        """Yields each source with its scores, `[nodes]`; few rows are held at once."""
        step = max(1, BLOCK_CELLS // max(1, self.node_count))
        for first in range(0, len(sources), step):
            block = sources[first : first + step]
            yield from zip(block.tolist(), self.score_rows(block), strict=True)

    def score(self, pairs: Edges) -> Floats:
        """Scores pairs, `[..., 2]`, to `[...]`."""
        flat = pairs.reshape(-1, 2)
        sources = len(np.unique(flat[:, 0]))
        few = sources * self.node_count <= MOST_CELLS
        scores = self._by_rows(flat) if few else self.score_pairs(flat)
        return scores.reshape(pairs.shape[:-1])

    def score_pairs(self, pairs: Edges) -> Floats:
        """Scores pairs of many sources, `[pairs, 2]`, by rows if nothing is faster.

        Two ways to score a pair may differ in the last bits.
        """
        return self._by_rows(pairs)

    def _by_rows(self, pairs: Edges) -> Floats:
        scores = np.zeros(len(pairs))
        groups = by_source(pairs)
        with Progress("rows of scores", len(groups)) as progress:
            for source, row in self.in_blocks(np.array(list(groups), np.int64)):
                asked = groups[source]
                scores[asked] = row[pairs[asked, 1]]
                progress.add()
        return scores


def by_source(pairs: Edges) -> dict[int, Integers]:
    """Returns the indices of the pairs of each source, given `[pairs, 2]`."""
    order = np.argsort(pairs[:, 0], kind="stable")
    sources, starts = np.unique(pairs[order, 0], return_index=True)
    # The first part is what precedes the first source, and is empty.
    return dict(zip(sources.tolist(), np.split(order, starts)[1:], strict=True))


class VectorFitted(RowFitted):
    """Vectors of nodes, whose score is their inner product.

    A node without a vector scores 0 with every other.
    """

    score_name = "vectors"

    def __init__(self, vectors: npt.ArrayLike) -> None:
        """Takes the vectors, `[nodes, size]`, with a row of NaN for a node without one.

        Raises:
            InputError: A vector is infinite or NaN in part.
        """
        self._vectors = np.asarray(vectors)
        large = self._vectors.size > MOST_CELLS  # double precision would take gigabytes
        kind = np.float32 if large else np.float64
        self._filled = fill_missing(np.asarray(vectors, kind))

    @property
    def vectors(self) -> Floats:
        """The vectors."""
        return self._vectors

    @property
    def node_count(self) -> int:
        """The number of nodes."""
        return len(self._filled)

    @cached_property
    def missing(self) -> npt.NDArray[np.bool_]:
        """Marks the nodes without a vector, `[nodes]`."""
        return missing_rows(self._vectors)

    def score_rows(self, sources: Integers) -> Floats:
        """Scores sources with all nodes, `[sources, nodes]`."""
        return self._filled[sources] @ self._filled.T

    def score_pairs(self, pairs: Edges) -> Floats:
        """Scores pairs, `[pairs, 2]`, each by its own product."""
        step = max(1, BLOCK_CELLS // max(1, self._filled.shape[1]))
        blocks = (pairs[at : at + step] for at in range(0, len(pairs), step))
        parts = [
            np.einsum("ij,ij->i", self._filled[own[:, 0]], self._filled[own[:, 1]])
            for own in blocks
        ]
        return np.concatenate([*parts, np.zeros(0)])


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

    @property
    def node_count(self) -> int:
        """The number of nodes."""
        return int(self._rows.shape[0])

    def score_rows(self, sources: Integers) -> Floats:
        """Scores sources with all nodes, `[sources, nodes]`."""
        return (self._rows[sources] @ self._columns).toarray()

    def score_pairs(self, pairs: Edges) -> Floats:
        """Scores pairs, `[pairs, 2]`, each by its own product."""
        blocks = (pairs[at : at + _PAIRS] for at in range(0, len(pairs), _PAIRS))
        parts = [
            self._rows[own[:, 0]].multiply(self._rows[own[:, 1]]).sum(axis=1)
            for own in blocks
        ]
        return np.concatenate([*parts, np.zeros(0)])


class FunctionFitted(RowFitted):
    """A score of sources with all nodes that is not an inner product of vectors."""

    score_name = "rows"

    def __init__(
        self,
        rows: Callable[[Integers], Floats],
        node_count: int,
        columns: Callable[[Integers], Floats] | None = None,
        pairs: Callable[[Edges], Floats] | None = None,
    ) -> None:
        """Takes functions that score nodes with all others.

        Args:
            rows: Scores sources with all nodes, `[sources, nodes]`.
            node_count: The number of nodes.
            columns: Scores all nodes with targets, `[targets, nodes]`, if available.
            pairs: Scores pairs of many sources, `[pairs, 2]`, if that is faster.
        """
        self._rows, self._columns, self._pairs = rows, columns, pairs
        self._node_count = node_count

    @property
    def vectors(self) -> Floats:
        """A row of NaN for each node: it has no vectors."""
        return np.full((self._node_count, 1), np.nan)

    @property
    def node_count(self) -> int:
        """The number of nodes."""
        return self._node_count

    def score_rows(self, sources: Integers) -> Floats:
        """Scores sources with all nodes, `[sources, nodes]`."""
        return self._rows(sources)

    def score_pairs(self, pairs: Edges) -> Floats:
        """Scores pairs, `[pairs, 2]`: one by one, or by rows of sources or targets."""
        if self._pairs is not None:
            return self._pairs(pairs)
        if self._columns is None:
            return self._by_rows(pairs)
        often = [np.bincount(side)[side] for side in pairs.T]
        forward = often[0] >= often[1]
        scores = np.zeros(len(pairs))
        scores[forward] = self._by_rows(pairs[forward])
        turned = FunctionFitted(self._columns, self._node_count)
        scores[~forward] = turned._by_rows(pairs[~forward, ::-1])
        return scores
