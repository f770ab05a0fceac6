"""Files that are never half-written: write beside the target, then rename."""

from __future__ import annotations

import contextlib
import csv
import fcntl
import hashlib
import io
import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from cane_gane.errors import fault


def write_atomically(path: Path, content: bytes) -> None:
    """Writes `content` to `path`; a reader sees the old file or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        # mkstemp makes private files; give what a plain open would have given.
        os.chmod(name, 0o666 & ~_umask())
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name)
        raise


@contextlib.contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """Yields an empty folder that becomes `path` when the block ends well.

    An earlier `path` is replaced; after an error nothing is left behind.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
    try:
        os.chmod(draft, 0o777 & ~_umask())
        yield draft
        if path.exists():
            shutil.rmtree(path)
        os.replace(draft, path)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def copy_folder(source: Path, path: Path) -> None:
    """Copies a folder to `path`, whole."""
    with new_folder(path) as draft:
        shutil.copytree(source, draft, dirs_exist_ok=True)


def link_folder(source: Path, path: Path) -> None:
    """Makes `path` a folder of the same files, which take no room where links do."""

    def link(file: str, other: str) -> None:
        try:
            os.link(file, other)
        except OSError:  # a file system without links
            shutil.copy2(file, other)

    with new_folder(path) as draft:
        shutil.copytree(source, draft, dirs_exist_ok=True, copy_function=link)


def write_json(path: Path, content: Any) -> None:
    """Writes a JSON file whole."""
    text = json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False)
    write_atomically(path, (text + "\n").encode())


def write_csv(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Writes rows of the same keys, one at least, as a CSV file with a header."""
    file = io.StringIO()
    writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_atomically(path, file.getvalue().encode())


def read_json(path: Path) -> Any:
    """Returns the content of a JSON file, or None where there is none.

    Raises:
        InputError: The file holds no JSON.
    """
    if not path.is_file():
        return None
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        line = getattr(error, "lineno", None)
        raise fault(path, line, "no JSON", "what a run wrote there") from None


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Holds the lock file `path`; a second process waits until it is free."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


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
