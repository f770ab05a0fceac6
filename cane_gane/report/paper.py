"""The paper's figures, to show beside ours if the data are the same."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from cane_gane.data.catalog import PUBLISHED, canonical_name
from cane_gane.methods import registry

# The paper does not specify its negatives: its AUC is shown beside each protocol that
# it may have used.
PROTOCOLS = ("upstream", "strict", "all_edges")
README = "upstream"  # the row of CANE's README
FRAME = ("cane", "wane", "ot", "ap")  # rows that figures always show


@cache
def _tables() -> dict[str, Any]:
    path = Path(__file__).resolve().parent / "paper.json"
    tables: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return tables


def known(dataset: str, data: Mapping[str, str]) -> str | None:
    """Returns the paper's name of a data set, or None if it is not the paper's.

    Args:
        dataset: The data set's name; a folder is never the paper's.
        data: The SHA-256 of each of its files, as in config.json.
    """
    name = canonical_name(dataset)
    files = PUBLISHED.get(name, {}).items()
    # A git blob id cannot be compared with a SHA-256.
    same = [data.get(f) == digest for f, digest in files if digest[:4] != "git:"]
    return name if name in _tables()["auc"] and all(same) else None


def row_of(method: str) -> str | None:
    """Returns a method's row in the paper's tables, if it has one."""
    return registry.METHODS[method].paper if method in registry.METHODS else None


def auc_curves(name: str | None) -> dict[str, list[tuple[float, float]]]:
    """Returns (training ratio, AUC in %) of each row, and of `README`."""
    if name is None:
        return {}
    tables = _tables()
    rows = {**tables["auc"][name], README: tables["upstream_auc"][name]}
    return {
        key: list(zip(tables["ratios"], map(float, row), strict=True))
        for key, row in rows.items()
    }


def titled_curves(
    name: str | None, methods: Iterable[str] = ()
) -> dict[str, list[tuple[float, float]]]:
    """Returns the rows of `FRAME` and of some methods, by their titles for readers."""
    shown = {*FRAME, README, *map(row_of, methods)}
    titles = {own.paper: own.title for own in registry.METHODS.values() if own.paper}
    titles[README] = "CANE's README"
    curves = auc_curves(name).items()
    return {titles.get(key, key): curve for key, curve in curves if key in shown}


def auc(name: str | None, row: str | None, ratio: float) -> float | None:
    """Returns the AUC in % of a row, or None if there is none."""
    return dict(auc_curves(name).get(row or "", [])).get(round(ratio, 4))


def macro_f1(name: str | None, row: str | None) -> dict[str, float]:
    """Returns the Macro-F1 in % of a row by the share of labels, if it has any."""
    tables = _tables()
    values = tables["macro_f1"].get(name, {}).get(row, [])
    return dict(zip(map(str, tables["label_ratios"]), values, strict=False))
