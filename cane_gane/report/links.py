"""The part of a page on link prediction: its table, its errors, its verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cane_gane.report.markup import Markup, facts, join, table, tag
from cane_gane.report.sections import duration
from cane_gane.report.tables import PROTOCOLS, TITLES, Row, link_rows, percent

Metrics = Mapping[str, Any]


def figure_cell(figures: Mapping[str, Any], below: Sequence[str] = ()) -> Markup:
    """Builds the cell of an AUC with its error, red where a baseline is above it."""
    text = percent(figures["auc"], figures["std_error"])
    if not below:
        return tag("td", text)
    names = ", ".join(TITLES[key] for key in below)
    return tag("td", f"{text} ↓", class_="bad", title=f"below {names}")


def overview(metrics: Metrics, best: Mapping[str, str]) -> Markup:
    """Builds the figures that a reader looks for first."""
    model = link_rows(metrics)[0]
    tiles = []
    for name in PROTOCOLS:
        figures = model.figures[name]
        value = tag(
            "span", percent(figures["auc"]), class_="bad" if model.below[name] else None
        )
        note = f"± {percent(figures['std_error'])}; best baseline {best[name]}"
        tiles.append((f"AUC, {name} protocol, %", join([value, tag("small", note)])))
    scores = metrics.get("node_classification")
    if scores:
        note = f"Macro-F1 {percent(scores['0.5']['macro_f1'])}, half of the labels"
        value = join([percent(scores["0.5"]["micro_f1"]), tag("small", note)])
        tiles.append(("Micro-F1 of labels, %", value))
    time = metrics["time"]
    if time["train"] is not None:
        note = f"{duration(time['evaluate'])} to evaluate"
        tiles.append(("training", join([duration(time["train"]), tag("small", note)])))
    return Markup(facts(tiles).replace("<dl>", '<dl class="tiles">', 1))


def best_baselines(metrics: Metrics) -> dict[str, str]:
    """Returns the AUC of the best baseline of each protocol, in %."""
    return {
        name: percent(max((b["auc"] or 0) for b in metrics["baselines"][name].values()))
        for name in PROTOCOLS
    }


def verdict(model: Row) -> Markup:
    """Says where the model is below a baseline, or nothing."""
    names = {
        name: " and ".join(TITLES[key] for key in keys)
        for name, keys in model.below.items()
        if keys
    }
    if not names:
        return Markup()
    told = "; ".join(f"below {text} ({name})" for name, text in names.items())
    if len(names) == len(PROTOCOLS) and len(set(names.values())) == 1:
        told = f"below {next(iter(names.values()))} in both protocols"
    return tag("p", tag("span", told, class_="badge"))


def link_table(metrics: Metrics) -> Markup:
    """Builds the table of both protocols, and what each of them scored."""
    rows: list[Sequence[object]] = [
        (row.title, *(figure_cell(row.figures[p], row.below[p]) for p in PROTOCOLS),
         *(_draws(row.figures[p]) for p in PROTOCOLS))
        for row in link_rows(metrics)
    ]  # fmt: skip
    links = metrics["link_prediction"]
    for key, title in (
        ("scored", "test edges scored"),
        ("self_loops", "of them self-loops"),
        ("reversed", "of them reversed training edges"),
    ):
        cells = [f"{links[name][key]:,}" for name in PROTOCOLS]
        if key == "scored":
            cells = [
                f"{c} of {links[n]['edges']:,}"
                for c, n in zip(cells, PROTOCOLS, strict=True)
            ]
        rows.append((title, *cells, "", ""))
    head = ("AUC, %", "upstream", "strict", "20 draws, upstream", "20 draws, strict")
    return table(head, rows)


def _draws(figures: Mapping[str, Any]) -> str:
    draws = figures.get("draws") or {"mean": None, "std": None}
    return percent(draws["mean"], draws["std"])


def ranking_table(metrics: Metrics) -> Markup:
    """Builds the ranking figures of the strict protocol."""
    rows = [
        (row.title, *(percent(row.figures["strict"].get(key)) for key in
                      ("average_precision", "hits_at_10", "mrr")))
        for row in link_rows(metrics)
        if "mrr" in row.figures["strict"]
    ]  # fmt: skip
    head = ("strict protocol, %", "average precision", "Hits@10", "MRR")
    note = (
        "Places among all negatives. The pair score is not here: it would score "
        "every pair of nodes."
    )
    return table(
        head, rows, note if "vectors" in metrics["link_prediction"]["strict"] else None
    )


def intervals(metrics: Metrics) -> Markup:
    """Says how sure the model's AUC is."""
    told = []
    for name in PROTOCOLS:
        figures = metrics["link_prediction"][name]
        if figures["interval"] is None:
            continue
        low, high = (100 * end for end in figures["interval"])
        text = (
            f"{name}: 95 % interval {low:.1f} to {high:.1f} (bootstrap over test edges)"
        )
        if figures.get("sampling_error") is not None:
            text += (
                f"; from {figures['negatives']} sampled negatives an edge, whose own "
                f"error is {100 * figures['sampling_error']:.2f}"
            )
        told.append(tag("li", text))
    return tag("ul", *told, class_="note")
