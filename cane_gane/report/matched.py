"""Pairs of texts whose words are matched: a menu, and heat maps of the chosen one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cane_gane.evaluation.pairs import MOST_WORDS
from cane_gane.evaluation.results import MatchedPair
from cane_gane.evaluation.show import percent

_LETTERS = 60  # characters of a name in the menu


def menu(pairs: Sequence[MatchedPair], method: str) -> list[dict[str, Any]]:
    """Returns the data from which the page's script draws heat maps.

    Args:
        pairs: The pairs.
        method: The method's title.
    """
    return [
        {
            "title": " ↔ ".join(name[:_LETTERS] for name in pair.names),
            "about": _about(pair),
            "rows": pair.source_words[:MOST_WORDS],
            "columns": pair.target_words[:MOST_WORDS],
            "words": [
                (a, b, f"{percent(weight)} %") for a, b, weight in pair.words or ()
            ],
            "maps": [
                {
                    "id": f"heat-{key}",
                    "title": title,
                    "weights": [own[:MOST_WORDS] for own in getattr(pair, key)][
                        :MOST_WORDS
                    ],
                }
                for key, title in map_titles(pair, method).items()
            ],
        }
        for pair in pairs
    ]


def map_titles(pair: MatchedPair, method: str) -> Mapping[str, str]:
    """Returns the titles of the heat maps by the weights that they show."""
    shown = {"plan": method}
    # WANE's own weights need not be shown twice.
    if pair.attention and not np.allclose(pair.plan, pair.attention, rtol=0.01):
        shown["attention"] = "WANE's rule"
    return {
        key: f"{name}: {percent(getattr(pair, f'{key}_share'))} % of the weight in "
        f"the top {pair.entries}"
        for key, name in shown.items()
    }


def _about(pair: MatchedPair) -> str:
    """Returns what is drawn, and how similar the two texts are."""
    lengths = len(pair.source_words), len(pair.target_words)
    text = (
        f"{pair.names[0]} (rows, {lengths[0]} words) and {pair.names[1]} (columns, "
        f"{lengths[1]} words): score {pair.score:.2f}"
    )
    if pair.equal_words is not None:
        equal = pair.equal_words
        text += f"; they have {equal} {'word' if equal == 1 else 'words'} in common"
    if max(lengths) > MOST_WORDS:
        text += f". Shown are the first {MOST_WORDS} words of each"
    if pair.on_padding > 0.001:
        text += f". {percent(pair.on_padding)} % of the weight was on padding"
    return f"{text}."
