"""The figures of a comparison, over all its runs, ready for JSON."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from cane_gane.evaluation.results import ModelFigures
from cane_gane.report import paper
from cane_gane.upstream.comparison import SAME, UPSTREAM, Comparison, Result

Outcome = dict[str, Any]

SCORES = ("structure", "both", "pair")


def main_score(side: str) -> str:
    """Returns the main score of a side: the one that its own program uses."""
    return "structure" if side in (UPSTREAM, SAME) else "pair"


def outcome(
    comparison: Comparison, results: Sequence[Result], data: Mapping[str, str]
) -> Outcome:
    """Collects the figures of all runs for JSON; docs/upstream.md lists the keys.

    Args:
        comparison: What was compared.
        results: The finished runs.
        data: The digests of the data; the paper's figures hold only for its own data.

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
                protocol: scored[main_score(side)]["mean"]
                for protocol, scored in mine.items()
                if main_score(side) in scored
            }
            for side, mine in scores.items()
        },
        "auc_by_score": scores,
        "printed_auc": {
            UPSTREAM: [run.evaluation.printed_auc for run in runs.get(UPSTREAM, [])]
        },
        "published": _published(
            paper.known(comparison.dataset, data), comparison.ratio
        ),
    }


def protocols(found: Outcome) -> list[str]:
    """Returns the protocols in which every side has an AUC."""
    first, *others = found["auc_by_score"].values()
    return [name for name in first if all(own.get(name) for own in (first, *others))]


def _published(name: str | None, ratio: float) -> dict[str, float]:
    """Returns the paper's AUC by row, and that of upstream's README."""
    found = {row: paper.auc(name, row, ratio) for row in paper.auc_curves(name)}
    return {row: auc / 100 for row, auc in found.items() if auc is not None}


def _scores(runs: Sequence[Result]) -> dict[str, dict[str, dict[str, Any]]]:
    """Returns mean and standard deviation over seeds, by protocol and score."""
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for protocol in runs[0].evaluation.link_prediction:
        figures = [run.evaluation.link_prediction[protocol] for run in runs]
        found[protocol] = {}
        for score in SCORES:
            aucs = [_auc(own, score) for own in figures]
            values = [auc for auc in aucs if auc is not None]
            if values:
                spread = statistics.stdev(values) if len(values) > 1 else None
                mean = statistics.fmean(values)
                found[protocol][score] = {"mean": mean, "std": spread}
    return found


def _auc(figures: ModelFigures, score: str) -> float | None:
    if score == "pair":
        return figures.auc if figures.score == "pairs" else None
    return figures.vectors[score].auc if score in figures.vectors else None
