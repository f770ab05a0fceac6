"""The evidence of a large network: matrices of nodes, and rows of features."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.preprocessing import normalize

from cane_gane.data.graph import Edges, directed, neighbours, random_step
from cane_gane.data.tfidf import TextSpace
from cane_gane.evidence.pruning import largest_of_rows, visits
from cane_gane.evidence.quantities import (
    COLUMNS,
    LARGE_FEATURES,
    NUMBERS,
    PRODUCTS,
    SCALE,
    SPARSE,
    VISITS,
    WALKS,
    Quantities,
)
from cane_gane.evidence.spaces import (
    Arrays,
    pack,
    pack_spaces,
    unpack,
    unpack_spaces,
)
from cane_gane.models.start.halves import in_order, nearest
from cane_gane.models.start.similar import SEARCHED, directions_of, turned
from cane_gane.models.start.walks import (
    WalkSpace,
    near_vectors,
    walk_chances,
    walk_space,
)

Floats = npt.NDArray[np.float32]
Integers = npt.NDArray[np.int64]
Matrices = Mapping[str, Any]

MOST = 250_000  # most nodes: each takes about 10 kB, here and when served
KINDS = ("words", "shared", "pairs")
SIMILAR = 15  # similar texts that each node is joined with
WORDS = 64  # heaviest words kept of the mean text of a node's neighbours
DIMENSION = 200  # of the vectors that represent walks over edges and similar texts
GOES_ON, STEPS = 0.85, 8  # of walks over edges: chance of a further step, steps
KEPT = 64  # nodes that such a walk visits most often


class LargeTexts:
    """The texts of a large network, which do not depend on edges.

    Attributes:
        spaces: Sparse vectors of the texts, by kind.
        directions: The directions along which texts are compared, `[words, size]`.
        vectors: The texts along these directions, of length 1 or 0, `[nodes, size]`.
        similar: The similarity of each text to its nearest texts, sparse.
    """

    def __init__(
        self, spaces: Mapping[str, TextSpace], directions: Floats, similar: Any
    ) -> None:
        """Takes what `fit` found."""
        self.spaces, self.directions, self.similar = spaces, directions, similar
        self.vectors = turned(spaces["words"].vectors, directions)

    @classmethod
    def fit(cls, texts: Sequence[str], seed: int) -> LargeTexts:
        """Finds which texts are similar.

        Args:
            texts: The texts.
            seed: The seed of the search for similar texts.
        """
        spaces = {kind: TextSpace.fit(kind, texts) for kind in KINDS}
        directions = directions_of(spaces["words"].vectors, SEARCHED, seed)
        found = cls(spaces, directions, None)
        found.similar = nearest(found.vectors, SIMILAR, seed, "similar texts")
        return found

    def arrays(self) -> Arrays:
        """Returns all that `from_arrays` needs, as arrays by name."""
        similar = pack("similar", self.similar)
        return {**pack_spaces(self.spaces), **similar, "directions": self.directions}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Any]) -> LargeTexts:
        """Builds what `arrays` returned."""
        spaces = unpack_spaces(KINDS, arrays)
        return cls(spaces, arrays["directions"], unpack("similar", arrays))


class LargeEvidence:
    """Features of any two nodes of a large network, by name.

    They are the features of `Evidence` that need no table of all pairs. Some are
    approximate: the mean text of neighbours has `WORDS` words, walks over edges and
    similar texts have `DIMENSION` numbers, and walks over edges alone keep the `KEPT`
    nodes that they visit most often.

    Attributes:
        matrices: The data of each node: `SPARSE` matrices by name, the vectors of
            `WALKS`, `SCALE` and `COLUMNS`.
        space: Computes the vector of a new node from its walks.
        ties: The similarities of nodes that walks may go between, sparse.
    """

    def __init__(self, matrices: Matrices, space: WalkSpace, ties: Any) -> None:
        """Takes what `fit` found."""
        self.matrices, self.space, self.ties = matrices, space, ties
        self._last: tuple[Integers, Quantities] = np.array([-1]), {}

    @classmethod
    def fit(cls, texts: LargeTexts, train: Edges, seed: int) -> LargeEvidence:
        """Computes the matrices of a network.

        Args:
            texts: The texts.
            train: The only edges that may be used, `[train, 2]`.
            seed: The seed of random choices.
        """
        joined = neighbours(train, len(texts.vectors)).astype(np.float32)
        hop = near_vectors(texts.vectors, joined)
        near = nearest(hop, SIMILAR, seed, "similar texts with neighbours")
        ties = (texts.similar + near) / np.float32(2)
        matrices = _texts_of(texts, joined) | _edges_of(train, joined)
        matrices |= {"alike": _shares(texts.similar), "near_alike": _shares(near)}
        step, order = walk_chances(joined + ties), in_order(hop, seed)
        walks, space = walk_space(step, DIMENSION, seed, order, unit=False)
        return cls({**matrices, WALKS: walks}, space, ties)

    @property
    def node_count(self) -> int:
        """The number of nodes."""
        return len(self.matrices[SCALE])

    def arrays(self) -> Arrays:
        """Returns all that `from_arrays` needs, as arrays by name."""
        found: Arrays = {**self.space._asdict(), **pack("ties", self.ties)}
        for name, own in self.matrices.items():
            found |= pack(name, own) if sparse.issparse(own) else {name: own}
        return found

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Any]) -> LargeEvidence:
        """Builds what `arrays` returned."""
        space = WalkSpace(*(arrays[name] for name in WalkSpace._fields))
        matrices = {name: unpack(name, arrays) for name in SPARSE}
        matrices |= {name: arrays[name] for name in (WALKS, *NUMBERS)}
        return cls(matrices, space, unpack("ties", arrays))

    @cached_property
    def _columns(self) -> Matrices:
        """The transposed matrices of targets, for products with rows of sources."""
        names = dict.fromkeys(pair.right for pair in PRODUCTS.values())
        return {name: sparse.csr_array(self.matrices[name].T) for name in names}

    def quantities(self, rows: Matrices) -> dict[str, Any]:
        """Returns the quantities behind the features of sources with all nodes.

        Args:
            rows: The rows of the sources in all matrices.

        Returns:
            Each `[sources, nodes]`, or `[nodes]` if it depends on the target alone.
        """
        found: dict[str, Any] = {
            name: (rows[pair.left] @ self._columns[pair.right]).toarray()
            for name, pair in PRODUCTS.items()
        }
        found[VISITS] = rows[VISITS].toarray()
        found["chances"] = found[VISITS] / self.matrices["neighbours"]
        found[WALKS] = rows[WALKS] @ self.matrices[WALKS].T
        found["source_scale"] = rows[SCALE][:, None]
        found["target_scale"] = self.matrices[SCALE]
        return found | {name: self.matrices[name] for name in COLUMNS}

    def features(self, sources: Integers, names: Sequence[str]) -> Iterator[Floats]:
        """Yields features of sources with all nodes, `[sources, nodes]`, in turn."""
        if not np.array_equal(self._last[0], sources):  # often the same sources
            names_of = (*SPARSE, WALKS, SCALE)
            rows = {name: self.matrices[name][sources] for name in names_of}
            self._last = sources, self.quantities(rows)
        return self._from(self._last[1], len(sources), names)

    def features_of(self, rows: Matrices, names: Sequence[str]) -> Iterator[Floats]:
        """Yields the same for any rows, including those of new nodes."""
        return self._from(self.quantities(rows), len(rows[SCALE]), names)

    def _from(
        self, quantities: Quantities, sources: int, names: Sequence[str]
    ) -> Iterator[Floats]:
        for name in names:
            found = np.asarray(LARGE_FEATURES[name](np, quantities), np.float32)
            yield np.broadcast_to(found, (sources, self.node_count))

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


def _edges_of(train: Edges, joined: Any) -> dict[str, Any]:
    """Returns the matrices and columns of edges alone."""
    targets = directed(train, joined.shape[0]).astype(np.float32)
    degrees = np.asarray(joined.sum(axis=1)).ravel()
    rarity = 1 / np.sqrt(np.log(np.maximum(degrees, 2)))  # of a common neighbour
    paths = visits(GOES_ON * random_step(joined), STEPS, KEPT, "walks over edges")
    ends, begins = (np.asarray(targets.sum(axis=axis)).ravel() for axis in (0, 1))
    columns = {
        "popularity": np.log1p(ends),
        "degree": np.log1p(degrees),
        "out_degree": np.log1p(begins),
        "seen": degrees > 0,
        "neighbours": np.maximum(degrees, 1),
        "rarity": rarity,
    }
    return {
        "joined": joined,
        "cited": sparse.csr_array(targets.T),
        "common": _as_floats(joined @ sparse.diags_array(rarity)),
        VISITS: paths,
        **{name: np.asarray(own, np.float32) for name, own in columns.items()},
    }


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
