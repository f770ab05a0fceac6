"""What a model's evidence makes of known and new nodes of a large network."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.preprocessing import normalize

from cane_gane.data.graph import Edges
from cane_gane.evaluation.fitted import Floats
from cane_gane.evidence.arrival import Arrival
from cane_gane.evidence.large import LargeEvidence, LargeTexts
from cane_gane.evidence.quantities import WALKS
from cane_gane.models.start.walks import WALK_NORM, popularity
from cane_gane.serving.newcomers import NewNode, PairParts


class LargeNodeEvidence(PairParts):
    """The evidence of a model of a large network.

    Known nodes are asked of the model itself, which has all it takes. New ones need
    the vectors of texts and walks, which are found when the first one is asked about.
    """

    def of_pairs(self, pairs: Edges) -> dict[str, Any]:
        """Returns what the model itself says: it has the matrices of the evidence."""
        if self.functions is None:
            return {}
        parts = self._fitted.evidence_parts(pairs)
        return dict(zip(self.functions.names, parts.T, strict=True))

    @cached_property
    def _texts(self) -> LargeTexts:
        texts = self._split.network.texts

        def build() -> dict[str, Any]:
            return LargeTexts.fit(texts, self._seed).arrays()

        return LargeTexts.from_arrays(self._kept.arrays("large_texts", build))

    @cached_property
    def _evidence(self) -> LargeEvidence:
        def build() -> dict[str, Any]:
            return LargeEvidence.fit(self._texts, self._edges, self._seed).arrays()

        return LargeEvidence.from_arrays(self._kept.arrays("large_evidence", build))

    def new_node(self, text: str, links: Sequence[int], structure: Floats) -> NewNode:
        """Places a new node by the rows that it would have in the matrices."""
        new = Arrival(self._evidence, self._texts, text, links)
        parts: dict[str, Any] = {}
        if self.functions is not None:
            parts = self.functions.parts(new.features(self.functions.names))
        own = np.zeros(structure.shape[1], np.float32)
        if self._fitted.lonely:
            walks = WALK_NORM * normalize(new.walk_vector[None])
            own = self._with_popularity(walks, self._split.train[:0])[0]
            own = own @ self._turn(structure)
        return NewNode(text, links, parts, own.astype(np.float32))

    def _turn(self, structure: Floats) -> Floats:
        """Returns how structure follows from walks: a linear map for all nodes."""

        def build() -> dict[str, Any]:
            walks = WALK_NORM * normalize(self._evidence.matrices[WALKS])
            known = self._with_popularity(walks, self._split.train)
            return {"turn": np.linalg.lstsq(known, structure, rcond=None)[0]}

        found: Floats = self._kept.arrays("large_start", build)["turn"]
        return found

    def _with_popularity(self, walks: Floats, train: Edges) -> Any:
        return np.column_stack([walks, popularity(train, len(walks))])
