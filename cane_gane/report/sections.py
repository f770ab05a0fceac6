"""The smaller parts of a run's page, each from one of the run's own files."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from cane_gane.config import PRESETS, Config
from cane_gane.report import paper
from cane_gane.report.markup import Markup, escape, facts, join, more, table, tag
from cane_gane.report.tables import percent


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
