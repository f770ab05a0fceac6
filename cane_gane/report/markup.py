"""HTML built from plain values: text is escaped, markup is marked as such."""

from __future__ import annotations

import base64
import html
import json
from collections.abc import Iterable, Sequence
from typing import Any

_EMPTY = frozenset({"img", "br", "hr", "meta", "col"})


class Markup(str):
    """HTML that is written as it is; any other text is escaped."""


def escape(value: object) -> Markup:
    """Returns a value as HTML: `Markup` unchanged, text escaped, None as nothing."""
    if isinstance(value, Markup):
        return value
    return Markup("" if value is None else html.escape(str(value)))


def join(parts: Iterable[object], between: str = "") -> Markup:
    """Joins values, each escaped as `escape` does."""
    return Markup(between.join(map(escape, parts)))


def tag(name: str, *children: object, **attributes: object) -> Markup:
    """Builds an element: `tag("p", "a < b", class_="note")`.

    Args:
        name: The element's name.
        *children: What is in it; text is escaped, `Markup` is not.
        **attributes: Its attributes. A trailing underscore is dropped, others
            become hyphens; None and False leave an attribute out, True gives it no
            value.

    Returns:
        The element.
    """
    written = "".join(
        f" {key.rstrip('_').replace('_', '-')}"
        + ("" if value is True else f'="{html.escape(str(value))}"')
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    if name in _EMPTY:
        return Markup(f"<{name}{written}>")
    return Markup(f"<{name}{written}>{join(children)}</{name}>")


def table(
    header: Sequence[object], rows: Iterable[Sequence[object]], caption: object = None
) -> Markup:
    """Builds a table that scrolls sideways where the window is narrow.

    The first column names the row; the others are set to the right.

    Args:
        header: What stands above each column.
        rows: The cells of each row; `Markup` made by `tag("td", …)` is a cell as it
            is, anything else is put into one.
        caption: What the table shows.

    Returns:
        The table.
    """

    def cell(value: object, first: bool) -> Markup:
        if isinstance(value, Markup) and value.startswith(("<td", "<th")):
            return value
        return tag("th", value, scope="row") if first else tag("td", value)

    head = join(tag("th", value, scope="col") for value in header)
    body = join(
        tag("tr", *(cell(value, place == 0) for place, value in enumerate(row)))
        for row in rows
    )
    return tag(
        "div",
        tag(
            "table",
            tag("caption", caption) if caption is not None else "",
            tag("thead", tag("tr", head)),
            tag("tbody", body),
        ),
        class_="scroll",
        tabindex=0,
    )


def facts(pairs: Iterable[tuple[object, object]]) -> Markup:
    """Builds a list of names and values, in columns as wide as the window allows."""
    return tag(
        "dl",
        *(tag("div", tag("dt", name), tag("dd", value)) for name, value in pairs),
    )


def picture(content: bytes, alt: str, caption: object = None) -> Markup:
    """Builds a figure that carries its own SVG or PNG.

    Args:
        content: The file.
        alt: What it shows, for those who do not see it.
        caption: What stands below it.

    Returns:
        The figure.
    """
    kind = "png" if content.startswith(b"\x89PNG") else "svg+xml"
    source = f"data:image/{kind};base64,{base64.b64encode(content).decode()}"
    return tag(
        "figure",
        tag("img", src=source, alt=alt),
        tag("figcaption", caption) if caption is not None else "",
    )


def more(summary: object, *children: object) -> Markup:
    """Builds what is folded away until it is clicked."""
    return tag("details", tag("summary", summary), *children)


def side_by_side(*children: object) -> Markup:
    """Lays blocks out beside each other, or below where the window is narrow."""
    return tag("div", *children, class_="beside")


def data(identifier: str, content: Any) -> Markup:
    """Puts JSON into the page for a script to read."""
    # No `<` inside, or a text with </script> would end the block.
    text = json.dumps(content, ensure_ascii=False).replace("<", "\\u003c")
    return tag("script", Markup(text), type="application/json", id=identifier)
