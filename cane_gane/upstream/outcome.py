"""The figures of a comparison, over all its runs, ready for JSON."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from cane_gane.report import paper
from cane_gane.upstream.comparison import SAME, UPSTREAM, Comparison, Result

Outcome = dict[str, Any]

PROTOCOLS = ("upstream", "strict")
SCORES = ("structure", "both", "pair")


def main_score(side: str) -> str:
    """Returns by what a side is judged first: by what its own program scores."""
    return "structure" if side in (UPSTREAM, SAME) else "pair"


def outcome(comparison: Comparison, results: Sequence[Result]) -> Outcome:
    """Gathers the figures of all runs, ready for JSON; docs/upstream.md has the keys.

    Args:
        comparison: What was compared.
        results: The runs that are finished.

    Returns:
        The figures. AUC is between 0 and 1, time in seconds, memory in bytes.
    """
    runs: dict[str, list[Result]] = {}
    for result in results:
        runs.setdefault(result.side, []).append(result)

    def mean_of(figure: Callable[[Result], float]) -> dict[str, float]:
        return {
            side: statistics.fmean(map(figure, mine)) for side, mine in runs.items()
        }

    scores = {side: _scores(mine) for side, mine in runs.items()}
    return {
        "dataset": Path(comparison.dataset).name,
        "ratio": comparison.ratio,
        "seeds": {side: [run.seed for run in mine] for side, mine in runs.items()},
        "epochs": mean_of(lambda run: len(run.seconds)),
        "time_per_epoch": mean_of(lambda run: run.epoch_seconds),
        "total_time": mean_of(lambda run: run.usage.seconds),
        "cpu_time": mean_of(lambda run: run.usage.cpu_seconds),
        "memory": mean_of(lambda run: run.usage.memory),
        "auc": {
            side: {
                protocol: mine[protocol][main_score(side)]["mean"]
                for protocol in PROTOCOLS
            }
            for side, mine in scores.items()
        },
        "auc_by_score": scores,
        "printed_auc": {
            UPSTREAM: [run.metrics["printed_auc"] for run in runs.get(UPSTREAM, [])]
        },
        "published": _published(Path(comparison.dataset).name, comparison.ratio),
    }


def _published(dataset: str, ratio: float) -> dict[str, float]:
    """Returns the paper's AUC by variant, and that of upstream's README."""
    return {
        name: auc / 100
        for name in paper.auc_curves(dataset)
        if (auc := paper.auc(dataset, name, ratio)) is not None
    }


def _scores(runs: Sequence[Result]) -> dict[str, dict[str, dict[str, Any]]]:
    """Returns mean and standard deviation over seeds, by protocol and score."""
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for protocol in runs[0].metrics["link_prediction"]:
        found[protocol] = {}
        for score in SCORES:
            values = [
                value
                for run in runs
                if (value := _auc(run.metrics["link_prediction"][protocol], score))
                is not None
            ]
            if values:
                spread = statistics.stdev(values) if len(values) > 1 else None
                found[protocol][score] = {
                    "mean": statistics.fmean(values),
                    "std": spread,
                }
    return found


def _auc(figures: Mapping[str, Any], score: str) -> float | None:
    if score == "pair":
        return figures.get("auc")
    auc: float | None = figures["vectors"][score]["auc"]
    return auc
