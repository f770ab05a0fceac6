"""Formats a table of texts as Markdown and as LaTeX."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from cane_gane.data.lines import printable

_LATEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "%": r"\%", "&": r"\&",
    "#": r"\#", "_": r"\_", "$": r"\$", "^": r"\^{}", "~": r"\~{}",
    "±": r"$\pm$", "↓": r"$\downarrow$",
    "↑": r"$\uparrow$", "†": r"$\dagger$", "–": "--", "…": r"\ldots{}",
}  # fmt: skip


@dataclass(frozen=True)
class Layout:
    """A table whose cells are texts.

    Attributes:
        caption: What it shows.
        header: The heading of each column; the first column names rows.
        groups: Rows, in groups that a line separates if the format has one.
        notes: The meaning of its marks, one line each.
    """

    caption: str
    header: Sequence[str]
    groups: Sequence[Sequence[Sequence[str]]]
    notes: Sequence[str] = ()

    def markdown(self) -> str:
        """Returns the table in Markdown: caption, table, notes."""
        rows = [row for group in self.groups for row in group]
        table = markdown_table(self.header, rows)
        notes = map(markdown_text, self.notes)
        return "\n\n".join([f"**{markdown_text(self.caption)}**", table, *notes])

    def latex(self) -> str:
        """Returns the table as a LaTeX `table` that needs no package."""

        def line(cells: Sequence[str]) -> str:
            return " & ".join(map(_latex, cells)) + r" \\"

        body = [
            text
            for group in self.groups
            if group
            for text in (*map(line, group), r"\hline")
        ]
        columns = "l" + "r" * (len(self.header) - 1)
        notes = [rf"\par {_latex(note)}" for note in self.notes]
        return "\n".join(
            [
                r"\begin{table}", r"\centering", rf"\caption{{{_latex(self.caption)}}}",
                rf"\begin{{tabular}}{{{columns}}}", r"\hline", line(self.header),
                r"\hline", *body, r"\end{tabular}", r"\footnotesize", *notes,
                r"\end{table}",
            ]
        )  # fmt: skip


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Returns a table in Markdown, with figures right-aligned."""
    head, *body = (map(markdown_text, line) for line in (header, *rows))
    align = ["---", *["---:"] * (len(header) - 1)]
    return "\n".join(f"| {' | '.join(line)} |" for line in (head, align, *body))


def markdown_text(text: str) -> str:
    """Escapes a text so that Markdown reads neither HTML nor markup in it."""
    return re.sub(r"([\\`*_\[\]|])", r"\\\1", html.escape(printable(text), quote=False))


def _latex(text: str) -> str:
    return "".join(_LATEX.get(letter, letter) for letter in printable(text))
