"""Scripts and styles that are embedded in pages, and that the explorer serves.

A script is a JavaScript module. A page has no address to load modules from, so it gets
all of them as one script: each once, after the modules that it imports.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from markupsafe import Markup

STATIC = Path(__file__).resolve().parent / "static"
_IMPORT = re.compile(r'^import \{[^}]*\} from "\./([\w.]+)";\n', re.MULTILINE)


def scripts(*names: str) -> Markup:
    """Returns modules and all their imports as one script."""
    done: dict[str, str] = {}
    for name in names:
        _add(name, done)
    body = "\n".join(done.values())
    return Markup(f'"use strict";\n(() => {{\n{body}}})();\n')


def styles(*names: str) -> Markup:
    """Returns style sheets one after another."""
    return Markup("\n".join(map(_text, names)))


def _add(name: str, done: dict[str, str]) -> None:
    text = _text(name)
    for other in _IMPORT.findall(text):
        if other not in done:
            _add(other, done)
    done[name] = re.sub(r"^export ", "", _IMPORT.sub("", text), flags=re.MULTILINE)


@cache
def _text(name: str) -> str:
    return (STATIC / name).read_text(encoding="utf-8")


COLOURS = _text("colours.css")
