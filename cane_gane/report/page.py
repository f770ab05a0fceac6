"""Single-file pages that open from disk: fills in templates, escapes all text."""

from __future__ import annotations

import base64
import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from cane_gane.evaluation.show import percent
from cane_gane.files import write_atomically
from cane_gane.progress import duration
from cane_gane.report import titles
from cane_gane.report.assets import scripts, styles
from cane_gane.report.inline import inline


@dataclass(frozen=True)
class Cell:
    """A cell of a table that is more than a text.

    Attributes:
        text: Its text.
        below: What scores higher, for a figure that is red.
        href: The target of its link.
        kind: Its style: `bad`, `good`, `soft` or plain; `bad` if `below` is set.
        value: The value to sort by, if that is not the first number of its text.
    """

    text: str
    below: str = ""
    href: str = ""
    kind: str = ""
    value: float | None = None


def link(path: Path, home: Path) -> str:
    """Returns the address of a file for a page in the folder `home`.

    It begins with `./`, so that a folder's name cannot be read as a URL scheme.
    """
    return f"./{quote(os.fsencode(os.path.relpath(path, home)))}"


def memory_text(size: int | None) -> str:
    """Returns a size of memory for readers; a dash if it is unknown."""
    return "–" if size is None else f"{size / 2**20:,.0f} MB"


def time_text(seconds: float | None) -> str:
    """Returns a duration for readers; a dash if it is unknown."""
    return "–" if seconds is None else duration(seconds)


def write_page(template: str, path: Path, **values: Any) -> None:
    """Writes a page.

    Args:
        template: A file of `templates/`.
        path: The file.
        **values: The values for the template.
    """
    # A section adds itself to `contents`, which becomes the links at the top.
    text = _PAGES.get_template(template).render(**values, contents=[])
    write_atomically(path, text.encode(errors="replace"))


def _cells(value: object) -> list[Cell]:
    """Returns the content of a table cell (a text, a `Cell` or several) as cells."""
    if isinstance(value, list):
        return value or [Cell("")]
    return [value if isinstance(value, Cell) else Cell(str(value))]


def picture(content: bytes) -> str:
    """Returns an SVG as a data URL."""
    return f"data:image/svg+xml;base64,{base64.b64encode(content).decode()}"


def _digest(text: str) -> str:
    """Returns the digest by which a page allows its own script and no other."""
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


_TEMPLATES = Path(__file__).resolve().parent / "templates"
_PAGES = Environment(
    loader=FileSystemLoader(_TEMPLATES),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_PAGES.policies["json.dumps_kwargs"] = {"ensure_ascii": False}
_PAGES.globals |= {
    "time_text": time_text,
    "memory_text": memory_text,
    "scripts": scripts,
    "styles": styles,
}
_PAGES.filters |= {
    "cells": _cells,
    "inline": inline,
    "digest": _digest,
    "count": "{:,}".format,
    "percent": percent,
    "protocol_title": titles.protocol_title,
}
