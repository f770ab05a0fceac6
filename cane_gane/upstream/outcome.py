"""The outcome of a comparison: figures for JSON, tables for people."""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from cane_gane.files import write_atomically
from cane_gane.upstream.comparison import SAME, UPSTREAM, Comparison, Result
from cane_gane.upstream.published import published

Cells = Sequence[str]
Outcome = dict[str, Any]

PROTOCOLS = ("upstream", "strict")
# What is scored, and how the tables call it.
SCORES = {
    "structure": "structure vectors",
    "both": "text + structure vectors",
    "pair": "pair by pair",
}
NAMES = {
    UPSTREAM: "upstream's code",
    SAME: "our cane, upstream's settings",
    "cane": "our cane",
    "wane": "our wane",
    "ot": "our ot (GANE-OT)",
    "ap": "our ap (GANE-AP)",
}


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
        "published": published(Path(comparison.dataset).name, comparison.ratio),
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


def auc_table(found: Outcome) -> tuple[Cells, list[Cells]]:
    """Lays out the AUC, in %: a header, and a row for each side and publication."""
    header = ["AUC, %"]
    for protocol in ("upstream's protocol", "strict"):
        header += [f"{protocol}: {name}" for name in SCORES.values()]
    rows: list[Cells] = [
        [NAMES[side]]
        + [_percent(mine[p].get(score)) for p in PROTOCOLS for score in SCORES]
        for side, mine in found["auc_by_score"].items()
    ]
    blank = [""] * (2 * len(SCORES) - 1)
    for source, auc in found["published"].items():
        rows.append([source, f"{100 * auc:.1f}", *blank])
    return header, rows


def cost_table(found: Outcome) -> tuple[Cells, list[Cells]]:
    """Lays out time and memory: a header, and a row for each side."""
    header = (
        "cost", "runs", "epochs", "time per epoch, s", "total time, min",
        "time on all cores, min", "peak memory, MB",
    )  # fmt: skip
    rows: list[Cells] = [
        (
            NAMES[side],
            str(len(found["seeds"][side])),
            f"{found['epochs'][side]:.0f}",
            f"{found['time_per_epoch'][side]:.2f}",
            f"{found['total_time'][side] / 60:.1f}",
            f"{found['cpu_time'][side] / 60:.1f}",
            f"{found['memory'][side] / 1e6:.0f}",
        )
        for side in found["seeds"]
    ]
    return header, rows


def _percent(figure: Mapping[str, float | None] | None) -> str:
    if figure is None or figure["mean"] is None:
        return ""
    spread = "" if figure["std"] is None else f" ± {100 * figure['std']:.1f}"
    return f"{100 * figure['mean']:.1f}{spread}"


def title(found: Outcome) -> str:
    """Returns what is compared, in a line."""
    seeds = sorted({seed for mine in found["seeds"].values() for seed in mine})
    listed = ", ".join(map(str, seeds))
    kind = "seed" if len(seeds) == 1 else "seeds"
    return f"{found['dataset']}, ratio {found['ratio']:g}, {kind} {listed}"


def as_markdown(found: Outcome) -> str:
    """Returns both tables in Markdown."""
    tables = (_markdown(*auc_table(found)), _markdown(*cost_table(found)))
    return "\n\n".join([title(found), *tables]) + "\n"


def _markdown(header: Cells, rows: Sequence[Cells]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def as_json(found: Outcome) -> str:
    """Returns the figures as one JSON object."""
    return json.dumps(found, indent=1, ensure_ascii=False, allow_nan=False)


def write(found: Outcome, folder: Path) -> None:
    """Writes compare.md and compare.json, each whole."""
    write_atomically(folder / "compare.md", as_markdown(found).encode())
    write_atomically(folder / "compare.json", (as_json(found) + "\n").encode())
