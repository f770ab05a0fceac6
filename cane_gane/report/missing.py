"""Exports all missing edges of a run for other programs: missing_edges.csv."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from cane_gane.data.network import TextualNetwork
from cane_gane.evaluation.results import ScoredEdge

MISSING = "missing_edges.csv"
_WORDS = 20  # of each text
_LETTERS = 200
_COLUMNS = (
    "rank", "source", "target", "source_name", "target_name", "score", "probability",
    "source_text", "target_text",
)  # fmt: skip


def missing_csv(network: TextualNetwork, found: Sequence[ScoredEdge]) -> str:
    """Returns one line per pair, best first: ids, names, score, first words.

    Args:
        network: The network.
        found: The pairs.
    """
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for rank, edge in enumerate(found, 1):
        ends = (edge.source, edge.target)
        chance = "" if edge.probability is None else f"{edge.probability:.4g}"
        names = [network.name_of(node) for node in ends]
        texts = [_start(network.texts[node]) for node in ends]
        writer.writerow([rank, *ends, *names, f"{edge.score:.6g}", chance, *texts])
    return file.getvalue()


def _start(text: str) -> str:
    return " ".join(text.split(maxsplit=_WORDS)[:_WORDS])[:_LETTERS]
