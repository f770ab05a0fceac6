"""Text files of a network, line by line, with the line number of every fault."""

from __future__ import annotations

import codecs
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from cane_gane.errors import fault

NAME_RULE = "single spaces inside, none at its ends"


def read_lines(path: Path) -> list[bytes]:
    """Returns the lines of a file, line ends included.

    Raises:
        InputError: There is no such file, or it cannot be read.
    """
    if not path.is_file():
        raise fault(path, None, *_obstacle(path))
    try:
        *lines, last = path.read_bytes().split(b"\n")
    except OSError as error:
        raise fault(path, None, f"{error.strerror}", "a file to read") from None
    return [*(line + b"\n" for line in lines), *([last] if last else [])]


def decode(path: Path, lines: Sequence[bytes]) -> list[str]:
    """Returns lines as text, without their ends and a byte order mark.

    Raises:
        InputError: A line is not UTF-8.
    """
    texts = []
    for number, line in enumerate(lines, 1):
        if number == 1:
            line = line.removeprefix(codecs.BOM_UTF8)
        if b"\0" in line:
            raise fault(path, number, "a NUL byte", "text in UTF-8")
        try:
            text = line.decode()
        except UnicodeDecodeError as error:
            found = f"byte 0x{line[error.start]:02x} at column {error.start + 1}"
            remedy = f"iconv -f latin1 -t utf8 {path.name} converts it"
            raise fault(path, number, found, f"text in UTF-8 ({remedy})") from None
        texts.append(text.removesuffix("\n").removesuffix("\r"))
    return texts


def read_optional(path: Path, node_count: int) -> list[str] | None:
    """Returns the lines of a file with one line for each node; None without a file.

    Raises:
        InputError: The file has another number of lines, or is a broken link.
    """
    if not path.exists() and not path.is_symlink():
        return None
    lines = decode(path, read_lines(path))
    if len(lines) != node_count:
        each = "one for each line of data.txt (a blank line for none)"
        raise fault(path, None, f"{len(lines)} lines", f"{node_count}, {each}")
    return lines


def read_names(path: Path, node_count: int) -> tuple[str, ...] | None:
    """Returns the name of each node; None without a file.

    Raises:
        InputError: A name is missing, has irregular white space, or occurs twice.
    """
    names = read_optional(path, node_count)
    first_line: dict[str, int] = {}
    for number, name in enumerate(names or [], 1):
        if not is_name(name):
            raise fault(path, number, quoted(name), f"one name ({NAME_RULE})")
        if name in first_line:
            found = f"{quoted(name)}, which is on line {first_line[name]} already"
            raise fault(path, number, found, "a name of its own for each node")
        first_line[name] = number
    return None if names is None else tuple(names)


def number_of(cell: str) -> float:
    """Returns a cell as a number; NaN if it is not one."""
    # Python's float also accepts 1_0 and digits of other scripts.
    if "_" in cell or not cell.isascii():
        return np.nan
    try:
        return float(cell)
    except ValueError:
        return np.nan


def is_name(name: str) -> bool:
    """Whether a node may have this name: words separated by single spaces."""
    return bool(name) and name == " ".join(name.split())


def is_number(column: str) -> bool:
    """Whether a column is a whole number of ASCII digits that fits int64."""
    return column.isascii() and column.isdigit() and len(column) < 19


def quoted(text: str) -> str:
    """Quotes the first 40 characters of a text, with control characters escaped."""
    text = text.strip()
    short = f"{text[:40]}…" if len(text) > 40 else text
    return f"'{printable(short)}'"


def printable(text: str) -> str:
    r"""Returns a text with escapes such as `\x1b` for unprintable characters."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def _obstacle(path: Path) -> tuple[str, str]:
    """Returns what was found in place of a file, and what is expected there."""
    if path.exists():
        return "a folder" if path.is_dir() else "not a regular file", "a text file"
    if path.is_symlink():
        return "a broken link", "a file: mend or remove it"
    present = ", ".join(sorted(other.name for other in path.parent.glob("*"))[:8])
    return "no such file", f"it beside {present}" if present else "a text file"
