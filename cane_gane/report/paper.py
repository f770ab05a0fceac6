"""The paper's figures, to stand beside ours."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

NAMES = {"cane": "CANE", "wane": "WANE", "ot": "GANE-OT", "ap": "GANE-AP"}
LABEL_RATIOS = ("0.1", "0.3", "0.5", "0.7")


@cache
def _tables() -> dict[str, Any]:
    path = Path(__file__).resolve().parent / "paper.json"
    tables: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return tables


def known(dataset: str) -> str | None:
    """Returns the paper's name of a data set, or None where it has no such one."""
    names = {name.lower(): name for name in _tables()["auc"]}
    return names.get(dataset.lower())


def auc_curves(dataset: str) -> dict[str, list[tuple[float, float]]]:
    """Returns (training ratio, AUC in %) of each variant, and of `upstream`."""
    name, tables = known(dataset), _tables()
    if name is None:
        return {}
    rows = {**tables["auc"][name], "upstream": tables["upstream_auc"][name]}
    return {
        key: list(zip(tables["ratios"], row, strict=True)) for key, row in rows.items()
    }


def named_curves(dataset: str) -> dict[str, list[tuple[float, float]]]:
    """Returns the same by the names that a reader knows."""
    curves = auc_curves(dataset)
    return {NAMES.get(key, "CANE's README"): curve for key, curve in curves.items()}


def auc(dataset: str, variant: str, ratio: float) -> float | None:
    """Returns the paper's AUC in %, or None where it has none."""
    return dict(auc_curves(dataset).get(variant, [])).get(round(ratio, 4))


def macro_f1(dataset: str, variant: str) -> dict[str, float]:
    """Returns the paper's Macro-F1 in % by the share of labels, where it has them."""
    row = _tables()["macro_f1"].get(known(dataset) or "", {}).get(variant)
    return dict(zip(LABEL_RATIOS, row, strict=True)) if row else {}
