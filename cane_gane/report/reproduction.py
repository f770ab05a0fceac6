"""A page of all tables and figures of the paper, with ours beside the paper's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from cane_gane.evaluation.results import MatchedPair, NodeMap
from cane_gane.files import write_atomically
from cane_gane.report import (
    ablation,
    charts,
    figures,
    layouts,
    matched,
    paper,
    pictures,
)
from cane_gane.report.figures import Drawn
from cane_gane.report.formats import Layout
from cane_gane.report.maps import map_content
from cane_gane.report.page import Cell, write_page
from cane_gane.report.ratios import Ratios
from cane_gane.report.repeats import Entry
from cane_gane.report.sheets import sheets
from cane_gane.report.titles import method_title, protocol_title

_ALONE = (
    "CANE, WANE, GANE-OT and GANE-AP are trained alone, without the evidence that this "
    "software adds by default (--evidence=none)."
)
FAR = 2.0  # points: a larger difference from the paper's figure is marked
_RANKS = ("mrr", "hits_at_10")


@dataclass(frozen=True)
class Reproduction:
    """The results so far for the paper's tables and figures.

    Attributes:
        done: How many runs are finished, and how many there are in all.
        tables: Methods by ratio, for each data set that has runs.
        labels: Whether node classification is also shown.
        windows: The results of each repeat, by window.
        map: Nodes in the plane.
        pairs: Pairs of texts whose words are matched.
    """

    done: tuple[int, int]
    tables: Sequence[Ratios] = ()
    labels: bool = False
    windows: ablation.Found = field(default_factory=dict)
    map: NodeMap | None = None
    pairs: Sequence[MatchedPair] = ()

    @property
    def progress(self) -> str:
        """How many runs are finished, in words."""
        return "{} of {} runs are finished.".format(*self.done)


def beside_paper(found: Ratios, protocol: str) -> Layout:
    """Lays out the AUC of each method, with the paper's in brackets."""
    rows = []
    for row in found.link_rows(protocol, "auc"):
        if row.kind == "ours":
            theirs = {
                ratio: paper.auc(found.published, paper.row_of(row.key), ratio)
                for ratio in found.ratios
            }
            cells = (
                _beside(row.entries.get(r), theirs[r], found) for r in found.ratios
            )
            rows.append((row.title, *cells))
    header = ("edges for training", *(f"{100 * ratio:g} %" for ratio in found.ratios))
    caption = f"{found.dataset}: AUC in %, {protocol_title(protocol)}"
    notes = [
        *_notes(found),
        "The paper does not name its negatives, so its figures may be of another "
        "protocol.",
    ]
    return Layout(caption, header, [rows], notes)


def labels_beside_paper(found: Ratios) -> Layout | None:
    """Lays out Macro-F1 at the largest ratio, with the paper's; None without any."""
    rows = []
    for row in found.label_rows():
        if row.kind == "ours" and row.ratio == found.ratios[-1]:
            theirs = paper.macro_f1(found.published, paper.row_of(row.key))
            cells = (
                _beside(row.entries.get(float(share)), theirs.get(share), found)
                for share in found.shares
            )
            rows.append((method_title(row.key), *cells))
    if not rows:
        return None
    shares = (f"{100 * float(share):g} %" for share in found.shares)
    caption = (
        f"{found.dataset}: Macro-F1 of node classification in %, "
        f"{100 * found.ratios[-1]:g} % of the edges"
    )
    return Layout(caption, ("labels for training", *shares), [rows], _notes(found))


def write_reproduction(found: Reproduction, output: Path) -> None:
    """Writes reproduction.md, report.html and figures.

    Args:
        found: The results.
        output: The folder.
    """
    tables = _layouts(found)
    texts = [own.markdown() for own in tables]
    window_rows = ablation.window_rows(found.windows) if found.windows else []
    if window_rows:
        rows = [window_rows[1:]]
        texts.append(
            Layout("cora: AUC in % by window", window_rows[0], rows).markdown()
        )
    text = "\n\n".join([_ALONE, *texts, found.progress])
    write_atomically(output / "reproduction.md", f"{text}\n".encode())
    write_page(
        "reproduction.html",
        output / "report.html",
        title="The paper's tables and figures",
        subtitle=f"Our results beside the paper's. {_ALONE}",
        tables=[(own, _cells(own)) for own in tables],
        window_rows=window_rows,
        drawn=_draw(found, output / "figures"),
        map=found.map and map_content(found.map),
        pairs=matched.menu(found.pairs, method_title("ot")),
        done=found.done,
    )


def _layouts(found: Reproduction) -> list[Layout]:
    made = []
    for own in found.tables:
        names = [name for name in paper.PROTOCOLS if name in own.protocols]
        made += [beside_paper(own, name) for name in names]
        made += [
            layouts.layout(own, sheet)
            for sheet in sheets(own)
            if sheet.measure in _RANKS
        ]
        if found.labels and (labels := labels_beside_paper(own)):
            made.append(labels)
        made.append(layouts.cost_layout(own))
    return made


def _beside(own: Entry | None, theirs: float | None, found: Ratios) -> str:
    """Returns our figure with the paper's in brackets, marked if they differ much.

    If not all seeds have run, it includes how many have.
    """
    if own is None:
        return "–"
    ours = 100 * own.mean
    spread = "" if own.std is None else f" ± {100 * own.std:.1f}"
    if len(own.seeds) < len(found.seeds):
        spread += f", n = {len(own.seeds)}"
    if theirs is None:
        return f"{ours:.1f}{spread}"
    mark = " ↑" if ours > theirs + FAR else " ↓" if ours < theirs - FAR else ""
    return f"{ours:.1f}{spread} ({theirs:.1f}){mark}"


def _notes(found: Ratios) -> list[str]:
    count = len(found.seeds)
    seeds = f"Mean ± standard deviation over {count} seeds" if count > 1 else "One seed"
    some = any(
        0 < len(found.at(ratio, key)) < count
        for ratio in found.ratios
        for key in found.variants
    )
    return [
        f"{seeds}; n = …: over that many so far." if some else f"{seeds}.",
        f"In brackets the paper's figure; ↑ or ↓: ours is more than {FAR:g} points "
        "above or below it.",
    ]


def _cells(own: Layout) -> list[list[Cell]]:
    """Returns the rows of a table, with a colour for each mark."""
    kinds = {"↑": "good", "↓": "bad"}
    return [
        [Cell(text, kind=kinds.get(text[-1:], "")) for text in row]
        for group in own.groups
        for row in group
    ]


def _draw(found: Reproduction, folder: Path) -> dict[str, Drawn]:
    made = {}
    if found.windows:
        made["ablation"] = charts.window_curve(ablation.window_curves(found.windows))
    if found.map:
        made["map"] = pictures.node_map(found.map)
    for pair in found.pairs[:1]:
        titles = {"attention": "WANE's attention", "plan": "transport plan"}
        known = {k: v for k, v in titles.items() if getattr(pair, k) is not None}
        made["attention"] = pictures.heat_maps(pair, known)
    return {name: figures.save(own, folder, name) for name, own in made.items()}
