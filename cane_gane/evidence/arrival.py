"""A node that is not yet in a large network, and the rows that it would have there."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.preprocessing import normalize

from cane_gane.data.graph import random_step
from cane_gane.evidence.large import (
    GOES_ON,
    KINDS,
    SIMILAR,
    WORDS,
    LargeEvidence,
    LargeTexts,
)
from cane_gane.evidence.pruning import largest_of_rows
from cane_gane.evidence.quantities import SCALE, VISITS, WALKS
from cane_gane.evidence.walks import Walks
from cane_gane.models.start.similar import turned
from cane_gane.models.start.walks import near_vectors

Floats = npt.NDArray[np.float32]


class Arrival:
    """A new node of a large network; the rows of the other nodes stay unchanged."""

    def __init__(
        self,
        evidence: LargeEvidence,
        texts: LargeTexts,
        text: str,
        links: Sequence[int],
    ) -> None:
        """Takes the network's evidence, and the text and neighbours of the new node.

        Args:
            evidence: The evidence of the network.
            texts: The texts of the network.
            text: The text of the new node.
            links: The neighbours of the new node.
        """
        self._evidence, self._texts = evidence, texts
        known, nodes = evidence.matrices, evidence.node_count
        joined = np.zeros((1, nodes), np.float32)
        joined[0, list(links)] = 1
        self._joined = sparse.csr_array(joined)
        rows = {kind: texts.spaces[kind].of([text]) for kind in KINDS}
        near = largest_of_rows(self._joined @ known["pairs"], WORDS)
        rows["near"] = sparse.csr_array(normalize(near), dtype=np.float32)
        both = rows["pairs"] + rows["near"]
        length = max(float(both.multiply(both).sum()), 1e-9)
        similar, near_similar = self._similar(rows["words"])
        self._weights = joined[0] + (similar + near_similar).toarray()[0] / 2
        step = GOES_ON * random_step(self._joined)
        self.rows: dict[str, Any] = {
            **rows,
            SCALE: np.array([1 / np.sqrt(length)], np.float32),
            "joined": self._joined,
            "common": self._joined @ sparse.diags_array(known["rarity"]),
            "alike": random_step(similar),
            "near_alike": random_step(near_similar),
            VISITS: sparse.csr_array(step + step @ known[VISITS]),
        }
        self.rows[WALKS] = self.walk_vector[None]

    def features(self, names: Sequence[str]) -> list[Floats]:
        """Returns the features of the new node with all nodes, `[nodes]` each."""
        return [own[0] for own in self._evidence.features_of(self.rows, names)]

    def _similar(self, words: Any) -> tuple[Any, Any]:
        """Returns the nodes most similar by text, and with the neighbours' texts."""
        own, known = turned(words, self._texts.directions), self._texts.vectors
        near = normalize(own + normalize(self._joined @ known))
        joined = self._evidence.matrices["joined"]
        found = known @ own[0], near_vectors(known, joined) @ near[0]
        first, second = (
            largest_of_rows(sparse.csr_array(np.maximum(cosines, 0)[None]), SIMILAR)
            for cosines in found
        )
        return first, second

    @cached_property
    def walk_vector(self) -> Floats:
        """The vector that represents its walks, `[size]`."""
        joined, space = self._evidence.matrices["joined"], self._evidence.space
        walks = Walks(joined, self._evidence.ties, whole=False)
        return space.projected(walks.from_new(self._weights)[None, space.sample])[0]
