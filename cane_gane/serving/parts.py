"""Splits a score into a few parts that readers understand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from cane_gane.serving.answers import Part

Floats = npt.NDArray[np.floating]

# fmt: off
# Parts of the evidence: their titles, and the features that they sum.
GROUPS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "words": ("shared words", ("words", "word_pairs", "letters", "shared_words")),
    "neighbours": (
        "texts of neighbours",
        (
            "words_one_hop", "pairs_one_hop", "letters_one_hop", "across", "neighbours",
            "target_height", "source_height",
        ),
    ),
    "walks": (
        "paths between them",
        (
            "walks", "short_walks", "letter_walks", "adamic_adar", "pagerank", "visits",
        ),
    ),
    "similar": (
        "edges of similar nodes",
        (
            "similar_sources", "similar_targets", "near_sources", "near_targets",
            "closest_target", "closest_source",
        ),
    ),
    "popularity": (
        "popularity of the target",
        ("popularity", "degree", "out_degree", "seen"),
    ),
}
# fmt: on
# The model's four terms, in their order.
TERMS: Mapping[str, str] = {
    "text": "matched words",
    "structure": "structure",
    "structure_text": "structure with text",
    "text_structure": "text with structure",
}
TYPICAL = "typical"
_TITLES = {
    **{name: title for name, (title, _) in GROUPS.items()},
    **TERMS,
    TYPICAL: "average pair of nodes",
    "score": "score",
}


def grouped(features: Mapping[str, Floats]) -> dict[str, Floats]:
    """Sums the contributions of features by the part that they belong to."""
    found: dict[str, Any] = {}
    for name, (_, members) in GROUPS.items():
        own = [features[member] for member in members if member in features]
        if own:
            found[name] = np.sum(own, axis=0)
    return found


def as_parts(
    values: Mapping[str, float], typical: Mapping[str, float]
) -> tuple[Part, ...]:
    """Returns parts with the same sum, each relative to its typical value.

    Args:
        values: What each part adds to a score, by name.
        typical: What each part adds to the score of any two nodes, on average; their
            sum is a separate part. Empty to leave parts unchanged.
    """
    parts = [
        Part(name, _TITLES[name], float(value) - typical.get(name, 0.0))
        for name, value in values.items()
    ]
    if typical:
        total = sum(typical[name] for name in values)
        parts.append(Part(TYPICAL, _TITLES[TYPICAL], float(total)))
    return tuple(parts)
