"""Answers without a model: words that two texts share, and nothing to train."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from cane_gane.data.network import TextualNetwork
from cane_gane.data.tokens import CleanTokenizer
from cane_gane.errors import InputError
from cane_gane.evaluation.matching import Match
from cane_gane.serving.answers import (
    Answers,
    Explanation,
    Node,
    Pair,
    Part,
    Side,
    Suggestion,
    text_side,
)

TEXTS = [
    "the red fox runs over the hill",
    "a red fox and a grey wolf run",
    "blue sea and blue sky",
    "the sea is deep and the sky is wide",
    "a wolf howls over the hill",
    "",
]
EDGES = [(0, 1), (2, 3), (1, 4), (3, 5)]
LABELS = [("animals",), ("animals",), ("water",), ("water",), ("animals",), ()]
NAMES = ["fox", "pack", "blue", "sea", "wolf", "nothing"]


def small_network() -> TextualNetwork:
    """Six nodes, one of them without a text and a label."""
    return TextualNetwork(TEXTS, np.array(EDGES), LABELS, NAMES)


class FakeAnswers(Answers):
    """Scores by shared words. `gate` holds questions back until it is set."""

    reads_texts = True

    def __init__(self, network: TextualNetwork | None = None) -> None:
        self.network = network or small_network()
        self.gate = threading.Event()
        self.gate.set()
        self.asked = 0

    def node(self, which: int | str) -> Node:
        network = self.network
        names = list(network.names or ())
        if isinstance(which, str) and which in names:
            which = names.index(which)
        if isinstance(which, str) or not 0 <= which < network.node_count:
            raise InputError(f"found node '{which}'; expected one of the network")
        labels = network.labels[which] if network.labels else ()
        return Node(which, network.name_of(which), network.texts[which], labels)

    def neighbours(self, node: int) -> list[Node]:
        pairs = self.network.edges.tolist()
        found = {a + b - node for a, b in pairs if node in (a, b)}
        return [self.node(own) for own in sorted(found)]

    def recommend(
        self,
        node: int | None = None,
        *,
        text: str | None = None,
        links: Sequence[int] = (),
        top: int = 10,
    ) -> list[Suggestion]:
        if node is None:
            return self._best(text or "", set(links), top)
        known = {node, *(own.id for own in self.neighbours(node))}
        return self._best(self.network.texts[node], known, top)

    def search(self, text: str, top: int = 10) -> list[Suggestion]:
        return self._best(text, set(), top)

    def scores(
        self, pairs: Sequence[tuple[int, int]]
    ) -> list[tuple[float, float | None]]:
        found = (self.explain(*pair) for pair in pairs)
        return [(own.score, own.probability) for own in found]

    def explain(self, source: Side, target: Side) -> Explanation:
        self.gate.wait(20)
        self.asked += 1
        nodes = [self._either(source), self._either(target)]
        rows, columns = (CleanTokenizer.split(own.text)[:300] for own in nodes)
        plan = np.array([[float(a == b) for b in columns] for a in rows])
        plan = plan.reshape(len(rows), len(columns))
        match = Match.cut(rows, columns, plan, None)
        rarity = {word: len(word) for word in [*rows, *columns]}
        words = tuple(Pair(*own) for own in match.words(rarity, 6))
        shared = float(plan.sum())
        parts = (Part("text", "words", shared), Part("size", "length", -0.5))
        chance = 1 / (1 + np.exp(0.5 - shared))
        return Explanation(
            nodes[0], nodes[1], shared - 0.5, float(chance), parts, words, match
        )

    def embed(
        self, nodes: Sequence[int] | None = None, texts: Sequence[str] | None = None
    ) -> np.ndarray:
        if texts is None:
            texts = [self.network.texts[node] for node in nodes or ()]
        rows = [[len(text), text.count(" ")] for text in texts]
        vectors = np.array(rows, np.float32).reshape(len(rows), 2)
        vectors[[not text for text in texts]] = np.nan
        return vectors

    def map(self) -> np.ndarray:
        angle = np.arange(self.network.node_count) * 2.4
        places = np.stack([np.cos(angle), np.sin(angle)], 1) * np.sqrt(angle)[:, None]
        places[[not text for text in self.network.texts]] = np.nan
        return places

    def _either(self, which: Side) -> Node:
        if isinstance(which, Node):
            return which
        if isinstance(which, str) and which not in (self.network.names or ()):
            return text_side(which)
        return self.node(which)

    def _best(self, text: str, without: set[int], top: int) -> list[Suggestion]:
        found = [
            self.explain(text_side(text), node)
            for node in range(self.network.node_count)
            if node not in without
        ]
        found.sort(key=lambda own: -own.score)
        return [
            Suggestion(own.target, own.score, own.probability, own.parts, own.words)
            for own in found[:top]
        ]


class WordlessAnswers(FakeAnswers):
    """Those of a method that reads no texts and has no probabilities."""

    reads_texts = False

    def explain(self, source: Side, target: Side) -> Explanation:
        found = super().explain(source, target)
        match = Match([], [], np.zeros((0, 0)), None, 0)
        return replace(found, match=match, words=(), probability=None)
