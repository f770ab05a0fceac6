"""Vectors of nodes as text: upstream's embed.txt and the word2vec format."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from cane_gane.data.lines import decode, quoted, read_lines
from cane_gane.errors import InputError, fault
from cane_gane.files import write_atomically

Floats = npt.NDArray[np.float64]


def missing_rows(vectors: npt.NDArray[np.floating]) -> npt.NDArray[np.bool_]:
    """Marks the rows that hold no vector: all NaN, `[nodes]`."""
    return np.asarray(np.isnan(vectors).all(axis=1))


def fill_missing(vectors: npt.NDArray[np.floating]) -> Floats:
    """Returns the vectors with zeros in the rows that hold none.

    Raises:
        InputError: A vector is infinite or NaN in part.
    """
    filled = np.where(missing_rows(vectors)[:, None], 0.0, vectors)
    faulty = ~np.isfinite(filled).all(axis=1)
    if faulty.any():
        raise InputError(
            f"found a vector of node {np.argmax(faulty)} that is not finite; expected "
            "numbers, or a row of NaN where there is no vector"
        )
    return filled


def read_embeddings(path: Path | str, node_count: int | None = None) -> Floats:
    """Reads embed.txt: line i has the vector of node i, an empty line none.

    Args:
        path: The file, values divided by white space.
        node_count: How many lines it should have, where that is known.

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
        values = [_number(cell) for cell in row]
        if not np.isfinite(values).all():
            wrong = row[int(np.argmin(np.isfinite(values)))]
            raise fault(path, number, quoted(wrong), "a finite number")
        vectors[number - 1, : len(row)] = values
    return vectors


def write_embeddings(path: Path | str, vectors: npt.ArrayLike) -> None:
    """Writes embed.txt, with digits enough to read the same numbers back.

    Args:
        path: The file.
        vectors: `[nodes, size]`, float32 or float64; a row of NaN is written as
            an empty line. What is read back must be cast to the same type.

    Raises:
        InputError: A vector is infinite or NaN in part.
    """
    write_atomically(Path(path), "".join(_format(np.asarray(vectors))).encode())


def write_word2vec(
    path: Path | str, vectors: npt.ArrayLike, names: Sequence[str] | None = None
) -> None:
    """Writes the word2vec text format, which gensim and other tools read.

    Args:
        path: The file.
        vectors: `[nodes, size]`, float32 or float64; a row of NaN is left out.
        names: The name of each node, as `TextualNetwork` has it; else its number.

    Raises:
        InputError: A vector is infinite or NaN in part.
    """
    vectors = np.asarray(vectors)
    named = zip(names or range(len(vectors)), _format(vectors), strict=True)
    rows = [f"{name} {values}" for name, values in named if values != "\n"]
    header = f"{len(rows)} {vectors.shape[1]}\n"
    write_atomically(Path(path), "".join([header, *rows]).encode())


def _number(cell: str) -> float:
    """Returns the number that a cell spells, else NaN."""
    # Python also reads 1_0, and the digits of other scripts.
    if "_" in cell or not cell.isascii():
        return np.nan
    try:
        return float(cell)
    except ValueError:
        return np.nan


def _format(vectors: npt.NDArray[np.floating]) -> list[str]:
    """Returns each row as a line, with the digits that give the same value back."""
    rows = fill_missing(vectors).tolist()
    form = "%.9g" if vectors.dtype == np.float32 else "%.17g"
    line = " ".join([form] * vectors.shape[1]) + "\n"
    missing = zip(missing_rows(vectors), rows, strict=True)
    return ["\n" if none else line % tuple(row) for none, row in missing]
