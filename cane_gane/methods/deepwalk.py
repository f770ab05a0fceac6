"""DeepWalk (Perozzi, Al-Rfou and Skiena 2014): random walks read as sentences."""

from __future__ import annotations

from pathlib import Path

from cane_gane.data.splits import Split
from cane_gane.evaluation.fitted import Fitted
from cane_gane.methods.method import Method
from cane_gane.methods.skip_gram import WalkSettings, walk_vectors
from cane_gane.serving.table import VectorTable


def _fit(split: Split, settings: WalkSettings, seed: int, _: Path | None) -> Fitted:
    count = split.network.node_count
    return VectorTable(walk_vectors(split.train, count, settings, seed))


DEEPWALK = Method(
    "deepwalk",
    "DeepWalk",
    "a skip-gram over random walks (Perozzi 2014)",
    fit=_fit,
    open=VectorTable.open,
    settings=WalkSettings,
    paper="deepwalk",
)
