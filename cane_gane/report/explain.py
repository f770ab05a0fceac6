"""The page of one explanation: parts, two texts joined by lines, a heat map."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from cane_gane.report import figures, pictures
from cane_gane.report.answers import explanation_text, html_table, title_of
from cane_gane.report.page import picture, write_page
from cane_gane.serving.answers import Explanation

WORDS = 60  # words of each text that are shown


class Explained(Explanation):
    """An explanation that prints as a table, and shows a picture in a notebook."""

    @classmethod
    def of(cls, found: Explanation) -> Explained:
        """Converts an explanation."""
        return cls(**{own.name: getattr(found, own.name) for own in fields(found)})

    def __str__(self) -> str:
        return explanation_text(self)

    def _repr_html_(self) -> str:
        parts = [(part.title, f"{part.value:+.2f}") for part in self.parts]
        rows = [*parts, ("score", f"{self.score:+.2f}")]
        title = f"{title_of(self.source)} → {title_of(self.target)}"
        table = html_table(title, ("parts of the score", "adds"), rows)
        if not self.match.source_words or not self.match.target_words:
            return table
        map_ = pictures.heat_maps(self.match, {"plan": "weights of the plan"})
        address = picture(figures.drawn(map_.figure))
        return f'{table}<img alt="matched words" src="{address}">'


def write_explanation(found: Explanation, path: Path) -> None:
    """Writes the page."""
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
    """Returns the data from which the page's script draws a heat map."""
    match = found.match
    return {
        "id": "heat-plan",
        "title": "weights of the plan",
        "rows": list(match.source_words[:WORDS]),
        "columns": list(match.target_words[:WORDS]),
        "weights": np.asarray(match.plan)[:WORDS, :WORDS].round(6).tolist(),
    }


def lines(found: Explanation) -> list[tuple[int, int, float]]:
    """Returns the positions of the listed pairs of words, and their weights."""
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
