"""The documents of the project, and the blocks of code in them."""

from __future__ import annotations

import re

from tests.conftest import ROOT

PAGES = sorted(
    [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), ROOT / "datasets/README.md"]
)
NAMES = [str(page.relative_to(ROOT)) for page in PAGES]
CURRENT = [name for name in NAMES if name != "CHANGELOG.md"]  # it names the past

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: str, language: str) -> list[str]:
    """Returns the fenced blocks of a page that are marked with a language."""
    return [body for kind, body in _FENCE.findall(text_of(page)) if kind == language]


def code_of(page: str) -> str:
    """Returns the Python of a page, each line with its number in the page."""
    kept = []
    python = False
    for line in text_of(page).splitlines():
        python = python and line != "```"
        kept.append(line if python else "")
        python = python or line == "```python"
    return "\n".join(kept)


def prose_of(page: str) -> str:
    """Returns a page without its fenced blocks."""
    return _FENCE.sub("", text_of(page))


def tries_of(test: str) -> dict[str, int]:
    """Returns what docs/reliability.md says that a test tries, and how often."""
    rows = (
        line.strip("| ").split(" | ")
        for line in text_of("docs/reliability.md").splitlines()
    )
    return {
        row[0]: int(row[1].replace(",", ""))
        for row in rows
        if len(row) == 3 and f"`{test}`" in row[2]
    }


def text_of(page: str) -> str:
    """Returns the text of a page."""
    return (ROOT / page).read_text(encoding="utf-8")
