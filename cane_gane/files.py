"""Files that are never half-written: write beside the target, sync, then rename.

A draft is locked while its process lives. An unlocked draft was left by a dead process;
the next write to its folder removes it.
"""

from __future__ import annotations

import contextlib
import csv
import errno
import fcntl
import hashlib
import io
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from cane_gane.errors import fault

_DRAFT = ".draft"
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_HELD: dict[Path, int] = {}  # folders that this process works in, kept open


def write_atomically(path: Path, content: bytes | Iterable[bytes | memoryview]) -> None:
    """Writes `content`, whole or in parts; readers see either the old or the new file.

    A link at `path` is replaced, not followed.

    Raises:
        OSError: The file could not be written. The error names `path`, which is
            unchanged.
    """
    with named(path):
        make_folder(path.parent)
        sweep(path.parent)
        draft, number = _draft(path, tempfile.mkstemp)
        try:
            with os.fdopen(number, "wb") as file:
                # mkstemp makes private files; set the permissions of a plain open.
                os.fchmod(number, 0o666 & ~_umask())
                file.writelines([content] if isinstance(content, bytes) else content)
                file.flush()
                os.fsync(number)
                os.replace(draft, path)
        except BaseException:
            _remove(draft)
            raise
        _sync(path.parent)


@contextlib.contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """Yields an empty folder that becomes `path` when the block ends without an error.

    An earlier `path` is replaced; after an error nothing is left behind.
    """
    with named(path):
        make_folder(path.parent)
        sweep(path.parent)
        draft, number = _draft(path, _make_draft)
        try:
            os.fchmod(number, 0o777 & ~_umask())
            yield draft
            _refuse_removed(path)
            for home, _, names in os.walk(draft, topdown=False):
                for place in (*(Path(home, name) for name in names), Path(home)):
                    _sync(place)
            old = draft.with_name(f"{draft.name.removesuffix(_DRAFT)}.old{_DRAFT}")
            with contextlib.suppress(FileNotFoundError):
                os.rename(path, old)  # a crash before the next line leaves no folder
            os.rename(draft, path)
            _sync(path.parent)
            _remove(old)
        finally:
            _remove(draft)
            os.close(number)


@contextlib.contextmanager
def working_in(folder: Path) -> Iterator[None]:
    """Refuses to write below a folder after somebody has removed or replaced it.

    Otherwise its path would be created again, and later files would be written there.
    """
    home = Path(os.path.abspath(folder))
    # Kept open, so that its inode number is not reused after it is removed.
    _HELD[home] = os.open(folder, os.O_RDONLY)
    try:
        yield
    finally:
        os.close(_HELD.pop(home))


def _refuse_removed(path: Path) -> None:
    """Refuses a path below a folder that is in use but no longer exists.

    Raises:
        InputError: The folder was removed or replaced.
    """
    place = Path(os.path.abspath(path))
    for home, number in list(_HELD.items()):
        if home in (place, *place.parents):
            with contextlib.suppress(OSError):
                if os.path.samestat(os.stat(home), os.fstat(number)):
                    continue
            raise fault(
                home,
                None,
                "it removed or replaced while a run was writing to it",
                "the folder to stay: start the same command again",
            )


def make_folder(path: Path) -> None:
    """Makes a folder and its parents, and waits until they are on the disk.

    Raises:
        InputError: It is in a folder that is in use but was removed.
    """
    _refuse_removed(path)
    if not path.is_dir():
        make_folder(path.parent)
        path.mkdir(exist_ok=True)
        _sync(path.parent)


def sweep(folder: Path) -> None:
    """Removes the drafts of dead processes from a folder."""
    for draft in folder.glob(f".*{_DRAFT}"):
        with contextlib.suppress(OSError):  # a link, or another process removed it
            number = os.open(draft, os.O_RDONLY | os.O_NOFOLLOW)
            try:
                fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
                _remove(draft)
            finally:
                os.close(number)


def _draft(path: Path, make: Callable[..., tuple[int, str]]) -> tuple[Path, int]:
    """Makes a locked draft of `path`; returns it and its file descriptor."""
    while True:
        number, name = make(prefix=f".{path.name}.", suffix=_DRAFT, dir=path.parent)
        fcntl.flock(number, fcntl.LOCK_EX)
        with contextlib.suppress(FileNotFoundError):  # removed before it was locked
            if os.path.samestat(os.stat(name), os.fstat(number)):
                return Path(name), number
        os.close(number)


def _make_draft(**options: Any) -> tuple[int, str]:
    name = tempfile.mkdtemp(**options)
    return os.open(name, os.O_RDONLY), name


def _remove(path: Path) -> None:
    """Removes a file, a link or a folder, if it exists."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _sync(path: Path) -> None:
    """Waits until a file, or a folder's list of files, is on the disk."""
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


@contextlib.contextmanager
def named(path: Path) -> Iterator[None]:
    """Makes an OSError name the file that was to be written."""
    try:
        yield
    except OSError as error:
        _refuse_removed(path)
        if error.errno in _FULL:
            reason = f"{os.strerror(error.errno)}: make room and start again"
            raise OSError(error.errno, reason, str(path)) from error
        if error.filename is None and error.errno is not None:
            error.filename = str(path)
        raise


def copy_folder(source: Path, path: Path) -> None:
    """Copies a folder to `path`, completely or not at all."""
    with new_folder(path) as draft:
        _fill(draft, source, shutil.copy2)


def link_folder(source: Path, path: Path) -> None:
    """Makes `path` a folder of the same files, as hard links if possible."""

    def link(file: str, other: str) -> None:
        try:
            os.link(file, other)
        except OSError:  # a file system without hard links
            shutil.copy2(file, other)

    with new_folder(path) as draft:
        _fill(draft, source, link)


def _fill(folder: Path, source: Path, copy: Callable[[str, str], Any]) -> None:
    """Fills an empty folder with what `source` has; unlike copytree, errors pass."""
    for home, folders, names in os.walk(source):
        there = folder / Path(home).relative_to(source)
        for name in folders:
            (there / name).mkdir()
        for name in names:
            copy(os.path.join(home, name), str(there / name))


def write_json(path: Path, content: Any) -> None:
    """Writes a JSON file atomically."""
    text = json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False)
    write_atomically(path, (text + "\n").encode())


def write_csv(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Writes at least one row, all with the same keys, as a CSV file with a header."""
    file = io.StringIO()
    writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_atomically(path, file.getvalue().encode())


def read_json(path: Path) -> Any:
    """Returns the content of a JSON file, or None if there is no file.

    Raises:
        InputError: The file does not hold JSON.
    """
    if not path.is_file():
        return None
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", None)
        raise fault(path, line, "no JSON", "what a run wrote there") from None


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Holds the lock file `path`; a second process waits until it is free."""
    make_folder(path.parent)
    number = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666)
    try:
        fcntl.flock(number, fcntl.LOCK_EX)
        yield
    finally:
        os.close(number)


def digest(path: Path) -> str | None:
    """Returns the SHA-256 of a file or of all files of a folder; None without one."""
    if path.is_file():
        return sha256(path.read_bytes())
    if not path.is_dir():
        return None
    files = sorted(file for file in path.rglob("*") if file.is_file())
    rows = (f"{file.relative_to(path)} {digest(file)}\n" for file in files)
    return sha256("".join(rows).encode())


def sha256(content: bytes) -> str:
    """Returns the SHA-256 of `content` in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
