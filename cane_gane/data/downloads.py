"""Downloads in bounded time and size, which go on where they were cut."""

from __future__ import annotations

import http.client
import os
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

from cane_gane.files import make_folder, named

SILENCE_SECONDS = 30  # without a byte
DOWNLOAD_SECONDS = 600  # for a whole file, with all tries
DOWNLOAD_BYTES = 2**28
TRIES = 5  # of a file, as long as each brings some of it


class TooLargeError(OSError):
    """A download is larger than any file that is looked for."""


def download(address: str, part: Path, is_whole: Callable[[bytes], bool]) -> bytes:
    """Returns what an address holds.

    What was read is kept in a file, so that the next try, in this process or a later
    one, asks for the rest alone. The file is there afterwards only if an error left
    something to go on from.

    Args:
        address: An address of HTTP.
        part: The file to keep it in. One process at a time may use it.
        is_whole: Whether some content is what is looked for.

    Returns:
        The content: what is looked for, or else whatever the address holds.

    Raises:
        OSError: There is no answer, none in time, or a larger one.
        http.client.HTTPException: The answer is no HTTP.
        ValueError: It is no address.
    """
    deadline = time.monotonic() + DOWNLOAD_SECONDS
    before = _size(part)
    for left in reversed(range(TRIES)):
        try:
            _in_time(lambda: _read(address, part, deadline), deadline)
        except TooLargeError:
            part.unlink(missing_ok=True)
            raise
        except (OSError, http.client.HTTPException):
            # A server may announce more than there is.
            if not is_whole(_content(part)):
                if left and _size(part) > before and time.monotonic() < deadline:
                    before = _size(part)
                    continue
                raise
        content = _content(part)
        part.unlink(missing_ok=True)
        if before and left and not is_whole(content):
            before = 0  # the part that was there is of another file
            continue
        return content
    raise AssertionError  # the last try returns or raises


def _in_time(work: Callable[[], None], deadline: float) -> None:
    """Does something in a thread that is given up at the deadline.

    Names and headers may come as slowly as they like: no socket knows of an end.
    """
    errors: list[Exception] = []

    def act() -> None:
        try:
            work()
        except Exception as error:
            errors.append(error)

    thread = threading.Thread(target=act, daemon=True)
    thread.start()
    thread.join(max(0.0, deadline - time.monotonic()))
    if errors:
        raise errors[0]
    if thread.is_alive():
        raise _late()


def _late() -> TimeoutError:
    return TimeoutError(f"not finished after {DOWNLOAD_SECONDS:g} seconds")


def _read(address: str, part: Path, deadline: float) -> None:
    """Reads what `part` lacks, up to its end."""
    have = _size(part)
    asked = urllib.request.Request(address)
    if have:
        asked.add_header("Range", f"bytes={have}-")
    try:
        answer = urllib.request.urlopen(asked, timeout=SILENCE_SECONDS)
    except urllib.error.HTTPError as error:
        error.close()
        if have and error.code == http.HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
            part.unlink()  # it is longer than the file
            _read(address, part, deadline)
            return
        raise
    with answer:
        range_ = answer.headers.get("Content-Range", "")
        partial = answer.status == http.HTTPStatus.PARTIAL_CONTENT
        if partial and not range_.startswith(f"bytes {have}-"):
            raise http.client.HTTPException(f"found another range, {range_[:40]!r}")
        _write(answer, part, have if partial else 0, deadline)


def _write(answer: http.client.HTTPResponse, part: Path, have: int, end: float) -> None:
    """Writes an answer to `part`, behind what is to be kept of it."""
    total = have + _left(answer)
    if total > DOWNLOAD_BYTES:
        raise _large(f"{total:,}")
    make_folder(part.parent)
    flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW
    with named(part):
        number = os.open(part, flags, 0o666)
    with open(number, "wb", buffering=0) as file:
        with named(part):
            file.truncate(have)
            file.seek(have)
        while read := answer.read1():
            if time.monotonic() > end:
                raise _late()
            have += len(read)
            if have > DOWNLOAD_BYTES:
                raise _large(f"more than {DOWNLOAD_BYTES:,}")
            with named(part):
                file.write(read)
    if _left(answer):
        raise ConnectionError(f"cut off after {have:,} of {total:,} bytes")


def _left(answer: http.client.HTTPResponse) -> int:
    """Returns how many bytes an answer has still to send, as far as it said."""
    return getattr(answer, "length", None) or 0  # a file of this machine has none


def _large(found: str) -> TooLargeError:
    return TooLargeError(f"found {found} bytes; expected {DOWNLOAD_BYTES:,} at most")


def _size(part: Path) -> int:
    return part.lstat().st_size if part.is_file() and not part.is_symlink() else 0


def _content(part: Path) -> bytes:
    return part.read_bytes() if _size(part) else b""
