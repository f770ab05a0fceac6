"""Nodes by a part of their name, or by words of their text."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Any

from cane_gane.serving.answers import Answers
from cane_gane.web.fields import Fields
from cane_gane.web.questions import Job
from cane_gane.web.refusals import RequestError
from cane_gane.web.views import brief

MOST_FOUND = 5000  # nodes that are marked on the map
MOST_LISTED = 30


class Finder:
    """Finds nodes by a part of their name, or by words of their text."""

    def __init__(self, answers: Answers) -> None:
        """Takes an opened run."""
        self._answers = answers

    @cached_property
    def _names(self) -> list[str]:
        network = self._answers.network
        return [network.name_of(i).casefold() for i in range(network.node_count)]

    @cached_property
    def _texts(self) -> list[str]:
        return [text.casefold() for text in self._answers.network.texts]

    def __call__(self, answers: Answers, asked: Fields) -> Job:
        """Finds nodes by `query`, the best names first."""
        query = " ".join(asked.text("query").casefold().split())
        if not query:
            raise RequestError(400, "found an empty query; expected a name or words")
        return lambda: self._found(query)

    def _found(self, query: str) -> Any:
        words = query.split()[:20]
        starts = [re.compile(rf"(?<!\w){re.escape(word)}") for word in words]
        ranked: list[tuple[int, int]] = []
        for node, (name, text) in enumerate(zip(self._names, self._texts, strict=True)):
            if query in name:
                ranked.append(((name != query) + (not name.startswith(query)), node))
            elif all(w in text for w in words) and all(s.search(text) for s in starts):
                ranked.append((3, node))
        nodes = [node for _, node in sorted(ranked)]
        return {
            "count": len(nodes),
            "nodes": nodes[:MOST_FOUND],
            "first": [brief(self._answers.node(own)) for own in nodes[:MOST_LISTED]],
        }
