"""LSA of a large network's texts, with time and memory proportional to their size."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.preprocessing import normalize

from cane_gane.models.start.blocks import blocks, in_turn
from cane_gane.progress import Progress

Floats = npt.NDArray[np.float32]

_SWEEPS = 7  # of the subspace iteration
_MORE = 10  # directions in addition to those that are asked for
_ROWS = 20_000  # texts at once
SEARCHED = 200  # directions by which texts are compared


class TextSpace(NamedTuple):
    """Texts of a large network along the leading directions of their TF-IDF vectors.

    Attributes:
        weighted: TF-IDF vectors of length 1, `[texts, words]`, sparse.
        idf: The IDF of each word, `[words]`.
        directions: The directions, `[words, rank]`.
    """

    weighted: Any
    idf: npt.NDArray[np.float64]
    directions: Floats

    def vectors(self) -> Floats:
        """Returns the texts along the first directions, with length 1 or 0."""
        return turned(self.weighted, self.directions[:, :SEARCHED])


def text_space(counts: Any, rank: int, seed: int) -> TextSpace:
    """Finds the leading directions of texts: LSA, without a matrix of all texts.

    Args:
        counts: How often each text has each word, `[texts, words]`, sparse, float32.
        rank: The number of directions.
        seed: The seed of the first directions.
    """
    transformer = TfidfTransformer(sublinear_tf=True).fit(counts)
    weighted = transformer.transform(counts)
    return TextSpace(weighted, transformer.idf_, directions_of(weighted, rank, seed))


def turned(weighted: Any, directions: Floats) -> Floats:
    """Returns texts along directions, with length 1 or 0, `[texts, directions]`.

    Args:
        weighted: TF-IDF vectors, `[texts, words]`, sparse.
        directions: The directions, `[words, directions]`.
    """
    first = np.ascontiguousarray(directions)
    found = np.empty((weighted.shape[0], first.shape[1]), np.float32)
    for rows in blocks(len(found), _ROWS):
        found[rows] = normalize(weighted[rows] @ first)
    return found


def directions_of(weighted: Any, rank: int, seed: int) -> Floats:
    """Finds the leading directions of TF-IDF vectors, `[words, rank]`.

    Subspace iteration over blocks of texts: A'A is applied to a few directions, which
    are then made orthogonal, until they are the leading ones.

    Args:
        weighted: The vectors, `[texts, words]`, sparse.
        rank: The number of directions.
        seed: The seed of the first directions.
    """
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
    # Rayleigh-Ritz: the best directions within the subspace of the last sweep.
    _, turn = np.linalg.eigh((values + values.T) / 2)
    best = last @ turn[:, ::-1][:, : min(rank, words)]
    signs = np.sign(best[np.abs(best).argmax(axis=0), np.arange(best.shape[1])])
    return np.asarray(best * signs, np.float32)


def _gram(matrix: Any, vectors: Floats, progress: Progress) -> Floats:
    """Returns A'A times vectors, summed over blocks of texts in order."""

    def image(rows: slice) -> Floats:
        block = matrix[rows]
        return block.T @ (block @ vectors)

    total = np.zeros(vectors.shape, np.float32)
    for rows, part in in_turn(image, blocks(matrix.shape[0], _ROWS)):
        total += part
        progress.add(rows.stop - rows.start)
    return total
