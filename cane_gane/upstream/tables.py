"""The outcome of a comparison for people: Markdown, and a page to look at."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from cane_gane.files import write_atomically
from cane_gane.report.markup import table
from cane_gane.report.page import Page
from cane_gane.upstream.comparison import SAME, UPSTREAM
from cane_gane.upstream.outcome import PROTOCOLS, SCORES, Outcome

Cells = Sequence[str]

_SIDES = {
    UPSTREAM: "upstream's code",
    SAME: "our cane, upstream's settings",
    "cane": "our cane",
    "wane": "our wane",
    "ot": "our ot",
    "ap": "our ap",
}
_SCORES = {
    "structure": "structure vectors",
    "both": "text + structure vectors",
    "pair": "pair by pair",
}
_PROTOCOLS = {
    "upstream": "AUC in %, upstream's protocol",
    "strict": "AUC in %, strict protocol",
}
_ABOUT = (
    "Structure vectors are what upstream writes and scores since its commit 681fc5a; "
    "before, it scored text and structure, here from the same trained weights. Pair by "
    "pair is a model's own score, each text in the context of the other. One run a "
    "seed; ± is the standard deviation over seeds, which change split, start and "
    "batches. The published figures do not say how they were scored."
)
_COST = (
    "Time per epoch is the median. Total time and time on all cores are of whole "
    "processes, from start to evaluation, all starts of a run added up; peak memory is "
    "the largest resident size. Other work on the machine lengthens the first two."
)


def auc_table(found: Outcome, protocol: str) -> tuple[Cells, list[Cells]]:
    """Lays out the AUC of a protocol, in %: a header, and a row for each side.

    What was published stands beside upstream's protocol.
    """
    header = [_PROTOCOLS[protocol], *(_SCORES[score] for score in SCORES)]
    rows: list[list[str]] = [
        [_SIDES[side], *(_percent(mine[protocol].get(score)) for score in SCORES)]
        for side, mine in found["auc_by_score"].items()
    ]
    if protocol == "upstream":
        header += ["the paper", "upstream's README"]
        for side, row in zip(found["auc_by_score"], rows, strict=True):
            theirs = side in (UPSTREAM, SAME)
            sources = ("cane", "upstream") if theirs else (side, None)
            aucs = (found["published"].get(source) for source in sources)
            row += ["" if auc is None else f"{100 * auc:.1f}" for auc in aucs]
    return header, list(rows)


def cost_table(found: Outcome) -> tuple[Cells, list[Cells]]:
    """Lays out time and memory: a header, and a row for each side."""
    header = (
        "cost", "runs", "epochs", "time per epoch, s", "total time, min",
        "time on all cores, min", "peak memory, MB",
    )  # fmt: skip
    rows: list[Cells] = [
        (
            _SIDES[side],
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


def _title(found: Outcome) -> str:
    seeds = sorted({seed for mine in found["seeds"].values() for seed in mine})
    kind = "seed" if len(seeds) == 1 else "seeds"
    listed = ", ".join(map(str, seeds))
    return f"{found['dataset']}, ratio {found['ratio']:g}, {kind} {listed}"


def as_markdown(found: Outcome) -> str:
    """Returns both tables in Markdown."""
    tables = [auc_table(found, name) for name in PROTOCOLS] + [cost_table(found)]
    return "\n\n".join([_title(found), *(_markdown(*one) for one in tables)])


def _markdown(header: Cells, rows: Sequence[Cells]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def as_json(found: Outcome) -> str:
    """Returns the figures as one JSON object."""
    return json.dumps(found, indent=1, ensure_ascii=False, allow_nan=False)


def write(found: Outcome, folder: Path) -> None:
    """Writes compare.md, compare.json and report.html, each whole."""
    write_atomically(folder / "compare.md", (as_markdown(found) + "\n").encode())
    write_atomically(folder / "compare.json", (as_json(found) + "\n").encode())
    page = Page("Upstream CANE and ours", _title(found))
    both = [table(*auc_table(found, name)) for name in PROTOCOLS]
    page.section("auc", "AUC of link prediction", *both, _ABOUT)
    page.section("cost", "Time and memory", table(*cost_table(found)), _COST)
    page.write(folder / "report.html")
