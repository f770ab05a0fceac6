"""A table of texts as Markdown and as LaTeX."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_LATEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "%": r"\%", "&": r"\&",
    "#": r"\#", "_": r"\_", "$": r"\$", "^": r"\^{}", "~": r"\~{}",
    "±": r"$\pm$", "↓": r"$\downarrow$", "†": r"$\dagger$", "–": "--", "…": r"\ldots{}",
}  # fmt: skip


@dataclass(frozen=True)
class Layout:
    """A table whose cells are texts.

    Attributes:
        caption: What it shows.
        header: What stands above each column; the first one names rows.
        groups: Rows, in groups that a line keeps apart where the format has one.
        notes: What its marks mean, a line each.
    """

    caption: str
    header: Sequence[str]
    groups: Sequence[Sequence[Sequence[str]]]
    notes: Sequence[str] = ()

    def markdown(self) -> str:
        """Returns it in Markdown: caption, table, notes."""
        rows = [row for group in self.groups for row in group]
        align = ["---", *["---:"] * (len(self.header) - 1)]
        lines = [
            " | ".join(cell.replace("|", "\\|") for cell in line)
            for line in (self.header, align, *rows)
        ]
        table = "\n".join(f"| {line} |" for line in lines)
        return "\n\n".join([f"**{self.caption}**", table, *self.notes])

    def latex(self) -> str:
        """Returns it as a `table` of LaTeX that needs no package."""

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


def _latex(text: str) -> str:
    return "".join(_LATEX.get(letter, letter) for letter in text)
