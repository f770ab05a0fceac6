"""The sections of a run's page, each from the run's own files."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from cane_gane.config import PRESETS, Config
from cane_gane.report import paper
from cane_gane.report.markup import (
    Markup,
    escape,
    facts,
    join,
    more,
    table,
    tag,
)
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


def settings(record: Mapping[str, Any]) -> Markup:
    """Builds the settings: what was chosen, and all of them."""
    chosen = record["settings"]
    preset = PRESETS.get(chosen.get("preset", "best"), {})
    usual = {field.name: field.default for field in dataclasses.fields(Config)} | {
        **preset
    }
    main = ("dataset", "ratio", "variant", "preset", "seed")
    shown = [(key, chosen[key]) for key in main if key in chosen]
    changed = [
        (key, value)
        for key, value in chosen.items()
        if key not in main and key in usual and usual[key] != value
    ]
    versions = record.get("versions", {}).items()
    return join(
        [
            tag("pre", record.get("command", "")),
            facts([*shown, *changed]),
            more("All settings", facts(chosen.items())),
            more(
                "Versions and data",
                facts([*versions, ("commit", record.get("commit") or "unknown")]),
                table(("file", "SHA-256"), record.get("data", {}).items()),
            ),
        ]
    )


def data_report(data: Mapping[str, Any]) -> Markup:
    """Builds what `inspect` tells of the network."""
    edges, texts, labels = data["edges"], data["texts"], data["labels"]
    words = texts["words"]
    rows = [
        ("nodes", f"{data['nodes']:,}"),
        ("edges", f"{edges['lines']:,}"),
        ("unique pairs", f"{edges['unique_pairs']:,}"),
        ("reversed pairs", f"{edges['reversed_pairs']:,}"),
        ("self-loops", f"{edges['self_loops']:,}"),
        ("duplicates", f"{edges['duplicates']:,}"),
        ("nodes without an edge", f"{edges['isolated_nodes']:,}"),
        (
            "words a text",
            f"{words['mean']:,} ({words['minimum']} to {words['maximum']})",
        ),
        ("texts cut", f"{texts['cut']:,} over {texts['max_length']:,} words"),
        ("empty texts", f"{texts['empty']:,}"),
        ("vocabulary", f"{texts['vocabulary']:,} words"),
    ]
    if labels is None:
        return facts([*rows, ("labels", "none")])
    rows += [
        ("labels", f"{len(labels['counts'])}, {labels['task']}"),
        ("nodes without a label", f"{labels['nodes_without']:,}"),
    ]
    most = max(labels["counts"].values(), default=1)
    bars = [
        (name, f"{count:,}", tag("td", bar(count / most), class_="text"))
        for name, count in list(labels["counts"].items())[:20]
    ]
    return join(
        [facts(rows), more("Nodes of each label", table(("label", "nodes", ""), bars))]
    )


def bar(share: float) -> Markup:
    """Builds a bar, up to eight ems long."""
    return tag("span", class_="bar", style=f"width: {8 * share:.2f}em")


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
        "Places among all negatives. The pair score is not here: it would have to score "
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


def classification_table(
    scores: Mapping[str, Any], published: Mapping[str, float]
) -> Markup:
    """Builds Macro-F1 and Micro-F1 by the share of labels."""
    rows = [
        (
            f"{100 * float(ratio):.0f} % ({own['train']:,} nodes)",
            percent(own["macro_f1"], own["std"]["macro_f1"]),
            percent(own["micro_f1"], own["std"]["micro_f1"]),
            *(
                [f"{published[ratio]:.1f}" if ratio in published else "–"]
                if published
                else []
            ),
        )
        for ratio, own in scores.items()
    ]
    head = ["labels for training", "Macro-F1, %", "Micro-F1, %"]
    return table([*head, "paper, Macro-F1"] if published else head, rows)


def edge_list(edges: Sequence[Mapping[str, Any]]) -> Markup:
    """Builds the best missing edges, with their texts and matched words."""
    return tag("ol", *map(_edge, edges), class_="edges")


def _edge(edge: Mapping[str, Any]) -> Markup:
    sides = zip(edge["names"], edge["texts"], (0, 1), strict=True)
    return tag(
        "li",
        tag("span", f"score {edge['score']:.2f}", class_="score"),
        tag(
            "div",
            *(
                tag(
                    "p",
                    tag("strong", name),
                    " ",
                    _marked(text, {w[at] for w in edge["words"]}),
                )
                for name, text, at in sides
            ),
            class_="texts",
        ),
        tag(
            "ul",
            *(tag("li", f"{a} ↔ {b}" if a != b else a) for a, b, _ in edge["words"]),
            class_="chips",
        ),
    )


def _marked(text: str, words: set[str], limit: int = 60) -> Markup:
    """Returns the start of a text with its matched words marked."""
    parts = text.split()
    shown = [
        tag("mark", part)
        if part.strip(".,;:()[]\"'`").lower() in words
        else escape(part)
        for part in parts[:limit]
    ]
    return join([join(shown, " "), " …" if len(parts) > limit else ""])


def times(time: Mapping[str, Any]) -> Markup:
    """Builds the parts of the run, slowest first."""
    parts = sorted(time["parts"].items(), key=lambda item: -item[1])
    most = max((seconds for _, seconds in parts), default=1) or 1
    rows = [
        (part, duration(s), tag("td", bar(s / most), class_="text"))
        for part, s in parts
    ]
    slowest = (
        f"The slowest part: {parts[0][0]}, {duration(parts[0][1])}." if parts else ""
    )
    return join([tag("p", slowest), table(("part", "time", ""), rows)])


def duration(seconds: float) -> str:
    """Returns a time as a person would say it."""
    if seconds < 90:
        return f"{seconds:.1f} s"
    if seconds < 5400:
        return f"{seconds / 60:.1f} min"
    return f"{seconds / 3600:.1f} h"


def published_note(dataset: str, variant: str, ratio: float) -> str:
    """Says what the paper has for the same data, model and ratio."""
    found = paper.auc(dataset, variant, ratio)
    if found is None:
        return ""
    return (
        f"The paper's {paper.NAMES[variant]} has {found:.1f} at this ratio. It does "
        "not tell its negatives; the figures here are those of upstream's protocol."
    )
