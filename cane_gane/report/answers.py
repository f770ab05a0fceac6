"""Formats answers of a run: as text for a terminal, as rows, and for a notebook."""

from __future__ import annotations

import csv
import html
import io
import shutil
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

from cane_gane.data.lines import printable
from cane_gane.serving.answers import Explanation, Node, Pair, Part, Suggestion

WIDE = 118  # columns of a line if the terminal's width is unknown
_BAR = 24  # columns of the longest bar
_LEAST = 16  # least number of columns for a text


class Suggestions(list[Suggestion]):
    """Answers of `recommend` or `search`, which print as a table.

    Attributes:
        asked: The node or text that was asked about.
    """

    def __init__(self, asked: Node, found: Iterable[Suggestion]) -> None:
        """Takes what was asked, a node or a text, and the answers."""
        super().__init__(found)
        self.asked = asked

    def __str__(self) -> str:
        return suggestions_text(self.asked, self)

    def _repr_html_(self) -> str:
        header = ("", "probability", "score", "node", "labels", "text", "matched words")
        rows = [
            (
                str(rank),
                _percent(own.probability),
                f"{own.score:.2f}",
                own.node.name,
                " ".join(own.node.labels),
                _start(own.node.text, 80),
                _word_list(own.words),
            )
            for rank, own in enumerate(self, 1)
        ]
        return html_table(title_of(self.asked), header, rows)


def html_table(
    caption: str, header: Sequence[str], rows: Iterable[Sequence[str]]
) -> str:
    """Returns a table for a notebook, all texts escaped."""

    def line(cells: Sequence[str], tag: str) -> str:
        inner = "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells)
        return f"<tr>{inner}</tr>"

    body = "".join(line(row, "td") for row in rows)
    return (
        f"<table><caption>{html.escape(caption)}</caption>"
        f"<thead>{line(header, 'th')}</thead><tbody>{body}</tbody></table>"
    )


def title_of(node: Node) -> str:
    """Returns the title of a node or a text, on one line."""
    return printable(node.name) if node.id >= 0 else f"“{_start(node.text, 80)}”"


def suggestions_text(asked: Node, found: Sequence[Suggestion]) -> str:
    """Formats suggestions for a terminal: two lines each, aligned."""
    head = title_of(asked)
    if asked.id >= 0 and asked.text.split():
        head += f": {_start(asked.text, 80)}"
    if not found:
        return f"{head}\n  no suggestion"
    calibrated = any(own.probability is not None for own in found)
    labelled = any(own.node.labels for own in found)
    columns = ["", *(["probability"] if calibrated else []), "score", "node"]
    columns += [*(["label"] if labelled else []), "text"]
    rows = [
        [
            str(rank),
            *([_percent(own.probability)] if calibrated else []),
            f"{own.score:.2f}",
            _cut(printable(own.node.name), 44),
            *([_cut(" ".join(own.node.labels), 20)] if labelled else []),
            _start(own.node.text, 200),
        ]
        for rank, own in enumerate(found, 1)
    ]
    right = 3 if calibrated else 2
    lines = aligned([columns, *rows], right, _columns())
    shown = [head, lines[0]]
    for own, line in zip(found, lines[1:], strict=True):
        shown.append(line)
        notes = [_part_list(own.parts), _word_list(own.words)]
        note = "; ".join(filter(None, notes))
        if note:
            shown.append(_cut(f"      {note}", _columns()))
    return "\n".join(shown)


def explanation_text(found: Explanation) -> str:
    """Formats an explanation for a terminal: parts and matched words, with bars."""
    lines = [f"{title_of(found.source)} → {title_of(found.target)}"]
    probability = _percent(found.probability)
    chance = f", probability {probability}" if found.probability is not None else ""
    lines += [f"score {found.score:.2f}{chance}", ""]
    most = max((abs(part.value) for part in found.parts), default=1) or 1
    rows = [
        [part.title, f"{part.value:+.2f}", _bar(part.value / most)]
        for part in found.parts
    ]
    rows = [["parts of the score", "adds", ""], *rows]
    rows.append(["score", f"{found.score:+.2f}", ""])
    lines += aligned(rows, 0, _columns(), numbers=(1,))
    if found.words:
        most = found.words[0].weight and max(pair.weight for pair in found.words)
        words = [
            [
                printable(pair.source),
                printable(pair.target),
                f"{100 * pair.weight:.2f} %",
                _bar(pair.weight / most),
            ]
            for pair in found.words
        ]
        head = [_side(found.source), _side(found.target), "weight", ""]
        lines += ["", "matched words, rare ones first"]
        lines += aligned([head, *words], 0, _columns(), numbers=(2,))
    return "\n".join(lines)


def csv_rows(asked: Node, found: Sequence[Suggestion]) -> list[dict[str, Any]]:
    """Returns suggestions as rows of a CSV file."""
    return [
        {
            "source": asked.name or asked.text,
            "rank": rank,
            "id": own.node.id,
            "name": own.node.name,
            "probability": "" if own.probability is None else f"{own.probability:.6g}",
            "score": f"{own.score:.6g}",
            "labels": " ".join(own.node.labels),
            "words": _word_list(own.words),
            "parts": " ".join(f"{part.name}={part.value:.4g}" for part in own.parts),
            "text": own.node.text,
        }
        for rank, own in enumerate(found, 1)
    ]


def csv_text(rows: Sequence[dict[str, Any]], header: bool = True) -> str:
    """Returns rows with the same keys as CSV; an empty text without rows."""
    if not rows:
        return ""
    file = io.StringIO()
    writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
    if header:
        writer.writeheader()
    writer.writerows(rows)
    return file.getvalue()


def aligned(
    rows: Sequence[Sequence[str]], right: int, most: int, numbers: Sequence[int] = ()
) -> list[str]:
    """Returns rows as lines whose columns are aligned.

    Args:
        rows: The cells of each row.
        right: How many columns, from the first, are right-aligned.
        most: The width of a line; the last cell is cut to fit.
        numbers: Other columns that are right-aligned.
    """
    widths = [max(map(_width, column)) for column in zip(*rows, strict=True)]
    left = sum(widths[:-1]) + 2 * len(widths)
    widths[-1] = min(widths[-1], max(_LEAST, most - left))
    lines = []
    for row in rows:
        cells = []
        for place, (cell, width) in enumerate(zip(row, widths, strict=True)):
            text = _cut(cell, width)
            room = " " * (width - _width(text))
            ends = place < right or place in numbers
            cells.append(room + text if ends else text + room)
        lines.append("  " + "  ".join(cells).rstrip())
    return lines


def _columns() -> int:
    return shutil.get_terminal_size((WIDE, 24)).columns


def _width(text: str) -> int:
    """Returns how many columns a terminal needs for a text."""
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in text)
    return len(text) + wide - sum(map(bool, map(unicodedata.combining, text)))


def _cut(text: str, most: int) -> str:
    if _width(text) <= most:
        return text
    while text and _width(text) > most - 1:
        text = text[:-1]
    return text.rstrip() + "…"


def _start(text: str, most: int) -> str:
    return _cut(printable(" ".join(text[: 4 * most].split())), most)


def _side(node: Node) -> str:
    return _cut(title_of(node), 40)


def _percent(value: float | None) -> str:
    if value is None:
        return ""
    if value >= 0.995:  # the explorer rounds in the same way
        return "> 99.9 %" if value >= 0.9995 else "> 99 %"
    if value < 0.001:
        return "< 0.1 %"
    return f"{100 * value:.0f} %" if value >= 0.0995 else f"{100 * value:.1f} %"


def _word_list(words: Sequence[Pair]) -> str:
    """Returns matched words, each pair once."""
    shown = (
        pair.source if pair.source == pair.target else f"{pair.source}~{pair.target}"
        for pair in words
    )
    return ", ".join(map(printable, dict.fromkeys(shown)))


def _part_list(parts: Sequence[Part]) -> str:
    """Returns the most important parts, largest first."""
    telling = [part for part in parts if part.name not in ("typical", "score")]
    best = sorted(telling, key=lambda part: -abs(part.value))[:3]
    return ", ".join(f"{part.title} {part.value:+.1f}" for part in best)


def _bar(share: float) -> str:
    """Returns a bar whose length is a share; a light one for a share below 0."""
    return ("█" if share > 0 else "░") * max(share != 0, round(_BAR * abs(share)))
