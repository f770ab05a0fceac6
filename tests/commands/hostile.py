"""Hostile files, damage and values, and what every command must make of them."""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Callable, Mapping
from pathlib import Path

from cane_gane.__main__ import main

LONGEST = 1000  # characters of a message
LONG_LINE = 5_000_000


class BegunError(Exception):
    """Raised in place of the work that follows when the input was taken."""


def begin(*words: object, **options: object) -> None:
    """Stands for the work."""
    raise BegunError


def attempt(
    *words: object,
    watched: Path | None = None,
    shown: Callable[[str], str] = str,
) -> str | None:
    """Runs a command, which must be taken, or refused without a trace.

    Args:
        words: The command line.
        watched: A folder where a refused command changes nothing.
        shown: What becomes of what is printed.

    Returns:
        The one line of a refusal, or None.
    """
    before = tree(watched) if watched else None
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main([*map(str, words)])
        except BegunError:
            return None
    printed = shown(out.getvalue() + err.getvalue())
    unprintable = {char for char in printed if not char.isprintable()} - {"\n", "\t"}
    assert not unprintable, unprintable
    if code == 0:
        return None
    last = err.getvalue().splitlines()[-1]
    assert code == 2, err.getvalue()[-LONGEST:]
    assert last.startswith("cane_gane: "), last
    assert len(last) <= LONGEST, last[:LONGEST]
    assert err.getvalue().count("\n") == 1, err.getvalue()[-LONGEST:]
    if watched:
        assert tree(watched) == before
    return last


def tree(folder: Path) -> dict[str, tuple[int, int]]:
    """Returns size and time of everything below a folder but locks."""
    return {
        os.path.join(base, name): (found.st_size, found.st_mtime_ns)
        for base, folders, files in os.walk(folder)
        for name in [*folders, *files]
        if not stat_is_folder(found := os.lstat(os.path.join(base, name)))
        and name != ".lock"
    }


def stat_is_folder(found: os.stat_result) -> bool:
    """Whether it is one; their times change with what comes and goes in them."""
    return (found.st_mode & 0o170000) == 0o040000


def _fifo(path: Path) -> None:
    os.mkfifo(path)


def _content(content: bytes) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(content)


def _link(target: str) -> Callable[[Path], None]:
    return lambda path: os.symlink(target.replace("SELF", path.name), path)


def _loop(path: Path) -> None:
    other = path.with_name(f"{path.name}.other")
    os.symlink(other.name, path)
    os.symlink(path.name, other)


# What may stand in the place of a file.
FILES: Mapping[str, Callable[[Path], object]] = {
    "empty": _content(b""),
    "blank": _content(b"\n\n\n"),
    "one byte": _content(b"0"),
    "binary": _content(bytes(range(256)) * 8),
    "NUL": _content(b"red\0fox\n" * 3),
    "UTF-16": _content("red fox\n0 1\n".encode("utf-16")),
    "Latin-1": _content("caf\xe9 ol\xe9\n".encode("latin-1") * 3),
    "cut in a character": _content("red fox\nblue \u6d77".encode()[:-1]),
    "surrogates": _content(b"\xed\xa0\x80\n" * 3),
    "right to left": _content("\u202eevil \u2066red\n\u200f1 2\n0\u200f 1\n".encode()),
    "escapes": _content(b"\x1b]0;taken\x07\x1b[2J red\n\x9b31m\n\x08\x08\n"),
    "escapes in UTF-8": _content("\x9b31m \x1b[2J\n\x07\x07 1\n1 \x0b\x0c\n".encode()),
    "other digits": _content("\u0663 \u0664\n\u00b2 \u2460\n\uff11 \uff12\n".encode()),
    "separators": _content("0\u20281\u2029\x85\x1c2\n1 2\n0 1\n".encode()),
    "huge numbers": _content(
        b"9" * 5000 + b" 1\n" + b"1e999 -1\n18446744073709551616 0"
    ),
    "negative": _content(b"-1 0\n-0 1\nnan inf\n"),
    "underscores": _content(b"1_0 1\n0x1 2\n+1 2\n"),
    "carriage returns": _content(b"0 1\r1 2\r\r\n"),
    "many columns": _content(b"1 " * 100_000 + b"\n"),
    "JSON": _content(b'{"a": [1, 2]}'),
    "deep JSON": _content(b"[" * 100_000),
    "web page": _content(b"<!DOCTYPE html><html><body>Sign in</body></html>\n"),
    "long line": _content(b"x" * LONG_LINE + b"\n"),
    "nothing": lambda path: None,
    "folder": lambda path: path.mkdir(),
    "FIFO": _fifo,
    "link to nothing": _link("nowhere"),
    "link to itself": _link("SELF"),
    "loop of links": _loop,
    "link to a device": _link("/dev/zero"),
    "link to a folder": _link("/"),
}


def put(kind: str, path: Path) -> None:
    """Puts a hostile thing in the place of a file."""
    with contextlib.suppress(FileNotFoundError):
        path.unlink()
    FILES[kind](path)


# What a flag may be given.
VALUES = [
    "", " ", "nan", "inf", "-inf", "1e18", "-1", "0", "-0.0", "1e-320", "1e309",
    "1" * 5000, "-" + "9" * 5000, "0." + "0" * 5000 + "1", "1000000000",
    "9223372036854775808", "1_0", "0x10", "\u00b2", "\u0663", "1,2", ",", ",,,", "1-0",
    "1-1000000000", "None", "true", "no such", "x" * 100_000, "\x1b[31m\x07", "\u202e",
    "a\nb", "../../etc/passwd", "/dev/null/x", "\udcff", "'\"<b>&;$(true)`",
]  # fmt: skip
