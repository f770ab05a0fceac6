"""The evidence of a large network: what it has of each node, and rows of features."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.preprocessing import normalize

from cane_gane.data.graph import Edges, directed, neighbours, random_step
from cane_gane.data.tfidf import TextSpace
from cane_gane.evidence.pruning import largest_of_rows, visits
from cane_gane.evidence.quantities import (
    COLUMNS,
    ENTRIES,
    LARGE_FEATURES,
    PRODUCTS,
    SCALE,
    SPARSE,
    WALKS,
)
from cane_gane.models.start.halves import in_order, nearest
from cane_gane.models.start.similar import SEARCHED, directions_of, turned
from cane_gane.models.start.walks import (
    near_vectors,
    walk_chances,
    walk_space,
)

Floats = npt.NDArray[np.float32]
Integers = npt.NDArray[np.int64]
Matrices = Mapping[str, Any]

MOST = 250_000  # nodes: their matrices take about 10 kB each, here and when served
KINDS = ("words", "shared", "pairs")
SIMILAR = 15  # texts that each node is joined with
WORDS = 64  # of the mean text of a node's neighbours, those that weigh most
KEPT = 48  # nodes that a walk comes by most often
DIMENSION = 200  # of the vectors that stand for longer walks
SHORT, SHORT_STEPS = 0.5, 4  # the chance that a short walk goes on, and its steps
GOES_ON, STEPS = 0.85, 8  # the same over edges alone


class LargeTexts:
    """The texts of a large network, which no edge changes.

    Attributes:
        spaces: Sparse vectors of the texts, by kind.
        vectors: The texts in a few directions, of length 1 or 0, `[nodes, size]`.
        similar: How alike each text and the nearest others are, sparse.
    """

    def __init__(self, texts: Sequence[str], seed: int) -> None:
        """Takes the texts.

        Args:
            texts: The texts.
            seed: What the search for similar texts depends on.
        """
        self.spaces = {kind: TextSpace.fit(kind, texts) for kind in KINDS}
        weighted = self.spaces["words"].vectors
        self.vectors = turned(weighted, directions_of(weighted, SEARCHED, seed))
        self.similar = nearest(self.vectors, SIMILAR, seed, "similar texts")


class Ties(NamedTuple):
    """What is found of a network before its evidence.

    Attributes:
        near_similar: How alike texts with those of their neighbours are, sparse.
        order: An order of nodes in which near ones are together.
    """

    near_similar: Any
    order: Integers


class LargeEvidence:
    """Features of any two nodes of a large network, by name.

    They are those of `Evidence` that need no table of all pairs, some of them from
    less: the mean text of neighbours has `WORDS` words, walks have `DIMENSION` numbers,
    and short ones the `KEPT` nodes that they come by most often.

    Attributes:
        node_count: The number of nodes.
        matrices: What it has of each node: `SPARSE` matrices by name, the vectors of
            `WALKS`, `SCALE` and `COLUMNS`.
        space: How the vector of another node follows from its walks.
    """

    def __init__(self, texts: LargeTexts, train: Edges, seed: int) -> None:
        """Takes the texts and the only edges that may be looked at.

        Args:
            texts: The texts.
            train: The edges, `[train, 2]`.
            seed: What random choices depend on.
        """
        self.node_count = count = len(texts.vectors)
        joined = neighbours(train, count).astype(np.float32)
        self.matrices = _texts_of(texts, joined) | _edges_of(train, count)
        ties = _ties(texts, joined, seed)
        self.matrices["alike"] = _shares(texts.similar)
        self.matrices["near_alike"] = _shares(ties.near_similar)
        weights = joined + (texts.similar + ties.near_similar) / np.float32(2)
        short = walk_chances(weights, SHORT)
        self.matrices["short"] = visits(short, SHORT_STEPS, KEPT, "short walks")
        self.matrices[WALKS], self.space = walk_space(
            walk_chances(weights), DIMENSION, seed, ties.order, unit=False
        )

    @cached_property
    def _columns(self) -> Matrices:
        """The transposed matrices of targets, whose rows are gone through by words."""
        names = dict.fromkeys(pair.right for pair in PRODUCTS.values())
        return {name: sparse.csr_array(self.matrices[name].T) for name in names}

    def quantities(self, rows: Matrices) -> dict[str, Any]:
        """Returns what features are made of, of sources with all nodes.

        Args:
            rows: The rows of the sources in all matrices.

        Returns:
            Each `[sources, nodes]`, or `[nodes]` for what a target alone has.
        """
        found: dict[str, Any] = {
            name: (rows[pair.left] @ self._columns[pair.right]).toarray()
            for name, pair in PRODUCTS.items()
        }
        found |= {name: rows[name].toarray() for name in ENTRIES}
        found[WALKS] = rows[WALKS] @ self.matrices[WALKS].T
        found["source_scale"] = rows[SCALE][:, None]
        found["target_scale"] = self.matrices[SCALE]
        return found | {name: self.matrices[name] for name in COLUMNS}

    def features(self, sources: Integers, names: Sequence[str]) -> Iterator[Floats]:
        """Yields features of sources with all nodes, `[sources, nodes]`, in turn."""
        names_of = (*SPARSE, WALKS, SCALE)
        rows = {name: self.matrices[name][sources] for name in names_of}
        return self.features_of(rows, names)

    def features_of(self, rows: Matrices, names: Sequence[str]) -> Iterator[Floats]:
        """Yields the same of any rows, those of nodes that are not there yet, too."""
        own = self.quantities(rows)
        shape = len(rows[SCALE]), self.node_count
        for name in names:
            found = np.asarray(LARGE_FEATURES[name](np, own), np.float32)
            yield np.broadcast_to(found, shape)

    def rows(self, sources: Integers, names: Sequence[str]) -> Floats:
        """Returns features of sources with all nodes, `[sources, nodes, names]`."""
        return np.stack(list(self.features(sources, names)), axis=-1)


def _texts_of(texts: LargeTexts, joined: Any) -> dict[str, Any]:
    """Returns the matrices of texts, and of the mean text of neighbours."""
    found = {kind: texts.spaces[kind].vectors for kind in KINDS}
    own = found["pairs"]
    near = largest_of_rows(joined @ own, WORDS)
    found["near"] = near = sparse.csr_array(normalize(near), dtype=np.float32)
    # |X + N|², with X and N of length 1 or 0
    lengths = _squares(own) + _squares(near) + 2 * _dots(own, near)
    found[SCALE] = (1 / np.sqrt(np.maximum(lengths, 1e-9))).astype(np.float32)
    return found


def _edges_of(train: Edges, count: int) -> dict[str, Any]:
    """Returns the matrices and columns of edges alone."""
    joined = neighbours(train, count).astype(np.float32)
    targets = directed(train, count).astype(np.float32)
    degrees = np.asarray(joined.sum(axis=1)).ravel()
    weights = 1 / np.sqrt(np.log(np.maximum(degrees, 2)))
    paths = visits(GOES_ON * random_step(joined), STEPS, KEPT, "walks over edges")
    ends, begins = (np.asarray(targets.sum(axis=axis)).ravel() for axis in (0, 1))
    columns = {
        "popularity": np.log1p(ends),
        "degree": np.log1p(degrees),
        "out_degree": np.log1p(begins),
        "seen": degrees > 0,
    }
    return {
        "joined": joined,
        "cited": sparse.csr_array(targets.T),
        "common": _as_floats(joined @ sparse.diags_array(weights)),
        "visits": _as_floats(paths @ sparse.diags_array(1 / np.maximum(degrees, 1))),
        **{name: np.asarray(own, np.float32) for name, own in columns.items()},
    }


def _ties(texts: LargeTexts, joined: Any, seed: int) -> Ties:
    hop = near_vectors(texts.vectors, joined)
    similar = nearest(hop, SIMILAR, seed, "similar texts with neighbours")
    return Ties(similar, in_order(hop, seed))


def _shares(similar: Any) -> Any:
    """Returns weights as shares: rows sum to 1, or 0."""
    return _as_floats(random_step(similar))


def _as_floats(matrix: Any) -> Any:
    return sparse.csr_array(matrix, dtype=np.float32)


def _squares(matrix: Any) -> Floats:
    return _dots(matrix, matrix)


def _dots(left: Any, right: Any) -> Floats:
    """Returns the inner product of each row of one with that of the other."""
    return np.asarray(left.multiply(right).sum(axis=1), np.float32).ravel()
