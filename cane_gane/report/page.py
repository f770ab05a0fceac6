"""A page in one file: title, contents, sections; no network, opens from disk."""

from __future__ import annotations

from pathlib import Path
from string import Template

from cane_gane.files import write_atomically
from cane_gane.report.markup import Markup, escape, join, tag

_HOME = Path(__file__).resolve().parent

_PAGE = Template("""\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>$title</title>
<link rel="icon" href="data:,">
<style>
$style</style>
</head>
<body>
<header>
<h1>$title</h1>
$subtitle
$contents
</header>
<main>
$sections
</main>
$scripts
</body>
</html>
""")


class Page:
    """A page that grows by sections.

    Example:
        >>> page = Page("Two runs", "cora, 55 % of the edges")
        >>> page.section("auc", "AUC", table(("", "AUC"), [("ap", "96.5")]))
        >>> page.write(Path("report.html"))
    """

    def __init__(self, title: str, subtitle: object = None) -> None:
        """Takes the title, and a line below it."""
        self._title = title
        self._subtitle = subtitle
        self._sections: list[tuple[str, str, Markup]] = []
        self._scripts: list[str] = []

    def section(self, identifier: str, heading: str, *blocks: object) -> None:
        """Adds a section.

        Args:
            identifier: Its id, for links to it.
            heading: Its heading.
            *blocks: What is in it: text, which becomes paragraphs, or `Markup`.
        """
        body = join(b if isinstance(b, Markup) else tag("p", b) for b in blocks if b)
        self._sections.append((identifier, heading, body))

    def script(self, name: str) -> None:
        """Adds a script of this package, once."""
        text = (_HOME / name).read_text(encoding="utf-8")
        if text not in self._scripts:
            self._scripts.append(text)

    def html(self) -> str:
        """Returns the whole page."""
        links = (
            tag("a", heading, href=f"#{name}") for name, heading, _ in self._sections
        )
        sections = (
            tag("section", tag("h2", heading), body, id=name)
            for name, heading, body in self._sections
        )
        return _PAGE.substitute(
            title=escape(self._title),
            subtitle=tag("p", self._subtitle, class_="subtitle"),
            style=(_HOME / "style.css").read_text(encoding="utf-8"),
            contents=tag("nav", *links, aria_label="Contents"),
            sections=join(sections, "\n"),
            scripts="\n".join(f"<script>\n{text}</script>" for text in self._scripts),
        )

    def write(self, path: Path) -> None:
        """Writes the page whole."""
        write_atomically(path, self.html().encode())
