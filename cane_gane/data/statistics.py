"""Counts of what a network holds, to check that the data are as expected."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import numpy.typing as npt

from cane_gane.data.lines import printable
from cane_gane.data.network import TextualNetwork
from cane_gane.data.tokens import MAX_LENGTH, TOKENIZERS

Report = dict[str, Any]


def inspect_network(
    network: TextualNetwork, tokenizer: str = "clean", max_length: int = MAX_LENGTH
) -> Report:
    """Counts nodes, edges, words and labels.

    Args:
        network: The network.
        tokenizer: A name from `TOKENIZERS`.
        max_length: Texts longer than this are counted as cut.

    Returns:
        The report, ready for JSON; docs/data.md lists its keys.
    """
    return {
        "nodes": network.node_count,
        "edges": _edge_counts(network),
        "texts": _text_counts(network, tokenizer, max_length),
        "labels": _label_counts(network),
    }


def _edge_counts(network: TextualNetwork) -> Report:
    edges = network.edges
    proper = np.unique(edges[edges[:, 0] != edges[:, 1]], axis=0)
    pairs = np.unique(np.sort(proper, axis=1), axis=0)
    return {
        "lines": len(edges),
        "unique_pairs": len(pairs),
        "self_loops": int((edges[:, 0] == edges[:, 1]).sum()),
        "duplicates": len(edges) - len(np.unique(edges, axis=0)),
        "reversed_pairs": len(proper) - len(pairs),
        "isolated_nodes": network.node_count - len(np.unique(edges)),
        **_weight_counts(network),
    }


def _weight_counts(network: TextualNetwork) -> Report:
    """Returns the spread of the weights, if edges have any."""
    weights = network.weights
    if weights is None:
        return {}
    found = {"mean": weights.mean(), "minimum": weights.min(), "maximum": weights.max()}
    return {"weights": {name: float(value) for name, value in found.items()}}


def _text_counts(network: TextualNetwork, name: str, max_length: int) -> Report:
    tokenizer = TOKENIZERS[name].fit(network)
    lengths = np.array([len(tokenizer.split(text)) for text in tokenizer.read(network)])
    return {
        "tokenizer": name,
        "empty": sum(not text.strip() for text in network.texts),
        "cut": int((lengths > max_length).sum()),
        "max_length": max_length,
        "words": {
            "mean": round(float(lengths.mean()), 1),
            "median": float(np.median(lengths)),
            "minimum": int(lengths.min()),
            "maximum": int(lengths.max()),
        },
        "histogram": _histogram(lengths),
        "vocabulary": len(tokenizer.words) - len(tokenizer.reserved),
    }


def _histogram(lengths: npt.NDArray[np.int64]) -> dict[str, int]:
    """Counts lengths in bins of a round width; the last bin holds a long tail."""
    most = np.percentile(lengths, 98)
    widths = (d * 10**e for e in range(1, 9) for d in (1, 2, 5))
    width = next(width for width in widths if most <= 8 * width)
    bins = np.minimum(np.maximum(lengths - 1, 0) // width, 8)
    names = [f"{i * width + (i > 0)}-{(i + 1) * width}" for i in range(8)]
    counts = np.bincount(bins).tolist()
    return dict(zip([*names, f"over {8 * width}"], counts, strict=False))


def _label_counts(network: TextualNetwork) -> Report | None:
    if network.labels is None:
        return None
    counts = Counter(label for labels in network.labels for label in labels)
    several = sum(len(labels) > 1 for labels in network.labels)
    return {
        "task": "multi-label" if several else "single-label",
        "nodes_without": sum(not labels for labels in network.labels),
        "nodes_with_several": several,
        "counts": dict(sorted(counts.items(), key=lambda item: (-item[1], item[0]))),
    }


def format_report(title: str, report: Report) -> str:
    """Lays the report out as a table for a terminal."""
    edges, texts, labels = report["edges"], report["texts"], report["labels"]
    words = texts["words"]
    spread = f"{words['minimum']} to {words['maximum']}, median {words['median']:g}"
    tokenizer = f"words, tokenizer {texts['tokenizer']}"
    lines = [
        title,
        _row("nodes", report["nodes"], f"{edges['isolated_nodes']:,} without an edge"),
        _row("edges", edges["lines"], "lines of graph.txt"),
        _row("  unique pairs", edges["unique_pairs"], "of two different nodes"),
        _row("  reversed", edges["reversed_pairs"], "pairs in both directions"),
        _row("  self-loops", edges["self_loops"]),
        _row("  duplicates", edges["duplicates"], "repeated lines"),
        *_weight_row(edges),
        _row("texts", report["nodes"], f"{texts['empty']:,} empty"),
        _row("  words per text", words["mean"], spread),
        *_bars(texts["histogram"]),
        _row("  cut", texts["cut"], f"longer than {texts['max_length']:,} words"),
        _row("vocabulary", texts["vocabulary"], tokenizer),
    ]
    if labels is None:
        return "\n".join([*lines, _row("labels", 0, "no group.txt")])
    notes = f"{labels['task']}; {labels['nodes_without']:,} nodes without one"
    if labels["nodes_with_several"]:
        notes += f", {labels['nodes_with_several']:,} with several"
    lines.append(_row("labels", len(labels["counts"]), notes))
    return "\n".join([*lines, *_bars(labels["counts"])])


def _weight_row(edges: Report) -> list[str]:
    if "weights" not in edges:
        return []
    found = edges["weights"]
    spread = f"mean weight, {found['minimum']:.4g} to {found['maximum']:.4g}"
    return [f"{'  weights':<16}{found['mean']:>10.4g}  {spread}"]


def _row(name: str, value: float, note: str = "") -> str:
    return f"{name:<16}{value:>10,}  {note}".rstrip()


def _bars(counts: dict[str, int]) -> list[str]:
    """Draws a bar for each count, at most twenty, the longest 32 blocks long."""
    most = max(counts.values(), default=1)
    indent = min(40, max(map(len, counts), default=0))
    bars = []
    for name, count in list(counts.items())[:20]:
        bar = "█" * round(32 * count / most) or "▏"
        bars.append(f"    {printable(name):>{indent}}  {bar} {count:,}")
    hidden = len(counts) - len(bars)
    return bars + [f"    … and {hidden:,} more"] * bool(hidden)
