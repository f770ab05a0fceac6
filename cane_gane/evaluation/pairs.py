"""Pairs of texts that show what a model matches: high scores, few equal words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cane_gane.data.graph import Edges
from cane_gane.data.network import TextualNetwork
from cane_gane.data.splits import Split
from cane_gane.data.tokens import CleanTokenizer
from cane_gane.evaluation.fitted import Fitted, Floats
from cane_gane.evaluation.matching import Match, word_rarity
from cane_gane.evaluation.protocols import strict_contest
from cane_gane.evaluation.results import MatchedPair, ScoredEdge

PAIRS = 10
CHOICE = 200  # short pairs, of which those with the best scores are considered
BEST = 0.25  # share of them that is considered
FEWEST_WORDS = 8
MOST_WORDS = 40  # words of each text whose weights are kept
_LISTED = 8  # matched words that are listed for a pair


def telling_pairs(
    fitted: Fitted, split: Split, missing: Sequence[ScoredEdge] = ()
) -> list[MatchedPair]:
    """Matches the words of test pairs that score high and have few equal words.

    Args:
        fitted: The method, which reads texts.
        split: The split that it was fitted on.
        missing: Pairs to use if there is no test pair.

    Returns:
        The pairs, those with the fewest equal words first; none if no pair has words.
    """
    network = split.network
    pairs = strict_contest(
        network.edges, split.train, split.test, network.node_count
    ).scored
    if not len(pairs):
        ends = [(own.source, own.target) for own in missing]
        pairs = np.array(ends, np.int64).reshape(-1, 2)
    pairs = _short(pairs, network)
    if not len(pairs):
        return []
    scores = np.asarray(fitted.score(pairs), np.float64)
    best = np.argsort(-scores, kind="stable")[: max(PAIRS, int(BEST * len(pairs)))]
    rarity = word_rarity(network.texts)
    equal = {place: _equal(network, pairs[place], rarity) for place in best.tolist()}
    chosen = _apart(pairs, sorted(equal, key=lambda place: equal[place]))
    texts = [[network.texts[node] for node in pairs[place]] for place in chosen]
    matches = fitted.match([a for a, _ in texts], [b for _, b in texts])
    return [
        _pair(network, pairs[place].tolist(), float(scores[place]), match, rarity)
        for place, match in zip(chosen, matches, strict=True)
    ]


def _short(pairs: Edges, network: TextualNetwork) -> Edges:
    """Returns the `CHOICE` pairs of the shortest texts that have some words."""
    lengths = np.array([len(CleanTokenizer.split(text)) for text in network.texts])
    fewest = lengths[pairs].min(axis=1, initial=FEWEST_WORDS)
    # Texts of very few words are used only if there are no others.
    enough = fewest == FEWEST_WORDS
    pairs = pairs[enough if enough.any() else fewest > 0]
    order = np.argsort(lengths[pairs].prod(axis=1), kind="stable")
    return pairs[order[:CHOICE]]


def _equal(network: TextualNetwork, pair: Any, rarity: dict[str, float]) -> float:
    """Returns the share of equal words in the shorter text, weighted by rarity."""
    first, second = ({*_words(network.texts[node])} for node in pair)
    least = min(sum(rarity[word] for word in own) for own in (first, second))
    return sum(rarity[word] for word in first & second) / least if least else 1.0


def _apart(pairs: Edges, order: Sequence[int]) -> list[int]:
    """Returns the first `PAIRS` indices whose pairs have no node in common."""
    used: set[int] = set()
    chosen: list[int] = []
    for place in order:
        ends = {*pairs[place].tolist()}
        if not ends & used and len(chosen) < PAIRS:
            used |= ends
            chosen.append(place)
    return chosen


def _pair(
    network: TextualNetwork,
    pair: Sequence[int],
    score: float,
    match: Match,
    rarity: dict[str, float],
) -> MatchedPair:
    source, target = pair
    attention = match.attention
    first, second = ({*_words(network.texts[node])} for node in pair)
    return MatchedPair(
        source=source,
        target=target,
        names=[network.name_of(source), network.name_of(target)],
        score=score,
        source_words=list(match.source_words),
        target_words=list(match.target_words),
        entries=match.entries,
        plan_share=match.top_share(match.plan),
        attention_share=None if attention is None else match.top_share(attention),
        on_padding=match.on_padding,
        plan=_kept(match.plan),
        attention=None if attention is None else _kept(attention),
        words=match.words(rarity, _LISTED),
        equal_words=len(first & second),
    )


def _words(text: str) -> list[str]:
    return [word.lower() for word in CleanTokenizer.split(text)]


def _kept(weights: Floats) -> list[list[float]]:
    rows = weights[:MOST_WORDS, :MOST_WORDS].tolist()
    return [[float(f"{weight:.3g}") for weight in row] for row in rows]
