"""Exports methods by training ratio as CSV and JSON, for programs."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import asdict
from typing import Any

from cane_gane.report.paired import Gap
from cane_gane.report.ratios import Ratios
from cane_gane.report.sheets import MEASURES, sheets

_COLUMNS = (
    "measure", "protocol", "kind", "key", "ratio", "labels", "mean", "std",
    "std_error", "seeds", "below", "reached", "low", "high", "rival",
)  # fmt: skip


def as_csv(found: Ratios) -> str:
    """Returns a line for each figure, in %."""
    file = io.StringIO()
    writer = csv.DictWriter(file, _COLUMNS, lineterminator="\n")
    writer.writeheader()
    for sheet in sheets(found):
        for row, column, own in sheet.entries:
            line: dict[str, Any] = {"measure": sheet.measure, "kind": row.kind,
                                    "key": row.key}  # fmt: skip
            if sheet.protocol:
                line |= {"protocol": sheet.protocol, "ratio": column}
            else:
                line |= {"ratio": row.ratio, "labels": column}
            shares = {"mean": own.mean, "std": own.std, "std_error": own.std_error}
            if isinstance(own, Gap):
                shares |= dict(zip(("low", "high"), own.interval, strict=True))
                line["rival"] = own.rival
            for key, share in shares.items():
                line[key] = "" if share is None else f"{100 * share:.4f}"
            line["seeds"] = " ".join(map(str, own.seeds))
            marks = {"below": int(own.below), "reached": int(own.reached)}
            writer.writerow({**line, **marks})
    return file.getvalue()


def as_json(found: Ratios) -> str:
    """Returns all figures as one JSON object; docs/evaluation.md lists its keys."""
    nested: dict[str, Any] = {measure: {} for measure in MEASURES}
    for sheet in sheets(found):
        kinds = nested[sheet.measure]
        if sheet.protocol:
            kinds = kinds.setdefault(sheet.protocol, {})
        for row, column, own in sheet.entries:
            place = kinds.setdefault(row.kind, {}).setdefault(row.key, {})
            if row.ratio is not None:
                place = place.setdefault(f"{row.ratio:g}", {})
            place[f"{column:g}"] = asdict(own)
    content = {
        "dataset": found.dataset,
        "variants": list(found.variants),
        "ratios": list(found.ratios),
        "seeds": list(found.seeds),
        "runs": {"finished": len(found.runs), "all": found.count},
        "seconds": found.seconds,
        "cost": {key: _costs(found, key) for key in found.variants},
        **nested,
    }
    return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False)


def _costs(found: Ratios, key: str) -> dict[str, Any]:
    known = ((ratio, found.cost(key, ratio)) for ratio in found.ratios)
    return {f"{ratio:g}": asdict(own) for ratio, own in known if own}
