"""The data of maps: positions in whole units, and groups of labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from cane_gane.evaluation.results import NodeMap
from cane_gane.report.pictures import map_text

GROUPS = 10  # labels that have their own colour and shape
_SIDE = 10_000  # of a map, in whole units


def grouped(
    labels: Sequence[str | None],
) -> tuple[list[dict[str, Any]], list[int]]:
    """Returns the entries of a legend, and the entry of each node.

    Args:
        labels: The label of each node, or None.
    """
    counts = Counter(label for label in labels if label is not None)
    named = [label for label, _ in counts.most_common(GROUPS)]
    named.sort(key=lambda label: (len(label), label))
    others = sum(counts.values()) - sum(counts[label] for label in named)
    entries = [{"label": own, "count": counts[own], "plain": False} for own in named]
    for title, count in (("other", others), ("no label", list(labels).count(None))):
        entries.append({"label": title, "count": count, "plain": True})
    number = {label: place for place, label in enumerate(named)}
    number |= {label: len(named) for label in counts if label not in number}
    rest = len(named) + 1
    return entries, [rest if own is None else number[own] for own in labels]


def placed(places: npt.NDArray[np.float64]) -> tuple[list[int | None], ...]:
    """Returns both coordinates in whole units, None for a node without a position.

    Args:
        places: `[nodes, 2]`, NaN for a node without a position.
    """
    there = np.isfinite(places).all(axis=1)
    if there.any():
        low = places[there].min(axis=0)
        span = max(float(np.ptp(places[there], axis=0).max()), 1e-9)
        places = (places - low) * (_SIDE / span)
    known: list[bool] = np.asarray(there).tolist()
    return tuple(
        [round(value) if own else None for value, own in zip(axis, known, strict=True)]
        for axis in places.T.tolist()
    )


def map_content(chart: NodeMap) -> dict[str, Any]:
    """Returns the data from which a page's script draws a map."""
    labels = chart.labels or [None] * len(chart.nodes)
    groups, group = grouped(labels)
    x, y = placed(np.array([chart.x, chart.y], np.float64).T)
    # t-SNE's second axis points up, that of a window points down.
    most = max((own for own in y if own is not None), default=0)
    return {
        "title": map_text(chart),
        "named": chart.names is not None,
        "names": chart.names or [f"node {node}" for node in chart.nodes],
        "texts": chart.texts or [""] * len(chart.nodes),
        "degree": chart.degrees or [0] * len(chart.nodes),
        "groups": groups,
        "group": group,
        "x": x,
        "y": [None if own is None else most - own for own in y],
    }
