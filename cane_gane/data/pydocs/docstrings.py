"""Reads a numpydoc docstring: its prose without markup, and the names it mentions."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

# A title counts as a section only if numpydoc knows it: notes have their own headings,
# and the head of a table looks like a title.
_PROSE = ("", "notes")
_DEFINING = ("parameters", "other parameters", "returns", "yields", "attributes")
_DROPPED = ("references", "examples", "example")
_OTHERS = ("notes", "see also", "methods", "raises", "warns", "warnings", "receives")
_SECTIONS = (*_DEFINING, *_DROPPED, *_OTHERS)
_ADMONITIONS = ("note", "warning", "caution", "important", "tip", "hint", "attention")
_OBJECT_ROLES = ("func", "class", "meth", "obj", "attr", "data", "exc")
_TEXT_ROLES = ("ref", "term", "doc", "mod", "any", "pep")

_UNDERLINE = re.compile(r"[-=]{3,}$")
_TABLE_RULE = re.compile(r"[-=]{2,}(\s+[-=]{2,})+$|\+[-=+]{3,}$|={4,}$")
_SIGNATURE = re.compile(r"[\w.]+\([^`]*\)(\s*->\s*[^`]+)?$", re.DOTALL)
_EXPLICIT = re.compile(r"\.\.(\s+(?P<directive>[\w:-]+)::)?(\s+(?P<rest>.*))?$")
_ENTRY = re.compile(
    r"(?::[\w:]+:)?`{0,2}[~.!]?(?P<name>[A-Za-z_][\w.]*)(?:\(\))?`{0,2}"
    r"\s*(?P<end>,|:|\band\b|$)\s*"
)
_LINK = r"https?://\S+|www\.\S+|\S+@\w\S+"
_NUMBER = r"\b\d[\d.]*e[+-]?\d+\b"
_CITATION = r"\[[\w#*.+-]+\]_|\|\w+\|_?"
_INLINE = re.compile(
    rf"(?::(?P<role>[\w:]+):)?(?P<ticks>``?)(?P<body>[^`]+)(?P=ticks)_{{0,2}}"
    rf"|(?P<junk>{_LINK}|{_CITATION}|{_NUMBER})"
    # Outside backticks, a word counts as a name only if it cannot be English.
    r"|(?P<bare>\b(?:[A-Za-z]\w*\.)+[A-Za-z]\w*|\b\w+_\w+\b|\b\w*[a-z]\w*[A-Z]\w*\b"
    r"|\b[A-Z]{2,}[a-z]\w*\b)"
)
_TITLED = re.compile(r"(?P<title>[^<]*?)\s*<(?P<target>[^>]+)>$", re.DOTALL)
_NAME = re.compile(r"[~.!]?(?P<name>[A-Za-z_][\w.]*)(?:\(\))?$")
_WORD = re.compile(r"[^\W_]+(?:['’_-][^\W_]+)*")


@dataclass(frozen=True)
class Docstring:
    """The parts of one docstring that the network needs.

    Attributes:
        paragraphs: Summary, extended summary and Notes, inline markup still in place.
        details: The other sections in the same form, except See Also, References and
            Examples. They mention names but are not part of the text.
        see_also: The entries of See Also, as written.
        own: Names that the docstring defines itself: parameters, results, attributes.
    """

    paragraphs: tuple[str, ...]
    details: tuple[str, ...]
    see_also: tuple[str, ...]
    own: frozenset[str]


def parse(docstring: str) -> Docstring:
    """Splits a docstring into its prose, its See Also entries and its own names."""
    paragraphs: list[str] = []
    details: list[str] = []
    see_also: list[str] = []
    own: set[str] = set()
    for title, lines in _sections(inspect.cleandoc(docstring).splitlines()):
        if title in _PROSE:
            paragraphs += _paragraphs(lines)
        elif title == "see also":
            see_also += _entries(lines)
        elif title not in _DROPPED:
            details += _paragraphs(lines)
        if title in _DEFINING:
            own |= _defined(lines)
    while paragraphs and _SIGNATURE.match(paragraphs[0]):
        del paragraphs[0]
    return Docstring(tuple(paragraphs), tuple(details), tuple(see_also), frozenset(own))


def plain(paragraph: str, find: Callable[[str], str | None]) -> tuple[str, list[str]]:
    """Turns a paragraph into lower-case words without the names of nodes.

    A name in backticks or in a role is a mention, and so is a dotted name in code. The
    name of a node is removed from the text, marked up or not, so that the words do not
    reveal the edge.

    Args:
        paragraph: Prose with inline markup.
        find: Returns the node that a name, as written, stands for, or None.

    Returns:
        The words, separated by single spaces, and the nodes mentioned, in order.
    """
    mentions: list[str] = []

    def replace(match: re.Match[str]) -> str:
        if match["junk"]:
            return " "
        if match["bare"]:
            return " " if find(match["bare"]) else match["bare"]
        name, words = _read_markup(match["role"], match["body"])
        if name and (node := find(name)):
            # One word of code, such as ``full``, is usually the value of an option.
            if match["ticks"] == "`" or "." in name:
                mentions.append(node)
            return " "
        return f" {words} " if len(words) > 1 else " "

    text = _INLINE.sub(replace, paragraph).lower()
    return " ".join(word for word in _WORD.findall(text) if _is_word(word)), mentions


def _is_word(word: str) -> bool:
    """Whether this is a word, not a number or a letter of a formula."""
    return word == "a" or (len(word) > 1 and any(letter.isalpha() for letter in word))


def _read_markup(role: str | None, body: str) -> tuple[str | None, str]:
    """Returns the name that inline markup may stand for, and its plain words."""
    titled = _TITLED.match(body)
    words, target = (titled["title"], titled["target"]) if titled else (body, body)
    kind = role.rsplit(":", 1)[-1].lower() if role else ""
    if kind in _TEXT_ROLES:
        # A bare label such as `dev-arrayapi` is an address, not a phrase.
        return None, words if titled or kind in ("term", "mod") else ""
    if kind and kind not in _OBJECT_ROLES:
        return None, ""
    name = _NAME.match(target.strip())
    if titled:
        return (name["name"] if name else None), words
    if name:
        return name["name"], name["name"].rsplit(".", 1)[-1]
    # Code is not prose, but a quoted word or a phrase of words is.
    phrase = body.strip("'\" \n")
    return None, phrase if re.fullmatch(r"[\w\s-]+", phrase) else ""


def _sections(lines: list[str]) -> Iterator[tuple[str, list[str]]]:
    """Yields each section's lower-case title ("" for the summary) and its lines."""
    title, start = "", 0
    for index in range(len(lines) - 1):
        found = lines[index].strip().lower()
        if found in _SECTIONS and _UNDERLINE.match(lines[index + 1].strip()):
            yield title, lines[start:index]
            title, start = found, index + 2
    yield title, lines[start:]


def _paragraphs(lines: Iterable[str]) -> list[str]:
    """Joins lines of prose into paragraphs, without tables, code and directives."""
    blocks = map(str.strip, "\n".join(_prose_lines(lines)).split("\n\n"))
    return [block for block in filter(None, blocks) if not _is_table(block)]


def _is_table(block: str) -> bool:
    return any(map(_TABLE_RULE.match, block.splitlines()))


def _prose_lines(lines: Iterable[str]) -> Iterator[str]:
    """Yields the lines outside doctests, literal blocks and directives."""
    skipped_under: int | None = None
    in_doctest = False
    for line in lines:
        text = line.strip()
        indent = len(line) - len(line.lstrip())
        in_doctest = bool(text) and (in_doctest or text.startswith(">>>"))
        if not text or in_doctest:
            yield ""
            continue
        if skipped_under is not None and indent > skipped_under:
            continue
        skipped_under = None
        explicit = _EXPLICIT.match(text)
        if explicit:
            yield ""
            if explicit["directive"] in _ADMONITIONS:
                yield explicit["rest"] or ""
            else:
                skipped_under = indent
        else:
            yield text
            if text.endswith("::"):
                skipped_under = indent


def _entries(lines: Iterable[str]) -> Iterator[str]:
    """Yields the names of a See Also section; its descriptions are indented."""
    text = inspect.cleandoc("\n" + "\n".join(lines))
    for line in re.sub(r",\n\s*", ", ", text).splitlines():
        if not line or line[0].isspace():
            continue
        position = 0
        while entry := _ENTRY.match(line, position):
            yield entry["name"].rstrip(".")
            position = entry.end()
            if entry["end"] not in (",", "and"):
                break
        if not position:
            marked = (match for match in _INLINE.finditer(line) if match["body"])
            names = (_read_markup(match["role"], match["body"])[0] for match in marked)
            yield from filter(None, names)


def _defined(lines: Iterable[str]) -> set[str]:
    """Returns the names before the colon of each entry, such as `a, b : int`."""
    heads = (line.split(" :")[0] for line in lines if " :" in line)
    unindented = (head for head in heads if head and not head[0].isspace())
    return {name.strip(" *") for head in unindented for name in head.split(",")}
