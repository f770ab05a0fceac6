"""Pages in one file that open from disk: templates filled in, all text escaped."""

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
        text: What it says.
        below: What it is below, for a figure that is red.
        href: What it is a link to.
        kind: How it looks: `bad`, `good`, `soft` or plain; `bad` where it is below.
        value: What it is sorted by, where that is not the first number of its text.
    """

    text: str
    below: str = ""
    href: str = ""
    kind: str = ""
    value: float | None = None


def link(path: Path, home: Path) -> str:
    """Returns the address of a file for a page in the folder `home`.

    It begins with `./`, so that no name of a folder can be taken for a scheme.
    """
    return f"./{quote(os.fsencode(os.path.relpath(path, home)))}"


def memory_text(size: int | None) -> str:
    """Returns bytes as a person would say them; a dash where they are not known."""
    return "–" if size is None else f"{size / 2**20:,.0f} MB"


def time_text(seconds: float | None) -> str:
    """Returns a time as a person would say it; a dash where it is not known."""
    return "–" if seconds is None else duration(seconds)


def write_page(template: str, path: Path, **values: Any) -> None:
    """Writes a page whole.

    Args:
        template: A file of `templates/`.
        path: The file.
        **values: What the template is filled with.
    """
    # A section adds itself to `contents`, which becomes the links at the top.
    text = _PAGES.get_template(template).render(**values, contents=[])
    write_atomically(path, text.encode(errors="replace"))


def _cells(value: object) -> list[Cell]:
    """Returns what is in a cell of a table: a text, a `Cell` or several of them."""
    if isinstance(value, list):
        return value or [Cell("")]
    return [value if isinstance(value, Cell) else Cell(str(value))]


def picture(content: bytes) -> str:
    """Returns an SVG as an address that a page shows from itself."""
    return f"data:image/svg+xml;base64,{base64.b64encode(content).decode()}"


def _digest(text: str) -> str:
    """Returns the digest by which a page allows its own script, and no other."""
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
