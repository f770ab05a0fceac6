"""Answers of a neural model, about nodes, texts and new nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from cane_gane.data.graph import Edges
from cane_gane.data.splits import Split
from cane_gane.data.tfidf import TextSpace
from cane_gane.evaluation.fitted import Floats, Integers
from cane_gane.evaluation.matching import Match, word_rarity
from cane_gane.evaluation.search import TextSearch
from cane_gane.evidence.calibration import MISSING, Calibration
from cane_gane.evidence.likeness import WHOLE
from cane_gane.evidence.spaces import pack, unpack
from cane_gane.progress import followed
from cane_gane.serving.answers import (
    TOP,
    Explanation,
    Node,
    Pair,
    Part,
    Side,
    Suggestion,
    text_side,
)
from cane_gane.serving.arrivals import LargeNodeEvidence
from cane_gane.serving.client import ServedModel
from cane_gane.serving.kept import Kept
from cane_gane.serving.newcomers import NewNode, NodeEvidence, PairParts
from cane_gane.serving.parts import TERMS, as_parts, grouped
from cane_gane.serving.vector_answers import CANDIDATES, VectorAnswers

WORDS, EXPLAINED = 6, 16  # matched words of a suggestion, and of an explanation
_TYPICAL = 25  # sources, each with twelve targets, over which parts are averaged
_SOURCES, _ROUGH = 100, 10  # sources and candidates for what the model adds


class TextAnswers(VectorAnswers):
    """Answers by a neural model's own score, evidence included."""

    reads_texts = True

    def __init__(
        self, split: Split, fitted: ServedModel, kept: Kept, *options: Any
    ) -> None:
        """Takes the arguments of `VectorAnswers`."""
        super().__init__(split, fitted, kept, *options)
        self._model = fitted
        large = split.network.node_count > WHOLE
        kind = LargeNodeEvidence if large else NodeEvidence
        self._evidence: PairParts = kind(split, fitted, kept, self._seed)

    # Parts and probabilities.

    def _values(self, pairs: Edges) -> dict[str, Any]:
        """Returns what each part adds to the scores of pairs, `[pairs]` each."""
        terms = dict(zip(TERMS, self._model.terms(pairs).T, strict=True))
        return {**grouped(self._evidence.of_pairs(pairs)), **terms}

    @cached_property
    def _typical(self) -> dict[str, float]:
        """What each part adds to the score of any two nodes, on average."""

        def build() -> dict[str, Any]:
            rng = np.random.default_rng(self._seed)
            sources, targets = rng.integers(self.network.node_count, size=(2, _TYPICAL))
            pairs = np.stack([np.repeat(sources, 12), np.tile(targets, 12)], axis=1)
            return {name: np.mean(own) for name, own in self._values(pairs).items()}

        found = self._kept.arrays("typical", build)
        return {name: float(value) for name, value in found.items()}

    def _parts(self, pairs: Edges, scores: Floats) -> list[tuple[Part, ...]]:
        return self._as_parts(self._values(pairs), len(pairs))

    def _as_parts(
        self, values: Mapping[str, Any], count: int
    ) -> list[tuple[Part, ...]]:
        rows = ({name: own[i] for name, own in values.items()} for i in range(count))
        return [as_parts(row, self._typical) for row in rows]

    @cached_property
    def _calibration(self) -> Calibration | None:
        weights = (self._model.weights or {}).get("calibration")
        return Calibration(**weights) if weights else None

    @cached_property
    def _offset(self) -> float:
        """What the model adds to evidence among candidates, on average.

        Probabilities were fitted on evidence alone, so this is subtracted first.
        """

        def build() -> dict[str, Any]:
            rng = np.random.default_rng(self._seed)
            nodes = rng.permutation(self.network.node_count)[:_SOURCES].tolist()
            pairs = np.concatenate([self.rough(node, _ROUGH) for node in nodes])
            return {"offset": self._model.terms(pairs).sum(axis=1).mean()}

        return float(self._kept.arrays("offset", build)["offset"])

    def probabilities(
        self, pairs: Edges, scores: Floats, missing: float = MISSING
    ) -> Floats | None:
        """Returns the probability of each pair, if there is evidence."""
        if self._calibration is None:
            return None
        sources, row_of = np.unique(pairs[:, 0], return_inverse=True)
        rows = map(self._evidence_row, followed("probabilities", sources.tolist()))
        totals = np.array([self._calibration.log_total(row) for row in rows])
        degrees = self.degrees[pairs[:, 0]]
        return self._calibrated(scores, totals[row_of], degrees, missing)

    def _calibrated(
        self, scores: Floats, totals: Any, degrees: Any, missing: float = MISSING
    ) -> Floats:
        assert self._calibration is not None
        return self._calibration.probability(
            scores - self._offset, totals, degrees, float(self.degrees.mean()), missing
        )

    def _new_probabilities(self, new: NewNode, scores: Floats) -> list[float | None]:
        if self._calibration is None:
            return [None] * len(scores)
        row = np.array(sum(new.evidence.values()), np.float64)
        row[list(new.links)] = -np.inf
        total = self._calibration.log_total(row)
        return list(self._calibrated(scores, total, len(new.links)).tolist())

    # Nodes.

    def candidates(self, node: int) -> Integers:
        """Returns the candidates of the index and the evidence, without neighbours."""
        found = super().candidates(node)
        if self._evidence.functions is None:
            return found
        return np.union1d(found, _largest(self._evidence_row(node), CANDIDATES))

    def _evidence_row(self, node: int) -> Floats:
        """Returns the evidence of a node with all; -inf for impossible suggestions."""
        row = np.array(self._model.first_stage.score_rows(np.array([node]))[0])
        row[self._closed[[node]].indices] = -np.inf
        return row

    def rough(self, node: int, count: int) -> Edges:
        """Returns a node with the best nodes of the first stage, `[count, 2]`."""
        if self._evidence.functions is None:
            return super().rough(node, count)
        return self.pairs_of(node, _largest(self._evidence_row(node), count))

    @cached_property
    def _rarity(self) -> dict[str, float]:
        """The rarity of each word; cached, since a large network has many texts."""

        def build() -> dict[str, Any]:
            rarity = word_rarity(self.network.texts)
            words = np.frombuffer("\n".join(rarity).encode(), np.uint8)
            return {"words": words, "rarity": np.array(list(rarity.values()))}

        kept = self._kept.arrays("rarity", build)
        words = kept["words"].tobytes().decode().split("\n")
        return dict(zip(words, kept["rarity"].tolist(), strict=False))

    def _words(self, pairs: Edges) -> list[tuple[Pair, ...]]:
        sides = ([self.network.texts[node] for node in side] for side in pairs.T)
        return self._matched(*sides)

    def _matched(
        self, sources: Sequence[str], targets: Sequence[str]
    ) -> list[tuple[Pair, ...]]:
        matches = self._model.match(sources, targets)
        return [self._pairs_of(match, WORDS) for match in matches]

    def _pairs_of(self, match: Match, count: int) -> tuple[Pair, ...]:
        return tuple(Pair(*pair) for pair in match.words(self._rarity, count))

    # Texts.

    @cached_property
    def _search(self) -> TextSearch:
        texts = self.network.texts

        def build() -> dict[str, Any]:
            space = TextSpace.fit("common", texts)
            words = np.frombuffer("\n".join(space.words).encode(), np.uint8)
            vectors = np.asarray(self._model.embed_texts(texts))
            packed = pack("tfidf", space.vectors)
            return {"vectors": vectors, "words": words, "idf": space.idf, **packed}

        kept = self._kept.arrays("texts", build)
        words = kept["words"].tobytes().decode()
        known = words.split("\n") if words else []
        space = TextSpace("common", unpack("tfidf", kept), known, kept["idf"])
        return TextSearch(self._model, texts, kept["vectors"], space)

    def search(self, text: str, top: int = TOP) -> list[Suggestion]:
        """Finds the nodes whose texts are most like a text, best first."""
        nodes, scores = self._search.find(text, max(top, 0))
        if not len(nodes):
            return []
        targets = [self.network.texts[node] for node in nodes.tolist()]
        sources = [text] * len(targets)
        values = self._model.text_parts(sources, targets)
        words = self._matched(sources, targets)
        return [
            Suggestion(
                self._node(node),
                float(scores[place]),
                None,
                as_parts({name: own[place] for name, own in values.items()}, {}),
                words[place],
            )
            for place, node in enumerate(nodes.tolist())
        ]

    # New nodes.

    def _new(self, text: str, links: Sequence[int]) -> NewNode:
        structure = self.vectors[:, : self.vectors.shape[1] // 2]
        return self._evidence.new_node(text, links, structure)

    def _new_values(self, new: NewNode, targets: Integers) -> dict[str, Any]:
        """Returns what each part adds to the scores of a new node with known nodes."""
        features = {name: own[targets] for name, own in new.evidence.items()}
        terms = self._model.new_terms(new.text, new.structure, targets)
        return {**grouped(features), **dict(zip(TERMS, terms.T, strict=True))}

    def _recommend_text(
        self, text: str, links: Sequence[int], top: int
    ) -> list[Suggestion]:
        new = self._new(text, links)
        found = self.index.nearest(self._vector(new), CANDIDATES)
        if new.evidence:
            found = np.union1d(found, _largest(sum(new.evidence.values()), CANDIDATES))
        found = np.setdiff1d(found, links)
        values = self._new_values(new, found)
        scores = np.asarray(sum(values.values()), np.float64)
        order = np.argsort(-scores, kind="stable")[: max(top, 0)]
        nodes = found[order].tolist()
        if not nodes:
            return []
        rows = zip(
            nodes,
            scores[order].tolist(),
            self._new_probabilities(new, scores[order]),
            self._as_parts({k: own[order] for k, own in values.items()}, len(order)),
            self._matched([text] * len(nodes), [self.network.texts[n] for n in nodes]),
            strict=True,
        )
        return [Suggestion(self._node(node), *own) for node, *own in rows]

    def _vector(self, new: NewNode) -> Floats:
        """Returns the vector of a new node: structure, then text, `[2d]`."""
        contexts = [self.network.texts[link] for link in new.links] or [new.text]
        text = self._model.embed_pairs([new.text] * len(contexts), contexts)
        return np.concatenate([new.structure, text.mean(axis=0)])

    def embed(
        self, nodes: Sequence[int] | None = None, texts: Sequence[str] | None = None
    ) -> Floats:
        """Returns vectors of nodes, all by default, or of texts, `[rows, size]`.

        A text has the vector of a new node without edges, comparable with node vectors.
        """
        if texts is None:
            return super().embed(nodes)
        rows = [self._vector(self._new(text, ())) for text in texts]
        return np.stack(rows) if rows else self.vectors[:0]

    # Pairs of nodes or texts.

    def explain(self, source: Side, target: Side) -> Explanation:
        """Explains the score of two nodes (ids or names) or of texts."""
        first, second = self._side(source), self._side(target)
        (match,) = self._model.match([first.text], [second.text])
        words = self._pairs_of(match, EXPLAINED)
        if first.id >= 0 and second.id >= 0:
            pair = np.array([[first.id, second.id]])
            scores = np.asarray(self._model.score(pair), np.float64)
            return self._explanation(pair, scores, match, words)
        probability: float | None = None
        if second.id >= 0:
            new = self._new(first.text, ())
            (parts,) = self._as_parts(self._new_values(new, np.array([second.id])), 1)
            score = sum(part.value for part in parts)
            (probability,) = self._new_probabilities(new, np.array([score]))
        else:
            texts = self._model.text_parts([first.text], [second.text])
            parts = as_parts({name: own[0] for name, own in texts.items()}, {})
            score = sum(part.value for part in parts)
        return Explanation(first, second, score, probability, parts, words, match)

    def _side(self, which: Side) -> Node:
        """Returns a node, or a text for several words that are not a node's name."""
        if isinstance(which, Node):
            return which
        if (
            isinstance(which, str)
            and len(which.split()) > 1
            and self._named(which) is None
        ):
            return text_side(which)
        return self.node(which)


def _largest(row: Floats, count: int) -> Integers:
    """Returns the nodes with the largest values, except -inf."""
    best = np.argsort(-row, kind="stable")[:count]
    return best[np.isfinite(row[best])]
