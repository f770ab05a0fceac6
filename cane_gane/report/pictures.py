"""Pictures of nodes and words: a map, and heat maps of matched words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from cane_gane.evaluation.matching import Match
from cane_gane.evaluation.pairs import MOST_WORDS
from cane_gane.evaluation.results import MatchedPair, NodeMap
from cane_gane.report.figures import (
    COLOURS,
    LETTERS,
    MARKERS,
    PALE,
    Chart,
    chart,
    cut,
    plain,
)


def node_map(places: NodeMap) -> Chart:
    """Draws nodes in the plane, a colour and a shape for each frequent label."""
    figure, axes = chart((5.6, 5.2))
    labels = places.labels or [None] * len(places.nodes)
    counts = Counter(label for label in labels if label is not None)
    frequent = [label for label, _ in counts.most_common(len(MARKERS))]
    named = sorted(frequent, key=lambda label: (len(label), label))
    styles: dict[str | None, dict[str, Any]] = {
        label: {"color": COLOURS[place % len(COLOURS)], "marker": MARKERS[place],
                "label": plain(label), "edgecolors": "white"}
        for place, label in enumerate(named)
    }  # fmt: skip
    rest = {"color": PALE, "label": "other"} if named else {"color": COLOURS[0]}
    for label, style in {None: {"marker": ".", **rest}, **styles}.items():
        inside = [
            place for place, own in enumerate(labels)
            if (own if own in styles else None) == label
        ]  # fmt: skip
        if inside:
            x, y = ([axis[place] for place in inside] for axis in (places.x, places.y))
            axes.scatter(x, y, s=11, linewidths=0.25, alpha=0.9, **style)
    axes.set(xticks=[], yticks=[])
    axes.spines[["left", "bottom"]].set_visible(False)
    axes.set_aspect("equal", adjustable="datalim")
    if named:
        # Below the map, since long labels would leave no room for the nodes.
        columns = 70 // (6 + min(LETTERS, max(5, *map(len, named))))
        figure.legend(
            loc="outside lower center", ncols=columns, markerscale=1.8, frameon=False
        )
    return Chart(figure, map_text(places))


def map_text(places: NodeMap) -> str:
    """Returns what a map shows: how many nodes, and how many of each label."""
    counts = Counter(label or "no label" for label in places.labels or ())
    told = ", ".join(f"{label} {count:,}" for label, count in counts.most_common(12))
    return f"Map of {len(places.nodes):,} nodes{': ' * bool(told)}{told}"


def heat_maps(pair: MatchedPair | Match, titles: Mapping[str, str]) -> Chart:
    """Draws how the words of a pair of texts are matched, in one or more maps.

    Args:
        pair: The pair.
        titles: The title of each map, by the attribute of `pair` that it shows.
    """
    rows = list(map(cut, pair.source_words[:MOST_WORDS]))
    columns = list(map(cut, pair.target_words[:MOST_WORDS]))
    height = max(3.0, 0.16 * len(rows) + 1.4)
    width = max(3.4, 0.16 * len(columns) + 1.4)
    figure, _ = chart((width * len(titles), height), columns=len(titles))
    for own, (key, title) in zip(figure.axes, titles.items(), strict=True):
        weights = [row[:MOST_WORDS] for row in getattr(pair, key)[:MOST_WORDS]]
        own.imshow(weights, cmap="Blues", aspect="auto", vmin=0)
        small: dict[str, Any] = {"fontsize": 7, "parse_math": False}
        own.set_xticks(range(len(columns)), columns, rotation=90, **small)
        own.set_yticks(range(len(rows)), rows, **small)
        own.grid(visible=False)
        own.set_title(plain(title.replace(": ", "\n", 1), 80), fontsize=9)
    told = "; ".join(titles.values())
    return Chart(figure, f"Matched words of two texts: {told}.")
