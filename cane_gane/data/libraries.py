"""Graphs of networkx and data frames of pandas, as the fields of a network."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from cane_gane.errors import InputError

Fields = dict[str, Any]


def networkx_fields(graph: Any, text: str, label: str, weight: str) -> Fields:
    """Returns the fields for `TextualNetwork.from_networkx`."""
    texts, labels = (
        [node.get(name) for node in graph.nodes.values()] for name in (text, label)
    )
    known = None if all(own is None for own in labels) else labels
    rows = list(graph.edges(data=weight))
    weights = [1.0 if own is None else own for *_, own in rows]
    weighted = any(own is not None for *_, own in rows)
    pairs = (row[:2] for row in rows)
    return _fields(graph.nodes, texts, known, pairs, weights if weighted else None)


def pandas_fields(
    nodes: Any, edges: Any, text: str, label: str, source: str, target: str, weight: str
) -> Fields:
    """Returns the fields for `TextualNetwork.from_pandas`.

    Raises:
        InputError: A column is missing, or an edge names no row of `nodes`.
    """
    for frame, column in ((nodes, text), (edges, source), (edges, target)):
        if column not in frame.columns:
            columns = ", ".join(map(str, frame.columns))
            raise InputError(f"found no column '{column}'; expected it among {columns}")
    labels = _column(nodes, label) if label in nodes.columns else None
    weights = edges[weight] if weight in edges.columns else None
    pairs = zip(edges[source], edges[target], strict=True)
    return _fields(nodes.index, _column(nodes, text), labels, pairs, weights)


def _fields(
    keys: Iterable[Any], texts: Any, labels: Any, pairs: Iterable[Any], weights: Any
) -> Fields:
    """Builds fields from node keys, which become names, and edges as pairs of keys."""
    id_of = {key: node for node, key in enumerate(keys)}
    try:
        edges = np.array([(id_of[a], id_of[b]) for a, b in pairs])
    except KeyError as error:
        key = error.args[0]
        raise InputError(
            f"found '{key}' in the edges; expected a value of the nodes' index"
        ) from None
    lines = ["" if text is None else " ".join(str(text).split()) for text in texts]
    names = [" ".join(str(key).split()) for key in keys]
    return {
        "texts": lines,
        "edges": edges,
        "labels": labels,
        "names": names,
        "weights": weights,
    }


def _column(frame: Any, name: str) -> list[Any]:
    """Returns a column of a data frame, with None for missing values."""
    column = frame[name]
    return list(column.astype(object).where(column.notna(), None))
