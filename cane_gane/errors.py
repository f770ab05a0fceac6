"""The one error that users see: a single line that says what to fix."""

from __future__ import annotations

from pathlib import Path

LONGEST = 900  # characters of a message


class InputError(ValueError):
    """Bad input. The message is one line: where, what was found, what to do.

    Commands print the message alone and exit with `exit_code`.
    """

    exit_code = 2


def fault(path: Path | str, line: int | None, found: str, expected: str) -> InputError:
    """Builds the message of a faulty file: `path:line: found …; expected …`.

    Args:
        path: The file at fault.
        line: Its line, counted from 1, or None for the whole file.
        found: What the file holds there.
        expected: What it should hold, and how to fix it.

    Returns:
        The error, to be raised.
    """
    where = f"{path}:{line}" if line is not None else f"{path}"
    return InputError(f"{where}: found {found}; expected {expected}")


def as_line(message: str) -> str:
    """Returns a message as one line of bounded length that a terminal can show.

    Characters that control a terminal, such as escapes or changes of the text
    direction, are replaced by a visible one. The middle of a long message is left out.
    """
    if len(message) > LONGEST:
        message = f"{message[: LONGEST // 2]} … {message[-LONGEST // 2 :]}"
    return harmless(message, "")


def harmless(text: str, kept: str = "\n\t") -> str:
    """Returns a text in which no character controls the terminal.

    Args:
        text: The text.
        kept: Control characters that stay.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in kept else "�" for c in text)
