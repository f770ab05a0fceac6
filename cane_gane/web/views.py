"""The views of a run's page: a map, a node, found nodes, a matched pair."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from cane_gane.evaluation.matching import Match, word_rarity
from cane_gane.report.maps import grouped, placed
from cane_gane.serving.answers import Answers, Node
from cane_gane.web.fields import Fields
from cane_gane.web.questions import Job

MOST_NEIGHBOURS = 200
MOST_PAIRS = 12  # distinct pairs of words that lines join
MOST_LINES = 36
_LETTERS = 240  # letters of a text in a list, and of a name
_FAINT = 0.02  # share of the heaviest line below which no line is drawn


def network_view(answers: Answers, run: str) -> Mapping[str, Any]:
    """Returns the data of the map: positions, names, labels and degrees."""
    network = answers.network
    labels = network.labels or [()] * network.node_count
    groups, group = grouped([own[0] if own else None for own in labels])
    degrees = np.bincount(network.edges.ravel(), minlength=network.node_count)
    places = placed(np.asarray(answers.map(), np.float64))
    return {
        "run": run,
        "reads_texts": answers.reads_texts,
        "edges": len(network.edges),
        "named": network.names is not None,
        "names": [network.name_of(i)[:_LETTERS] for i in range(network.node_count)],
        "groups": groups,
        "group": group,
        "degree": degrees.tolist(),
        "x": places[0],
        "y": places[1],
    }


def node_view(answers: Answers, asked: Fields) -> Job:
    """Shows `node`: its text, and its neighbours by training edges."""
    node = asked.node("node")

    def job() -> Any:
        near = answers.neighbours(node)
        return {
            "node": answers.node(node).as_json(),
            "neighbours": [brief(own) for own in near[:MOST_NEIGHBOURS]],
            "neighbour_count": len(near),
        }

    return job


class PairView:
    """Shows `source` and `target` with the lines between their words."""

    def __init__(self, answers: Answers) -> None:
        """Takes an opened run."""
        self._rarity = word_rarity(answers.network.texts)

    def __call__(self, answers: Answers, asked: Fields) -> Job:
        """Returns the job that explains the pair."""
        source, target = asked.side("source"), asked.side("target")

        def job() -> Any:
            found = answers.explain(source, target)
            content = found.as_json()
            match = content.pop("match")
            content["source_words"] = match["source_words"]
            content["target_words"] = match["target_words"]
            return {**content, "lines": matched_lines(found.match, self._rarity)}

        return job


def matched_lines(
    match: Match, rarity: Mapping[str, float]
) -> list[tuple[int, int, float]]:
    """Returns the lines between matched words, the heaviest first.

    A line has the indices of a word of the source and a word of the target, and their
    weight in the plan. Uninformative words, such as "the", would have most of the
    lines, so only the most informative pairs are joined.

    Args:
        match: The words and the plan.
        rarity: How informative a word is, by the word in lower case.
    """
    plan = np.asarray(match.plan, np.float64)
    telling = {own[:2] for own in match.words(rarity, MOST_PAIRS)}
    lines = [
        (row, column, float(plan[row, column]))
        for row, source in enumerate(match.source_words)
        for column, target in enumerate(match.target_words)
        if (source.lower(), target.lower()) in telling
    ]

    def says(line: tuple[int, int, float]) -> float:
        words = match.source_words[line[0]], match.target_words[line[1]]
        return line[2] * min(rarity.get(word.lower(), 0.0) for word in words)

    best = sorted(lines, key=says, reverse=True)[:MOST_LINES]
    best.sort(key=lambda line: line[2], reverse=True)
    least = _FAINT * best[0][2] if best else 0.0
    return [(*line[:2], round(line[2], 6)) for line in best if line[2] > least]


def brief(node: Node) -> Mapping[str, Any]:
    """Returns a node for a list, with the beginning of its text."""
    return {
        "id": node.id,
        "name": node.name[:_LETTERS],
        "text": node.text[:_LETTERS],
        "labels": list(node.labels),
    }
