"""Reads tables from common files: CSV, TSV, space-separated columns, JSON lines."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cane_gane.config import suggestion
from cane_gane.data.lines import decode, quoted, read_lines
from cane_gane.errors import fault

_BINARY = {
    b"PK\x03\x04": ("a zip or Excel file", "text: save the sheet as CSV UTF-8"),
    b"\x1f\x8b": ("a gzip file", "text: gunzip unpacks it"),
    b"\xff\xfe": ("UTF-16", "text in UTF-8 (iconv -f utf16 -t utf8 converts it)"),
    b"\xfe\xff": ("UTF-16", "text in UTF-8 (iconv -f utf16 -t utf8 converts it)"),
}
_DIVIDERS = "\t;,"  # the first of these in the first line; else white space
Row = tuple[int, list[Any]]


@dataclass(frozen=True)
class Table:
    """Rows of cells.

    Attributes:
        path: The file.
        columns: The names of the columns; empty if the file has no header.
        rows: The line where each row begins, from 1, and its cells: texts, or any JSON
            value.
    """

    path: Path
    columns: Sequence[str]
    rows: Sequence[Row]

    def place(
        self, flag: str, chosen: str | None, usual: Sequence[str], *, needed: bool
    ) -> int | None:
        """Returns the index of a column; None if there is no such column.

        Args:
            flag: The flag that names the column.
            chosen: The value of that flag, if given.
            usual: The usual names of such a column, likeliest first.
            needed: Whether the column must exist.

        Raises:
            InputError: There is no such column.
        """
        known = [name.strip().lower() for name in self.columns]
        for name in (chosen,) if chosen else usual:
            if name.strip().lower() in known:
                return known.index(name.strip().lower())
        if not chosen and not needed:
            return None
        columns = ", ".join(quoted(name) for name in self.columns[:12])
        expected = f"--{flag}={chosen}" if chosen else f"one called {usual[0]}"
        near = suggestion(chosen, self.columns) if chosen else ""
        way = near or f": name it with --{flag}=COLUMN"
        raise fault(self.path, 1, f"columns {columns}", f"{expected} among them{way}")


def read_table(path: Path, has_header: Callable[[list[str]], bool]) -> Table:
    """Reads a table of any of the kinds above; its content says which.

    Args:
        path: The file.
        has_header: Whether a given first row names the columns; JSON always names them.

    Returns:
        The table, without blank rows.

    Raises:
        InputError: The file is missing, empty, not UTF-8 text, or faulty.
    """
    lines = read_lines(path)
    for start, (found, expected) in _BINARY.items():
        if lines and lines[0].startswith(start):
            raise fault(path, None, found, expected)
    texts = _clean(decode(path, lines))
    first = next((line.strip() for line in texts if line.strip()), None)
    if first is None:
        raise fault(path, None, "no row", "a header, and a row for each node or edge")
    if first.startswith(("{", "[")):
        return _from_json(path, texts)
    rows = [row for row in _cells(path, texts) if any(map(str.strip, row[1]))]
    columns: list[str] = rows.pop(0)[1] if has_header(rows[0][1]) else []
    names = Counter(name.strip().lower() for name in columns)
    for name, count in names.items():
        if name and count > 1:
            raise fault(path, 1, f"column {quoted(name)} twice", "a name for each")
    return Table(path, columns, _checked(path, columns, rows))


def _clean(texts: Sequence[str]) -> list[str]:
    """Blanks the comments at the start of a file; normalises carriage returns.

    Carriage returns end lines if nothing else does; otherwise they become spaces.
    """
    if len(texts) == 1:
        texts = texts[0].split("\r")
    texts = [text.replace("\r", " ") for text in texts]
    count = next((i for i, t in enumerate(texts) if t[:2] != "# "), len(texts))
    return [*([""] * count), *texts[count:]]


def _cells(path: Path, texts: Sequence[str]) -> Iterable[Row]:
    """Returns the cells of each row, quotes removed."""
    sample = next(line for line in texts if line.strip())
    divider = "\t" if path.suffix.lower() in (".tsv", ".tab") else None
    divider = divider or next((one for one in _DIVIDERS if one in sample), None)
    if divider is None and path.suffix.lower() != ".csv":
        return [(number, line.split()) for number, line in enumerate(texts, 1)]
    try:
        return list(_parsed(texts, divider or ",", csv.QUOTE_MINIMAL))
    except _CsvError as error:
        if divider == "\t":  # such files often have quotes as plain characters
            return list(_parsed(texts, divider, csv.QUOTE_NONE))
        expected = 'quotes around a whole cell, and "" for a quote inside'
        raise fault(path, error.line, error.found, expected) from None


class _CsvError(Exception):
    def __init__(self, line: int, found: str) -> None:
        self.line, self.found = line, found


def _parsed(texts: Sequence[str], divider: str, quoting: Any) -> Iterator[Row]:
    limit = csv.field_size_limit(sys.maxsize)
    file = io.StringIO("\n".join(texts), newline="")
    reader = csv.reader(file, delimiter=divider, quoting=quoting, strict=True)
    begin = 1
    try:
        for row in reader:
            yield begin, row
            begin = reader.line_num + 1
    except csv.Error as error:
        raise _CsvError(begin, f"a faulty row ({error})") from None
    finally:
        csv.field_size_limit(limit)


def _checked(path: Path, columns: Sequence[str], rows: Sequence[Row]) -> list[Row]:
    """Refuses a row whose length differs from the header's, or the first row's."""
    width = len(columns) or (len(rows[0][1]) if rows else 0)
    for number, cells in rows:
        if len(cells) != width:
            like = "as the header has" if columns else "as the first row has"
            found = f"{len(cells)} cell{'s' * (len(cells) != 1)}"
            expected = f"{width}, {like}: put a cell with a divider into quotes"
            raise fault(path, number, found, expected)
    return list(rows)


def _from_json(path: Path, texts: Sequence[str]) -> Table:
    """Returns JSON objects, one per line or all in one list, as rows."""
    objects = list(_objects(path, texts))
    columns = list(dict.fromkeys(key for _, own in objects for key in own))
    rows = [(line, [own.get(key) for key in columns]) for line, own in objects]
    return Table(path, columns, rows)


def _objects(
    path: Path, texts: Sequence[str]
) -> Iterator[tuple[int, Mapping[str, Any]]]:
    whole = next(line for line in texts if line.strip()).lstrip().startswith("[")
    parts = ["\n".join(texts)] if whole else texts
    for line, text in enumerate(parts, 1):
        if not text.strip():
            continue
        try:
            content = json.loads(text)
        except (ValueError, RecursionError) as error:
            at = getattr(error, "lineno", 1) if whole else line
            raise fault(path, at, "no JSON", 'objects such as {"id": …}') from None
        for own in content if whole else [content]:
            if not isinstance(own, dict):
                found = quoted(json.dumps(own, ensure_ascii=False))
                raise fault(path, line, found, 'an object such as {"id": …}')
            yield line, own


def as_text(value: Any) -> str:
    """Returns a cell as one line, with white space collapsed; empty for null."""
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, list):
        return " ".join(map(as_text, value))
    text = str(value).encode(errors="replace").decode()  # JSON may hold lone surrogates
    return " ".join(text.replace("\0", " ").split())
