"""Downloads with limits on time and size, which resume after an interruption."""

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

SILENCE_SECONDS = 30  # without receiving a byte
DOWNLOAD_SECONDS = 600  # for a whole file, with all tries
DOWNLOAD_BYTES = 2**28
TRIES = 5  # for a file, as long as each receives some of it


class TooLargeError(OSError):
    """A download is larger than any expected file."""


def download(address: str, part: Path, is_whole: Callable[[bytes], bool]) -> bytes:
    """Returns the content at an address.

    What has been read is kept in a file, so that the next try, in this process or a
    later one, asks for the rest only. Afterwards the file exists only if an error left
    a part to resume from.

    Args:
        address: An HTTP address.
        part: The file for what has been read. One process at a time may use it.
        is_whole: Whether the given content is the expected file.

    Returns:
        The expected content, or else whatever the address holds.

    Raises:
        OSError: There is no answer, no answer in time, or too large an answer.
        http.client.HTTPException: The answer is not HTTP.
        ValueError: The address is malformed.
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
            before = 0  # the old part was from another file
            continue
        return content
    raise AssertionError  # the last try returns or raises


def _in_time(work: Callable[[], None], deadline: float) -> None:
    """Does something in a thread, and stops waiting for it at the deadline.

    Name resolution and headers may take arbitrarily long: no socket timeout covers
    them.
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
    """Reads the rest of the file into `part`."""
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
    """Writes an answer to `part`, after the bytes that are kept."""
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
    """Returns how many bytes an answer has yet to send, if it announced that."""
    return getattr(answer, "length", None) or 0  # a local file has none


def _large(found: str) -> TooLargeError:
    return TooLargeError(f"found {found} bytes; expected {DOWNLOAD_BYTES:,} at most")


def _size(part: Path) -> int:
    return part.lstat().st_size if part.is_file() and not part.is_symlink() else 0


def _content(part: Path) -> bytes:
    return part.read_bytes() if _size(part) else b""
