"""Vectors of nodes as text: upstream's embed.txt and the word2vec format."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import numpy as np
import numpy.typing as npt

from cane_gane.config import suggestion
from cane_gane.data.lines import decode, number_of, quoted, read_lines
from cane_gane.errors import InputError, fault
from cane_gane.files import write_atomically

Floats = npt.NDArray[np.float64]

_AT_ONCE = 1 << 12  # vectors that are written at once


class NodeVectors(npt.NDArray[np.floating]):
    """Vectors of nodes: an array that also finds similar nodes."""

    names: Sequence[str]

    @classmethod
    def of(cls, vectors: npt.NDArray[np.floating], names: Sequence[str]) -> NodeVectors:
        """Takes the vectors, `[nodes, size]`, and the name of each node."""
        found = np.asarray(vectors).view(cls)
        found.names = names
        return found

    def __array_finalize__(self, array: object) -> None:
        self.names = getattr(array, "names", ())

    def most_similar(self, node: int | str, top: int = 10) -> list[tuple[str, float]]:
        """Returns the nodes with the most similar vectors, and the cosines.

        Args:
            node: A name or an id.
            top: The largest number of nodes.

        Raises:
            InputError: There is no such node, or it has no vector.
        """
        if self.ndim != 2 or len(self) != len(self.names):
            raise InputError(
                f"found a part of the vectors, {list(self.shape)}; expected all of them"
            )
        found = self._place(node)
        rows = fill_missing(np.asarray(self))
        lengths = np.linalg.norm(rows, axis=1)
        known = lengths > 0
        if not known[found]:
            raise InputError(f"found no vector of node '{self.names[found]}'")
        cosines = np.full(len(rows), -np.inf)
        cosines[known] = rows[known] @ rows[found] / lengths[known] / lengths[found]
        cosines[found] = -np.inf
        order = np.argsort(-cosines, kind="stable")[: max(top, 0)]
        order = order[np.isfinite(cosines[order])]
        return [(self.names[other], float(cosines[other])) for other in order.tolist()]

    def _place(self, node: int | str) -> int:
        names = list(self.names)
        if isinstance(node, str) and node in names:
            return names.index(node)
        if isinstance(node, str) or not 0 <= node < len(names):
            near = suggestion(str(node), names)
            raise InputError(f"found node '{node}'; expected a name or an id{near}")
        return int(node)


def missing_rows(vectors: npt.NDArray[np.floating]) -> npt.NDArray[np.bool_]:
    """Marks the rows without a vector, which are all NaN, `[nodes]`."""
    return np.asarray(np.isnan(vectors).all(axis=1))


def fill_missing(vectors: npt.NDArray[np.floating], first: int = 0) -> Floats:
    """Returns the vectors with zeros in the rows without one.

    Args:
        vectors: The vectors, `[nodes, size]`.
        first: The node of the first row.

    Raises:
        InputError: A vector is infinite or NaN in part.
    """
    filled = np.where(missing_rows(vectors)[:, None], 0.0, vectors)
    faulty = ~np.isfinite(filled).all(axis=1)
    if faulty.any():
        raise InputError(
            f"found a vector of node {first + np.argmax(faulty)} that is not finite; "
            "expected numbers, or a row of NaN where there is no vector"
        )
    return filled


def read_embeddings(path: Path | str, node_count: int | None = None) -> Floats:
    """Reads embed.txt: line i has the vector of node i; an empty line means none.

    Args:
        path: The file, with values separated by white space.
        node_count: How many lines it should have, if known.

    Returns:
        The vectors, `[nodes, size]`, a row of NaN for an empty line.

    Raises:
        InputError: The file is missing or faulty.
    """
    path = Path(path)
    lines = decode(path, read_lines(path))
    if node_count is not None and len(lines) != node_count:
        expected = f"{node_count}, one for each node (an empty line for no vector)"
        raise fault(path, None, f"{len(lines)} lines", expected)
    rows = [line.split() for line in lines]
    size = next((len(row) for row in rows if row), None)
    if size is None:
        raise fault(path, None, "no vector", "one line of numbers for each node")
    vectors = np.full((len(rows), size), np.nan)
    for number, row in enumerate(rows, 1):
        if len(row) not in (0, size):
            raise fault(path, number, f"{len(row)} values", f"{size}, as in the others")
        values = [number_of(cell) for cell in row]
        if not np.isfinite(values).all():
            wrong = row[int(np.argmin(np.isfinite(values)))]
            raise fault(path, number, quoted(wrong), "a finite number")
        vectors[number - 1, : len(row)] = values
    return vectors


def write_embeddings(
    path: Path | str,
    vectors: npt.ArrayLike,
    known: npt.NDArray[np.bool_] | None = None,
) -> None:
    """Writes embed.txt, with enough digits to read the same numbers back.

    Args:
        path: The file.
        vectors: `[nodes, size]`, float32 or float64; a row of NaN is written as
            an empty line. To get the same numbers back, cast what is read to the same
            type.
        known: Marks the rows that are written; all by default, `[nodes]`.

    Raises:
        InputError: A vector is infinite or NaN in part.
    """
    lines = _format(np.asarray(vectors), known)
    write_atomically(Path(path), ("".join(block).encode() for block in lines))


def write_word2vec(
    path: Path | str, vectors: npt.ArrayLike, names: Sequence[str] | None = None
) -> None:
    """Writes the word2vec text format, which gensim and other tools read.

    Args:
        path: The file.
        vectors: `[nodes, size]`, float32 or float64; a row of NaN is left out.
        names: The name of each node, as in `TextualNetwork`; None writes numbers. A
            space in a name becomes an underscore, since the format has no quotes.

    Raises:
        InputError: A vector is infinite or NaN in part.
    """
    vectors = np.asarray(vectors)
    present = ~missing_rows(vectors)
    named = iter(names or range(len(vectors)))

    def content() -> Iterator[bytes]:
        yield f"{present.sum()} {vectors.shape[1]}\n".encode()
        for block in _format(vectors):
            rows = zip(islice(named, len(block)), block, strict=True)
            kept = [
                f"{str(name).replace(' ', '_')} {values}"
                for name, values in rows
                if values != "\n"
            ]
            yield "".join(kept).encode()

    write_atomically(Path(path), content())


def _format(
    vectors: npt.NDArray[np.floating], known: npt.NDArray[np.bool_] | None = None
) -> Iterator[list[str]]:
    """Yields rows as lists of numbers, with enough digits to restore the values."""
    form = "%.9g" if vectors.dtype == np.float32 else "%.17g"
    line = " ".join([form] * vectors.shape[1]) + "\n"
    for first in range(0, len(vectors), _AT_ONCE):
        block = vectors[first : first + _AT_ONCE]
        none = missing_rows(block)
        if known is not None:
            none = none | ~known[first : first + _AT_ONCE]
        filled = fill_missing(np.where(none[:, None], np.nan, block), first)
        rows = zip(none, filled.tolist(), strict=True)
        yield ["\n" if empty else line % tuple(row) for empty, row in rows]
