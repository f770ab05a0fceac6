"""Vectors of nodes as text: upstream's embed.txt and the word2vec format."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from cane_gane.errors import InputError, fault
from cane_gane.evaluation.scores import Floats, missing_rows
from cane_gane.files import write_atomically


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
    lines = _lines(path)
    if node_count is not None and len(lines) != node_count:
        raise fault(
            path,
            None,
            f"{len(lines)} lines",
            f"{node_count}, one for each node (an empty line for no vector)",
        )
    rows = [line.split() for line in lines]
    size = next((len(row) for row in rows if row), None)
    if size is None:
        raise fault(path, None, "no vector", "one line of numbers for each node")
    vectors = np.full((len(rows), size), np.nan)
    for number, row in enumerate(rows, 1):
        if row:
            vectors[number - 1] = _numbers(path, number, row, size)
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


def read_word2vec(path: Path | str) -> tuple[tuple[str, ...], Floats]:
    """Reads the word2vec text format: a header `count size`, then name and values.

    Args:
        path: The file.

    Returns:
        The names, and the vectors, `[count, size]`.

    Raises:
        InputError: The file is missing or faulty.
    """
    path = Path(path)
    lines = _lines(path)
    header = lines[0].split() if lines else []
    if len(header) != 2 or not all(part.isdigit() for part in header):
        found = f"'{_text(lines[0])}'" if lines else "nothing"
        raise fault(path, 1, found, "a header of two numbers, count and size")
    count, size = map(int, header)
    if len(lines) - 1 != count:
        raise fault(
            path, None, f"{len(lines) - 1} vectors", f"{count}, as the header says"
        )
    vectors = np.empty((count, size))
    line_of: dict[str, int] = {}
    for number, line in enumerate(lines[1:], 2):
        name, *row = line.split() or [b""]
        vectors[number - 2] = _numbers(path, number, row, size)
        if name.decode() in line_of:
            first = line_of[name.decode()]
            raise fault(
                path,
                number,
                f"'{name.decode()}', which line {first} holds too",
                "a name of its own for each vector",
            )
        line_of[name.decode()] = number
    return tuple(line_of), vectors


def write_word2vec(
    path: Path | str, vectors: npt.ArrayLike, names: Sequence[str] | None = None
) -> None:
    """Writes the word2vec text format, which gensim and other tools read.

    Args:
        path: The file.
        vectors: `[nodes, size]`, float32 or float64; a row of NaN is left out.
        names: The name of each node, without white space; else its number.

    Raises:
        InputError: The names do not fit, or a vector is infinite or NaN in part.
    """
    vectors = np.asarray(vectors)
    names = [str(n) for n in range(len(vectors))] if names is None else names
    if len(names) != len(vectors):
        raise InputError(
            f"found {len(names)} names; expected {len(vectors)}, one for each vector"
        )
    for name in names:
        if len(name.split()) != 1 or name != name.strip():
            raise InputError(f"found '{name}'; expected a name without white space")
    rows = [
        f"{name} {values}"
        for name, values in zip(names, _format(vectors), strict=True)
        if values != "\n"
    ]
    header = f"{len(rows)} {vectors.shape[1]}\n"
    write_atomically(Path(path), "".join([header, *rows]).encode())


def _lines(path: Path) -> list[bytes]:
    """Returns the lines of a file, which must be UTF-8, without their ends."""
    if not path.is_file():
        raise fault(path, None, "no such file", "a file of vectors")
    lines = path.read_bytes().split(b"\n")
    for number, line in enumerate(lines, 1):
        try:
            line.decode()
        except UnicodeDecodeError:
            raise fault(path, number, "bytes that are not UTF-8", "text") from None
    return lines if lines[-1] else lines[:-1]


def _numbers(path: Path, number: int, row: Sequence[bytes], size: int) -> list[float]:
    """Returns the values of a line, which must be `size` finite numbers."""
    if len(row) != size:
        raise fault(path, number, f"{len(row)} values", f"{size}, as in the others")
    try:
        values = [float(cell) for cell in row]
    except ValueError:
        values = [np.nan]
    if not np.isfinite(values).all():
        wrong = next(cell for cell in row if not _is_finite(cell))
        raise fault(path, number, f"'{_text(wrong)}'", "a finite number")
    return values


def _is_finite(cell: bytes) -> bool:
    try:
        return bool(np.isfinite(float(cell)))
    except ValueError:
        return False


def _text(line: bytes) -> str:
    text = line.decode().strip()
    return text if len(text) <= 40 else f"{text[:40]}…"


def _format(vectors: npt.NDArray[np.floating]) -> list[str]:
    """Returns each row as a line, with the digits that give the same value back."""
    missing = missing_rows(vectors)
    faulty = ~missing & ~np.isfinite(vectors).all(axis=1)
    if faulty.any():
        node = int(np.argmax(faulty))
        raise InputError(f"found a vector of node {node} that is not finite")
    form = "%.9g" if vectors.dtype == np.float32 else "%.17g"
    line = " ".join([form] * vectors.shape[1]) + "\n"
    return [
        "\n" if none else line % tuple(row)
        for none, row in zip(missing, vectors.tolist(), strict=True)
    ]
