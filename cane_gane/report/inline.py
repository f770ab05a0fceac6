"""Embeds matplotlib's SVGs in a page, in its fonts and colours, dark or light."""

from __future__ import annotations

import hashlib
import re
from xml.etree import ElementTree

from markupsafe import Markup

from cane_gane.report.figures import COLOURS, EDGE, GREY, GRID, PALE, Drawn

_SCALE = 4 / 3  # pixels of a point
# The variables of colours.css; matplotlib's black becomes the ink colour.
_VARIABLES = {
    **{own.lower(): f"--group-{place}" for place, own in enumerate(COLOURS)},
    "#000000": "--ink",
    "#ffffff": "--paper",
    GREY: "--soft",
    EDGE: "--soft",
    PALE: "--pale",
    GRID: "--line",
}
_LEFT_OUT = ("metadata", "style")


def inline(drawn: Drawn) -> Markup:
    """Returns a figure for a page, with a description for those who cannot see it."""
    root = ElementTree.fromstring(drawn.svg)
    prefix = f"f{hashlib.sha256(drawn.svg).hexdigest()[:8]}-"
    known = {own.attrib["id"] for own in root.iter() if "id" in own.attrib}
    _simplify(root, prefix, known & {*re.findall(r"#([\w-]+)", drawn.svg.decode())})
    _, _, width, _ = root.attrib["viewBox"].split()
    root.attrib = {
        "viewBox": root.attrib["viewBox"],
        "role": "img",
        "aria-label": drawn.alt,
        "style": f"max-width: {float(width) * _SCALE:.0f}px",
    }
    text = ElementTree.tostring(root, "unicode", short_empty_elements=False)
    return Markup(text)


def _simplify(element: ElementTree.Element, prefix: str, used: set[str]) -> None:
    """Adapts an element and its children to the page."""
    element.tag = element.tag.rpartition("}")[2]
    for name in list(element.attrib):
        value = element.attrib.pop(name)
        if name == "id" and value not in used:
            continue
        for own in used:
            value = re.sub(rf"(^|#){own}\b", rf"\g<1>{prefix}{own}", value)
        element.attrib[name.rpartition("}")[2]] = _coloured(value)
    for child in list(element):
        if child.tag.rpartition("}")[2] in _LEFT_OUT:
            element.remove(child)
        else:
            _simplify(child, prefix, used)


def _coloured(value: str) -> str:
    """Returns an attribute with variables for colours and without font families."""
    value = re.sub(r"font-family:[^;]*;? ?", "", value)
    value = re.sub(r"(font: [^';]*?px) [^;]*", r"\1 system-ui, sans-serif", value)

    def variable(found: re.Match[str]) -> str:
        name = _VARIABLES.get(found[0].lower())
        return f"var({name})" if name else found[0]

    return re.sub(r"#[0-9a-fA-F]{6}\b", variable, value)
