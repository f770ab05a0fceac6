"""Answers of any fitted method about the nodes of its network."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import normalize

from cane_gane.config import suggestion
from cane_gane.data.graph import (
    Edges,
    directed,
    neighbours,
    neighbours_and_itself,
)
from cane_gane.data.splits import Split
from cane_gane.data.vectors import fill_missing, missing_rows
from cane_gane.errors import InputError
from cane_gane.evaluation.examples import node_map
from cane_gane.evaluation.fitted import Fitted, Floats, Integers
from cane_gane.evaluation.matching import Match
from cane_gane.evaluation.results import NodeMap
from cane_gane.evidence.calibration import MISSING
from cane_gane.serving.answers import (
    TOP,
    Answers,
    Explanation,
    Node,
    Pair,
    Part,
    Side,
    Suggestion,
)
from cane_gane.serving.index import VectorIndex
from cane_gane.serving.kept import Kept
from cane_gane.serving.parts import as_parts

CANDIDATES = 100  # nodes that the index names
_AROUND = 5  # nodes on the map between which a missing node is put


class VectorAnswers(Answers):
    """Answers by the score of a method, about nodes only.

    An index over the vectors names candidates, which the score ranks.
    """

    reads_texts = False

    def __init__(
        self,
        split: Split,
        fitted: Fitted,
        kept: Kept,
        seed: int = 1,
        chart: Callable[[], NodeMap | None] = lambda: None,
    ) -> None:
        """Takes a fitted method.

        Args:
            split: The split that it was fitted on.
            fitted: The method.
            kept: The cache of slow results.
            seed: The seed of every random choice.
            chart: Returns an existing map of the nodes, if there is one.
        """
        self.network, self.split, self.fitted = split.network, split, fitted
        self._kept, self._seed, self._chart = kept, seed, chart

    def node(self, which: int | str) -> Node:
        """Returns a node by its id or name."""
        return self._node(self._id(which))

    def _node(self, node: int) -> Node:
        network = self.network
        labels = network.labels[node] if network.labels else ()
        return Node(node, network.name_of(node), network.texts[node], labels)

    def _id(self, which: int | str) -> int:
        count, names = self.network.node_count, self._ids
        found = self._named(which) if isinstance(which, str) else which
        if found is None:
            raise InputError(
                f"found node '{str(which)[:60]}'; expected a name of the network, or "
                f"an id from 0 to {count - 1:,}{suggestion(str(which)[:200], names)}"
            )
        if not 0 <= found < count:
            raise InputError(f"found node {found}; expected 0 to {count - 1:,}")
        return int(found)

    def _named(self, name: str) -> int | None:
        """Returns the id that a name, `node N` or a number stands for, if any."""
        if name in self._ids:
            return self._ids[name]
        digits = name.removeprefix("" if self._ids else "node ")
        return int(digits) if digits.isascii() and digits.isdigit() else None

    @cached_property
    def _ids(self) -> dict[str, int]:
        return {name: node for node, name in enumerate(self.network.names or ())}

    @cached_property
    def _joined(self) -> Any:
        return neighbours(self.split.train, self.network.node_count)

    @cached_property
    def degrees(self) -> Floats:
        """How many training edges begin at each node, `[nodes]`."""
        own = directed(self.split.train, self.network.node_count)
        return np.asarray(own.sum(axis=1)).ravel()

    @cached_property
    def _closed(self) -> Any:
        """Marks impossible suggestions: training neighbours and the node itself."""
        return neighbours_and_itself(self.split.train, self.network.node_count)

    def neighbours(self, node: int) -> list[Node]:
        """Returns the neighbours of a node by training edges, ordered by id."""
        row = self._joined[[self._id(node)]]
        return [self._node(other) for other in np.sort(row.indices).tolist()]

    @cached_property
    def vectors(self) -> Floats:
        """The vector of each node, `[nodes, size]`; a row of NaN if it has none."""
        build = lambda: {"vectors": np.asarray(self.fitted.vectors)}  # noqa: E731
        found: Floats = self._kept.arrays("vectors", build)["vectors"]
        return found

    @cached_property
    def index(self) -> VectorIndex:
        """The index over the vectors."""

        def build() -> bytes:
            return VectorIndex.build(self.vectors, self._seed).save()

        return VectorIndex.load(self._kept.content("index.voyager", build))

    def nearest_of(self, vectors: Floats, count: int) -> Integers:
        """Returns the nodes nearest to vectors by the index, `[vectors, count]`."""
        return self.index.nearest_of(vectors, count)

    def candidates(self, node: int) -> Integers:
        """Returns the candidates of the first stage for a node, without neighbours."""
        closed = self._closed[[node]].indices
        found = self.index.nearest(self.vectors[node], CANDIDATES + len(closed))
        return np.setdiff1d(found, closed)

    def strangers(self, node: int) -> Integers:
        """Returns all nodes except a node itself and its neighbours."""
        everyone = np.arange(self.network.node_count)
        return np.setdiff1d(everyone, self._closed[[node]].indices)

    def pairs_of(self, node: int, others: Integers | None = None) -> Edges:
        """Pairs a node with others, by default its candidates, `[others, 2]`."""
        others = self.candidates(node) if others is None else others
        return np.stack([np.full_like(others, node), others], axis=1)

    def rough(self, node: int, count: int) -> Edges:
        """Returns a node with the best nodes of the first stage, `[count, 2]`."""
        closed = self._closed[[node]].indices
        found = self.index.nearest(self.vectors[node], count + len(closed))
        return self.pairs_of(node, found[~np.isin(found, closed)][:count])

    def probabilities(
        self, pairs: Edges, scores: Floats, missing: float = MISSING
    ) -> Floats | None:
        """Returns the probability of an edge from each first to each second node.

        Returns None if scores are not calibrated.

        Args:
            pairs: The pairs, `[pairs, 2]`.
            scores: Their scores.
            missing: The share of all edges that is assumed to be missing.
        """
        return None

    def recommend(
        self,
        node: int | None = None,
        *,
        text: str | None = None,
        links: Sequence[int] = (),
        top: int = TOP,
    ) -> list[Suggestion]:
        """Finds the likeliest missing edges of a node."""
        if (node is None) == (text is None):
            raise InputError("found both a node and a text, or none; expected one")
        if text is not None:
            return self._recommend_text(text, [self._id(link) for link in links], top)
        if len(links):
            raise InputError(
                "found links of a known node; expected links only with a text"
            )
        assert node is not None
        pairs, scores = self.best(self._id(node), top)
        return self._suggestions(pairs, scores)

    def best(self, node: int, top: int) -> tuple[Edges, Floats]:
        """Returns the best pairs of a node, `[top, 2]`, and their scores."""
        pairs = self.pairs_of(node)
        scores = np.asarray(self.fitted.score(pairs), np.float64)
        order = np.argsort(-scores, kind="stable")[: max(top, 0)]
        return pairs[order], scores[order]

    def _suggestions(self, pairs: Edges, scores: Floats) -> list[Suggestion]:
        if not len(pairs):
            return []
        rows = zip(
            pairs[:, 1].tolist(),
            scores.tolist(),
            self._probabilities(pairs, scores),
            self._parts(pairs, scores),
            self._words(pairs),
            strict=True,
        )
        return [Suggestion(self._node(node), *own) for node, *own in rows]

    def _parts(self, pairs: Edges, scores: Floats) -> list[tuple[Part, ...]]:
        return [as_parts({"score": score}, {}) for score in scores.tolist()]

    def _probabilities(self, pairs: Edges, scores: Floats) -> list[float | None]:
        found = self.probabilities(pairs, scores)
        return [None] * len(pairs) if found is None else list(found.tolist())

    def _words(self, pairs: Edges) -> list[tuple[Pair, ...]]:
        return [()] * len(pairs)

    def _recommend_text(
        self, text: str, links: Sequence[int], top: int
    ) -> list[Suggestion]:
        raise self._no_text()

    def search(self, text: str, top: int = TOP) -> list[Suggestion]:
        """Refuses: such a method does not read texts."""
        raise self._no_text()

    def _no_text(self) -> InputError:
        return InputError(
            "found a text, and a method that reads none; expected a node of the "
            "network, or a run of cane, wane, ot or ap"
        )

    def scores(
        self, pairs: Sequence[tuple[int, int]]
    ) -> list[tuple[float, float | None]]:
        """Returns the score of each pair of nodes, and its probability."""
        if not len(pairs):
            return []
        known = np.array([[self._id(node) for node in pair] for pair in pairs])
        scores = np.asarray(self.fitted.score(known), np.float64)
        probabilities = self._probabilities(known, scores)
        return list(zip(scores.tolist(), probabilities, strict=True))

    def explain(self, source: Side, target: Side) -> Explanation:
        """Explains the score of two nodes."""
        if isinstance(source, Node) or isinstance(target, Node):
            raise self._no_text()
        pair = np.array([[self._id(source), self._id(target)]])
        scores = np.asarray(self.fitted.score(pair), np.float64)
        match = Match([], [], np.zeros((0, 0)), None, 0)
        return self._explanation(pair, scores, match, ())

    def _explanation(
        self, pair: Edges, scores: Floats, match: Match, words: tuple[Pair, ...]
    ) -> Explanation:
        first, second = pair[0].tolist()
        return Explanation(
            self._node(first),
            self._node(second),
            float(scores[0]),
            self._probabilities(pair, scores)[0],
            self._parts(pair, scores)[0],
            words,
            match,
        )

    def embed(
        self, nodes: Sequence[int] | None = None, texts: Sequence[str] | None = None
    ) -> Floats:
        """Returns vectors of nodes, all by default, or of texts, `[rows, size]`."""
        if texts is not None:
            raise self._no_text()
        if nodes is None:
            return self.vectors
        return self.vectors[[self._id(node) for node in nodes]]

    def map(self) -> Floats:
        """Returns the position of each node on a map, `[nodes, 2]`; NaN without one."""

        def build() -> dict[str, Any]:
            return {"map": _places(self.vectors, self._chart(), self._seed)}

        found: Floats = self._kept.arrays("map", build)["map"]
        return found


def _places(vectors: Floats, chart: NodeMap | None, seed: int) -> Floats:
    """Returns the positions on a map; puts other nodes between their nearest ones."""
    places = np.full((len(vectors), 2), np.nan)
    chart = chart or node_map(vectors, None, seed)
    if chart is None:
        return places
    known = np.asarray(chart.nodes)
    places[known] = np.column_stack([chart.x, chart.y])
    others = np.flatnonzero(~missing_rows(vectors) & np.isnan(places[:, 0]))
    if len(others):
        directions = normalize(fill_missing(vectors))
        count = min(_AROUND, len(known))
        search = NearestNeighbors(n_neighbors=count).fit(directions[known])
        nearest = search.kneighbors(directions[others], return_distance=False)
        places[others] = places[known[nearest]].mean(axis=1)
    return places
