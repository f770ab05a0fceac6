"""Vectors in the formats of other programs: numpy, CSV, word2vec, the projector."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from cane_gane.data.vectors import fill_missing, missing_rows, write_word2vec
from cane_gane.files import new_folder, write_atomically

Floats = npt.NDArray[np.floating]

_CONFIG = """\
embeddings {
  tensor_path: "tensors.tsv"
  metadata_path: "metadata.tsv"
}
"""
_START = 80  # characters of a text that the projector shows


def write_vectors(
    path: Path,
    kind: str,
    vectors: Floats,
    names: Sequence[str],
    labels: Sequence[str],
    texts: Sequence[str],
) -> None:
    """Writes vectors in one of the formats; nothing is left half-written.

    Args:
        path: The file; for `projector` the folder.
        kind: `npy`, `csv`, `word2vec` or `projector`.
        vectors: `[rows, size]`; a row of NaN is kept in npy, left out of the others.
        names: The name of each row.
        labels: The labels of each row, which the projector shows.
        texts: The text of each row; the projector shows its start.
    """
    if kind == "npy":
        file = io.BytesIO()
        np.save(file, vectors)
        write_atomically(path, file.getvalue())
    elif kind == "word2vec":
        write_word2vec(path, vectors, names)
    elif kind == "csv":
        header = ["name", *(f"x{column}" for column in range(vectors.shape[1]))]
        rows = [[names[row], *numbers] for row, numbers in _known(vectors)]
        write_atomically(path, _table([header, *rows], ","))
    else:
        known = _known(vectors)
        metadata = [[names[row], labels[row], texts[row][:_START]] for row, _ in known]
        with new_folder(path) as draft:
            numbers = _table([own for _, own in known], "\t")
            write_atomically(draft / "tensors.tsv", numbers)
            rows = [["name", "labels", "text"], *metadata]
            write_atomically(draft / "metadata.tsv", _table(rows, "\t"))
            write_atomically(draft / "projector_config.pbtxt", _CONFIG.encode())


def _known(vectors: Floats) -> list[tuple[int, list[str]]]:
    """Returns the index of each row with a vector, and its numbers as strings."""
    rows = np.flatnonzero(~missing_rows(vectors)).tolist()
    filled = fill_missing(vectors)
    return [(row, [f"{number:.9g}" for number in filled[row]]) for row in rows]


def _table(rows: Sequence[Sequence[str]], divider: str) -> bytes:
    if divider == "\t":  # no quotes here: cells cannot hold tabs or line ends
        lines = ("\t".join(" ".join(cell.split()) for cell in row) for row in rows)
        return "".join(f"{line}\n" for line in lines).encode(errors="replace")
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows(rows)
    return file.getvalue().encode(errors="replace")
