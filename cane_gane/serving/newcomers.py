"""What a model's evidence and structure make of known nodes and of new ones."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from cane_gane.data.graph import Edges
from cane_gane.data.splits import Split
from cane_gane.evaluation.fitted import Floats
from cane_gane.evidence.additive import Additive
from cane_gane.evidence.features import Evidence
from cane_gane.evidence.newcomer import Newcomer
from cane_gane.evidence.spaces import Spaces, pack, unpack
from cane_gane.models.start.walks import WalkSpace, popularity, walk_space
from cane_gane.serving.client import ServedModel
from cane_gane.serving.kept import Kept


@dataclass(frozen=True)
class NewNode:
    """A node that is not there yet.

    Attributes:
        text: Its text.
        links: Its neighbours.
        evidence: What each feature adds to its score with all nodes, `[nodes]`, by
            name; nothing where the model has no evidence.
        structure: Its structure vector, `[d]`.
    """

    text: str
    links: Sequence[int]
    evidence: dict[str, Any]
    structure: Floats


class PairParts(ABC):
    """The evidence of a model, feature by feature; what takes long is kept.

    Attributes:
        functions: What each feature adds to a score; None without evidence.
    """

    def __init__(
        self, split: Split, fitted: ServedModel, kept: Kept, seed: int
    ) -> None:
        """Takes the model, the split that it was fitted on, and where to keep."""
        self._split, self._fitted = split, fitted
        self._kept, self._seed = kept, seed
        weights = fitted.weights or {}
        known = weights.get("nodes")
        self.functions = Additive.from_weights(known) if known else None
        self._edges: Edges = np.array(weights.get("edges", split.train), np.int64)

    @abstractmethod
    def of_pairs(self, pairs: Edges) -> dict[str, Any]:
        """Returns what each feature adds to the scores of pairs, `[pairs]` each."""

    @abstractmethod
    def new_node(self, text: str, links: Sequence[int], structure: Floats) -> NewNode:
        """Places a new node beside the known ones.

        Args:
            text: Its text.
            links: Its neighbours.
            structure: The structure vectors of the known nodes, `[nodes, d]`.
        """


class NodeEvidence(PairParts):
    """The evidence of a model, from a table of all pairs of features."""

    @cached_property
    def _evidence(self) -> Evidence:
        texts, edges = self._split.network.texts, self._edges

        def build() -> dict[str, Any]:
            spaces = Spaces.fit(texts)
            arrays = spaces.arrays()
            own = Evidence(spaces, edges, len(texts), whole=False)
            graphs = own.graphs() if self.functions else {"ties": own.ties}
            for name, graph in graphs.items():
                arrays |= pack(name, graph)
            return arrays

        arrays = self._kept.arrays("evidence", build)
        found = Evidence(Spaces.from_arrays(arrays), edges, len(texts), whole=False)
        names = [key.removesuffix(".shape") for key in arrays if key.endswith(".shape")]
        found.take({name: unpack(name, arrays) for name in names})
        return found

    def of_pairs(self, pairs: Edges) -> dict[str, Any]:
        """Returns what the features of each source say."""
        if self.functions is None:
            return {}
        names, evidence = self.functions.names, self._evidence
        found = {name: np.zeros(len(pairs)) for name in names}
        for source in np.unique(pairs[:, 0]).tolist():
            mine = np.flatnonzero(pairs[:, 0] == source)
            features = evidence.features(np.array([source]), names)
            values = (own[0, pairs[mine, 1]] for own in features)
            for name, part in self.functions.parts(values).items():
                found[name][mine] = part
        return found

    def new_node(self, text: str, links: Sequence[int], structure: Floats) -> NewNode:
        """Places a new node by the features that it would have."""
        newcomer = Newcomer(self._evidence, text, links)
        parts: dict[str, Any] = {}
        if self.functions is not None:
            parts = self.functions.parts(newcomer.features(self.functions.names))
        own = np.zeros(structure.shape[1], np.float32)
        if self._fitted.lonely:
            space, turn = self._start(structure)
            walks = space.of(newcomer.walks()[None, space.sample])[0]
            own = np.append(walks, popularity(self._split.train[:0], 1)) @ turn
        return NewNode(text, links, parts, own.astype(np.float32))

    def _start(self, structure: Floats) -> tuple[WalkSpace, Floats]:
        """Returns how structure follows from walks: a projection, then a linear map.

        The vectors of walks are found as the model's start was, of nodes without a
        training edge, too. What training made of it, in all nodes alike, is the map.
        """

        def build() -> dict[str, Any]:
            step, size = self._evidence.walks.step, structure.shape[1]
            walks, space = walk_space(step, size - 1, self._seed)
            popular = popularity(self._split.train, len(structure))
            known = np.column_stack([walks, popular])
            turn = np.linalg.lstsq(known, structure, rcond=None)[0]
            return {**space._asdict(), "turn": turn}

        arrays = self._kept.arrays("start", build)
        space = WalkSpace(*(arrays[name] for name in WalkSpace._fields))
        return space, arrays["turn"]
