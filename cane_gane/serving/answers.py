"""The questions that an opened run answers, and the records of its answers."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from cane_gane.data.network import TextualNetwork
from cane_gane.evaluation.matching import Match
from cane_gane.evaluation.results import to_json

Floats = npt.NDArray[np.floating]

TOP = 10  # answers that a question gets by default


class _Record:
    """A frozen record that `--json` and the server show in the same way."""

    def as_json(self) -> dict[str, Any]:
        """Returns the record as JSON values."""
        found: dict[str, Any] = to_json(self)
        return found


@dataclass(frozen=True)
class Node(_Record):
    """A node for readers; a text that is not in the network has id -1 and no name.

    Attributes:
        id: Its number, from 0.
        name: Its name.
        text: Its whole text.
        labels: Its labels: none, one or several.
    """

    id: int
    name: str
    text: str
    labels: tuple[str, ...]


@dataclass(frozen=True)
class Part(_Record):
    """A contribution to a score; the parts of a score sum to it.

    Attributes:
        name: One word, the same in every version.
        title: Its name for readers.
        value: What it adds.
    """

    name: str
    title: str
    value: float


@dataclass(frozen=True)
class Pair(_Record):
    """Two matched words, in lower case.

    Attributes:
        source: The word of the first text.
        target: The word of the second.
        weight: Their share of the plan's weight, 0 to 1.
    """

    source: str
    target: str
    weight: float


@dataclass(frozen=True)
class Suggestion(_Record):
    """One answer of `recommend` or `search`.

    Attributes:
        node: The node.
        score: The model's own score; only the order of scores is meaningful.
        probability: The score, calibrated on held-out edges; None if not calibrated.
        parts: The parts of the score.
        words: The most important matched words, best first.
    """

    node: Node
    score: float
    probability: float | None
    parts: tuple[Part, ...]
    words: tuple[Pair, ...]


@dataclass(frozen=True)
class Explanation(_Record):
    """Why a model scores two nodes, or texts, as it does.

    Attributes:
        source: The first node; a text that is not in the network has id -1.
        target: The second node or text.
        score: The model's own score.
        probability: The score, calibrated; None if not calibrated.
        parts: The parts of the score.
        words: The most important matched words, best first.
        match: The words of both, and the weight of each pair of them; no words if the
            method does not read texts.
    """

    source: Node
    target: Node
    score: float
    probability: float | None
    parts: tuple[Part, ...]
    words: tuple[Pair, ...]
    match: Match

    def as_json(self) -> dict[str, Any]:
        """Returns the record as JSON values, with the plan as rows of numbers."""
        found: dict[str, Any] = {
            name: to_json(getattr(self, name))
            for name in ("source", "target", "score", "probability", "parts", "words")
        }
        found["match"] = {
            "source_words": list(self.match.source_words),
            "target_words": list(self.match.target_words),
            "plan": np.asarray(self.match.plan).round(6).tolist(),
        }
        return found


# One side of an explained pair: the id or name of a node, or a text.
Side: TypeAlias = int | str | Node


def text_side(text: str) -> Node:
    """Returns a text as a side, even if it is also the name of a node."""
    return Node(-1, "", text, ())


class Answers(abc.ABC):
    """The answers of an opened run; `runs.answers.open_answers` opens one.

    Nodes are given by id or by name; a name takes precedence over an id.

    Attributes:
        network: The network.
        reads_texts: Whether questions may have texts that are not in the network.
    """

    network: TextualNetwork
    reads_texts: bool

    @abc.abstractmethod
    def node(self, which: int | str) -> Node:
        """Returns a node by its id or name.

        Raises:
            InputError: There is no such node; the message suggests a similar name.
        """

    @abc.abstractmethod
    def neighbours(self, node: int) -> list[Node]:
        """Returns the neighbours of a node by training edges, ordered by id."""

    @abc.abstractmethod
    def recommend(
        self,
        node: int | None = None,
        *,
        text: str | None = None,
        links: Sequence[int] = (),
        top: int = TOP,
    ) -> list[Suggestion]:
        """Finds the likeliest missing edges of a node, or of a new node with a text.

        Args:
            node: The node; None for a text that is not in the network.
            text: The text of the new node.
            links: Nodes of the network that the new node has edges to.
            top: The largest number of answers.

        Returns:
            The answers, best first; never the node itself, a training neighbour or a
            node of `links`.

        Raises:
            InputError: The method cannot answer that.
        """

    @abc.abstractmethod
    def search(self, text: str, top: int = TOP) -> list[Suggestion]:
        """Finds the nodes whose texts are most like a text, best first."""

    @abc.abstractmethod
    def scores(
        self, pairs: Sequence[tuple[int, int]]
    ) -> list[tuple[float, float | None]]:
        """Returns the score of each pair of nodes, and its probability."""

    @abc.abstractmethod
    def explain(self, source: Side, target: Side) -> Explanation:
        """Explains the score of two nodes (ids or names) or of texts.

        A string of several words that is not the name of a node is a text; `text_side`
        makes any string a text.
        """

    @abc.abstractmethod
    def embed(
        self, nodes: Sequence[int] | None = None, texts: Sequence[str] | None = None
    ) -> Floats:
        """Returns vectors of nodes, all by default, or of texts, `[rows, size]`."""

    @abc.abstractmethod
    def map(self) -> Floats:
        """Returns the position of each node on a map, `[nodes, 2]`; NaN without one."""
