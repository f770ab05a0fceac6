"""The part of a page on matched words: a pair's plan beside WANE's attention."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cane_gane.report.markup import Markup, data, side_by_side, tag
from cane_gane.report.tables import percent

Pair = Mapping[str, Any]

WORDS = 40  # words of a text that a heat map shows


def titles(pair: Pair, variant: str) -> dict[str, str]:
    """Returns the title of each heat map of a pair, its sparsity included.

    Args:
        pair: `pair` of examples.json.
        variant: The model's variant. WANE's own map needs no other beside it.

    Returns:
        The titles by the key that the weights have in `pair`.
    """
    names = {"ap": "transport plan", "ot": "transport plan", "cane": "CANE's attention"}
    shown = {"plan": names.get(variant, "WANE's attention")}
    if pair["attention"] is not None and variant != "wane":
        shown["attention"] = "WANE's rule"
    return {
        key: f"{name}: {percent(pair[f'{key}_share'])} % of the weight in the top "
        f"{pair['entries']}"
        for key, name in shown.items()
    }


def blocks(pair: Pair, variant: str) -> list[object]:
    """Builds the section: what the pair is, its heat maps, and how to read them."""
    maps = [
        {
            "id": f"heat-{key}",
            "title": title,
            "rows": pair["source_words"][:WORDS],
            "columns": pair["target_words"][:WORDS],
            "weights": [row[:WORDS] for row in pair[key][:WORDS]],
        }
        for key, title in titles(pair, variant).items()
    ]
    return [
        f"{pair['names'][0]} (rows) and {pair['names'][1]} (columns), score "
        f"{pair['score']:.2f}: of the 20 shortest test pairs, the one that the model "
        "scores highest. Point at a cell to see its words and weight.",
        side_by_side(*(_heat_map(own["id"], own["title"]) for own in maps)),
        _note(pair, variant),
        data("heat-maps", maps),
    ]


def _heat_map(identifier: str, title: str) -> Markup:
    return tag(
        "div",
        tag("h3", title),
        tag("output", hidden=True),
        tag("div", class_="scroll", tabindex=0),
        class_="heat",
        id=identifier,
    )


def _note(pair: Pair, variant: str) -> Markup:
    n, m = len(pair["source_words"]), len(pair["target_words"])
    notes = [
        f"An optimal plan of {n} and {m} words needs no more than {pair['entries']} "
        "entries, so the share of weight in that many tells how sparse a map is. Each "
        "map sums to 1; its strongest cell is its largest."
    ]
    if "attention" in titles(pair, variant):
        notes.append(
            "The second is no trained WANE: it is WANE's rule, a softmax over inner "
            "products, on this model's word vectors."
        )
    if max(n, m) > WORDS:
        notes.append(f"Shown are the first {WORDS} words of each text.")
    if pair["on_padding"] > 0.001:
        notes.append(
            f"{percent(pair['on_padding'])} % of the model's weight was on padding."
        )
    return tag("p", " ".join(notes), class_="note")
