"""The outcome of a comparison for readers: Markdown, and a page."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from cane_gane.evaluation.show import percent
from cane_gane.files import write_atomically
from cane_gane.report import paper
from cane_gane.report.formats import markdown_table, markdown_text
from cane_gane.report.page import write_page
from cane_gane.report.titles import method_title, protocol_title
from cane_gane.upstream.comparison import SAME, UPSTREAM
from cane_gane.upstream.outcome import SCORES, Outcome, protocols

Table = tuple[Sequence[str], list[list[str]]]  # a header and rows

_SCORES = {
    "structure": "structure vectors",
    "both": "text + structure vectors",
    "pair": "pair by pair",
}


def auc_table(found: Outcome, protocol: str) -> Table:
    """Lays out the AUC of a protocol, in %: a header, and a row for each side.

    Published figures are beside each protocol that they may have used.
    """
    header = [
        f"AUC in %, {protocol_title(protocol)}", *(_SCORES[score] for score in SCORES)
    ]  # fmt: skip
    rows = []
    for side, mine in found["auc_by_score"].items():
        row = [_title(side), *(_spread(mine[protocol].get(score)) for score in SCORES)]
        if protocol in paper.PROTOCOLS:
            theirs = side in (UPSTREAM, SAME)
            published = paper.row_of("cane" if theirs else side)
            for source in (published, paper.README if theirs else None):
                auc = found["published"].get(source)
                row.append("" if auc is None else percent(auc))
        rows.append(row)
    if protocol in paper.PROTOCOLS:
        header += ["the paper", "upstream's README"]
    return header, rows


def cost_table(found: Outcome) -> Table:
    """Lays out time and memory: a header, and a row for each side."""
    header = (
        "cost", "runs", "epochs", "time per epoch, s", "total time, min",
        "time on all cores, min", "peak memory, MB",
    )  # fmt: skip
    rows = [
        [
            _title(side),
            str(len(found["seeds"][side])),
            f"{found['epochs'][side]:.0f}",
            f"{found['time_per_epoch'][side]:.2f}",
            f"{found['total_time'][side] / 60:.1f}",
            f"{found['cpu_time'][side] / 60:.1f}",
            f"{found['memory'][side] / 1e6:.0f}",
        ]
        for side in found["seeds"]
    ]
    return header, rows


def as_markdown(found: Outcome) -> str:
    """Returns all tables in Markdown."""
    tables = [*(auc_table(found, name) for name in protocols(found)), cost_table(found)]
    texts = (markdown_table(header, rows) for header, rows in tables)
    return "\n\n".join([markdown_text(_heading(found)), *texts])


def as_json(found: Outcome) -> str:
    """Returns the figures as one JSON object."""
    return json.dumps(found, indent=1, ensure_ascii=False, allow_nan=False)


def write(found: Outcome, folder: Path) -> None:
    """Writes compare.md, compare.json and report.html."""
    write_atomically(folder / "compare.md", (as_markdown(found) + "\n").encode())
    write_atomically(folder / "compare.json", (as_json(found) + "\n").encode())
    write_page(
        "compare.html",
        folder / "report.html",
        title="Upstream CANE and ours",
        subtitle=_heading(found),
        aucs=[auc_table(found, name) for name in protocols(found)],
        cost=cost_table(found),
    )


def _title(side: str) -> str:
    if side == UPSTREAM:
        return "upstream's code"
    if side == SAME:
        return f"our {method_title('cane')}, upstream's settings"
    return f"our {method_title(side)}"


def _spread(figure: Mapping[str, float | None] | None) -> str:
    return "" if figure is None else percent(figure["mean"], figure["std"])


def _heading(found: Outcome) -> str:
    seeds = sorted({seed for mine in found["seeds"].values() for seed in mine})
    kind = "seed" if len(seeds) == 1 else "seeds"
    listed = ", ".join(map(str, seeds))
    return f"{found['dataset']}, ratio {found['ratio']:g}, {kind} {listed}"
