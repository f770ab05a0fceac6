"""The features of a node that is not yet in the network: a text and a few edges."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from cane_gane.data.graph import random_step, reach
from cane_gane.evidence.closest import best_of, levels_of
from cane_gane.evidence.features import ALIKE, FLOOR, STEPS, Evidence, Hop, log_share
from cane_gane.evidence.spaces import Spaces
from cane_gane.evidence.walks import SIMILAR

Floats = npt.NDArray[np.float32]

_GOES_ON = 0.85  # the probability that a PageRank walk takes another step


class Newcomer:
    """A new node of a network; the features of the other nodes stay unchanged.

    Its features with all nodes are those that `Evidence` would compute with the node in
    the network, except that its effects on other pairs are ignored.
    """

    def __init__(self, evidence: Evidence, text: str, links: Sequence[int]) -> None:
        """Takes the network's evidence, and the text and neighbours of the new node.

        Args:
            evidence: The evidence of the network, with `Spaces` as its texts.
            text: The text of the new node.
            links: The neighbours of the new node.
        """
        assert isinstance(evidence.texts, Spaces)
        self._evidence, self._spaces = evidence, evidence.texts
        self._text = text
        joined = np.zeros((1, evidence.node_count))
        joined[0, list(links)] = 1
        self._links = np.flatnonzero(joined[0])
        self._joined = sparse.csr_array(joined)
        self._step = sparse.csr_array(random_step(self._joined), dtype=np.float32)

    def features(self, names: Sequence[str]) -> list[Floats]:
        """Returns the features of the new node with all nodes, `[nodes]` each."""
        found = (np.asarray(_FEATURES[name](self), np.float32) for name in names)
        return [np.broadcast_to(own, self._evidence.node_count) for own in found]

    def likeness(self, kind: str) -> Floats:
        """Returns the similarity of its text to all texts, `[nodes]`."""
        space = self._spaces.likeness(kind)
        return space.of(self._spaces.vector(kind, self._text))[0]

    @cached_property
    def _hops(self) -> dict[str, Hop]:
        vectors = {
            kind: self._spaces.vector(kind, self._text)
            for kind in ("words", "pairs", "letters")
        }
        return {
            kind: Hop(*(own[0] for own in near.of_new(vectors[kind], self._step)))
            for kind, near in self._evidence.near.items()
        }

    def _nearest(self, values: Floats, count: int) -> Floats:
        """Returns the values of the most similar nodes, and 0 for the others."""
        kept = np.zeros_like(values)
        best = np.argsort(-values, kind="stable")[:count]
        kept[best] = np.maximum(values[best], 0)
        return kept

    def _weights(self, kind: str) -> Floats:
        """Returns the weights of its edges and its ties to similar texts, `[nodes]`."""
        own, near = self.likeness(kind), self._hops[kind].one_hop
        ties = (self._nearest(own, SIMILAR) + self._nearest(near, SIMILAR)) / 2
        return self._joined.toarray()[0].astype(np.float32) + ties

    def walks(self) -> Floats:
        """Returns the log of how often walks lead from it to all nodes, `[nodes]`."""
        return self._evidence.walks.from_new(self._weights("pairs"))

    def _short_walks(self) -> Floats:
        return self._evidence.short_walks.from_new(self._weights("pairs"))

    def _letter_walks(self) -> Floats:
        return self._evidence.letter_walks.from_new(self._weights("letters"))

    def _adamic_adar(self) -> Floats:
        degrees = self._evidence.degrees + self._joined.toarray()[0]
        weights = sparse.diags_array(1 / np.log(np.maximum(degrees, 2)))
        common = self._joined @ weights @ self._evidence.joined
        return np.log1p(common.toarray()[0])

    def _pagerank(self) -> Any:
        visits = self._step.toarray()[0]
        if len(self._links):
            later = reach(self._evidence.step, self._links, STEPS - 1)
            visits = _GOES_ON * (visits + later.mean(axis=0))
        return np.log(visits / np.maximum(self._evidence.degrees, 1) + FLOOR)

    def _closest_target(self) -> Floats:
        alike = self._evidence.texts.pairs.rows(self._links)
        alike[np.arange(len(self._links)), self._links] = 0
        return alike.max(axis=0, initial=0)

    def _closest_source(self) -> Floats:
        sources = sparse.csr_array(self._evidence.directed.T)
        return best_of(self.likeness("pairs")[None], sources)[0]

    def _target_height(self) -> Floats:
        listed = self._hops["pairs"].one_hop.copy()
        listed[self._links] = 0
        return self._height(levels_of(listed[None])[:, None])

    def _height(self, levels: Floats) -> Floats:
        alike = self._hops["pairs"].one_hop[None]
        return self._evidence.levels.heights(alike, levels)[0]

    def _edges_of_alike(self, values: Floats) -> Floats:
        shares = self._nearest(values, ALIKE)
        row = sparse.csr_array(shares[None] / max(float(shares.sum()), 1e-12))
        return log_share(row @ self._evidence.directed)[0]

    def _alike_among_neighbours(self, kind: int) -> Floats:
        return log_share(self._joined @ self._evidence.alike[kind].T)[0]


# Each feature of a new node with all nodes, `[nodes]`.
_FEATURES: dict[str, Callable[[Newcomer], Any]] = {
    "words": lambda own: own.likeness("words"),
    "word_pairs": lambda own: own.likeness("pairs"),
    "letters": lambda own: own.likeness("letters"),
    "shared_words": lambda own: np.log1p(own.likeness("shared")),
    "words_one_hop": lambda own: own._hops["words"].one_hop,
    "pairs_one_hop": lambda own: own._hops["pairs"].one_hop,
    "letters_one_hop": lambda own: own._hops["letters"].one_hop,
    "across": lambda own: own._hops["pairs"].across,
    "neighbours": lambda own: own._hops["pairs"].neighbours,
    "closest_target": Newcomer._closest_target,
    "closest_source": Newcomer._closest_source,
    "target_height": Newcomer._target_height,
    "source_height": lambda own: own._height(own._evidence.levels.of[None]),
    "walks": Newcomer.walks,
    "short_walks": Newcomer._short_walks,
    "letter_walks": Newcomer._letter_walks,
    "adamic_adar": Newcomer._adamic_adar,
    "pagerank": Newcomer._pagerank,
    "similar_sources": lambda own: own._edges_of_alike(own.likeness("pairs")),
    "similar_targets": lambda own: own._alike_among_neighbours(0),
    "near_sources": lambda own: own._edges_of_alike(own._hops["pairs"].one_hop),
    "near_targets": lambda own: own._alike_among_neighbours(1),
    "popularity": lambda own: own._evidence.columns["popularity"],
    "degree": lambda own: own._evidence.columns["degree"],
    "out_degree": lambda own: own._evidence.columns["out_degree"],
    "seen": lambda own: own._evidence.columns["seen"],
}
