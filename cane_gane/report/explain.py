"""The page of one explanation: parts, two texts joined by lines, a heat map."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from cane_gane.report.answers import title_of
from cane_gane.report.page import write_page
from cane_gane.serving.answers import Explanation

WORDS = 60  # words of each text that are shown


def write_explanation(found: Explanation, path: Path) -> None:
    """Writes the page whole."""
    titles = title_of(found.source), title_of(found.target)
    write_page(
        "explain.html",
        path,
        title=" → ".join(titles),
        subtitle="Why the model scores an edge between the two as it does.",
        found=found,
        titles=titles,
        map=heat_map(found),
        lines=lines(found),
        words=WORDS,
        largest=max((abs(part.value) for part in found.parts), default=0) or 1,
    )


def heat_map(found: Explanation) -> dict[str, Any]:
    """Returns what the page's script draws a heat map from."""
    match = found.match
    return {
        "id": "heat-plan",
        "title": "weights of the plan",
        "rows": list(match.source_words[:WORDS]),
        "columns": list(match.target_words[:WORDS]),
        "weights": np.asarray(match.plan)[:WORDS, :WORDS].round(6).tolist(),
    }


def lines(found: Explanation) -> list[tuple[int, int, float]]:
    """Returns where the listed pairs of words are: two places, and a weight."""
    listed = {(pair.source, pair.target) for pair in found.words}
    rows, columns = (
        [word.lower() for word in words[:WORDS]]
        for words in (found.match.source_words, found.match.target_words)
    )
    return [
        (i, j, round(float(found.match.plan[i, j]), 6))
        for i, row in enumerate(rows)
        for j, column in enumerate(columns)
        if (row, column) in listed and found.match.plan[i, j] > 1e-6
    ]
