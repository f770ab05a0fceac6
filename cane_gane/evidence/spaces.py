"""The texts of a network as vectors, with which other texts can be compared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from cane_gane.data.tfidf import TextSpace
from cane_gane.evidence.likeness import Likeness, Texts

Arrays = dict[str, Any]

KINDS = ("words", "pairs", "letters", "shared")


class Spaces(Texts):
    """`Texts` with the vocabulary of its vectors, but without whole matrices."""

    def __init__(self, spaces: Mapping[str, TextSpace]) -> None:
        """Takes a space for each of `KINDS`."""
        super().__init__(())
        self._spaces = spaces
        made = {kind: Likeness(spaces[kind].vectors, whole=False) for kind in KINDS}
        self.words, self.pairs = made["words"], made["pairs"]
        self.letters, self.shared = made["letters"], made["shared"]

    @classmethod
    def fit(cls, texts: Sequence[str]) -> Spaces:
        """Fits all spaces on texts."""
        return cls({kind: TextSpace.fit(kind, texts) for kind in KINDS})

    def likeness(self, kind: str) -> Likeness:
        """Returns the similarities of the texts, for a kind of vectors."""
        found: Likeness = getattr(self, kind)
        return found

    def vector(self, kind: str, text: str) -> Any:
        """Returns the vector of another text, `[1, size]`, sparse."""
        return self._spaces[kind].of([text])

    def arrays(self) -> Arrays:
        """Returns all that `from_arrays` needs, as arrays by name."""
        return pack_spaces(self._spaces)

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Any]) -> Spaces:
        """Builds the spaces from what `arrays` returned."""
        return cls(unpack_spaces(KINDS, arrays))


def pack_spaces(spaces: Mapping[str, TextSpace]) -> Arrays:
    """Returns spaces as arrays by name."""
    found: Arrays = {}
    for kind, space in spaces.items():
        found |= pack(f"{kind}_vectors", space.vectors)
        text = "\n".join(space.words).encode()
        found[f"{kind}_words"] = np.frombuffer(text, np.uint8)
        found[f"{kind}_idf"] = space.idf
    return found


def unpack_spaces(
    kinds: Iterable[str], arrays: Mapping[str, Any]
) -> dict[str, TextSpace]:
    """Returns the spaces that `pack_spaces` packed, by kind."""
    spaces = {}
    for kind in kinds:
        text = arrays[f"{kind}_words"].tobytes().decode()
        words = text.split("\n") if text else []
        vectors = unpack(f"{kind}_vectors", arrays)
        spaces[kind] = TextSpace(kind, vectors, words, arrays[f"{kind}_idf"])
    return spaces


def pack(name: str, matrix: Any) -> Arrays:
    """Returns a sparse matrix as arrays by name."""
    matrix = sparse.csr_array(matrix)
    parts = {"data": matrix.data, "indices": matrix.indices, "indptr": matrix.indptr}
    parts["shape"] = np.array(matrix.shape)
    return {f"{name}.{part}": values for part, values in parts.items()}


def unpack(name: str, arrays: Mapping[str, Any]) -> Any:
    """Returns the sparse matrix that `pack` packed."""
    parts = (arrays[f"{name}.{part}"] for part in ("data", "indices", "indptr"))
    return sparse.csr_array(tuple(parts), shape=tuple(arrays[f"{name}.shape"]))
