"""Caches slow results in a folder: whole files, checked by digest."""

from __future__ import annotations

import contextlib
import io
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from cane_gane.errors import InputError
from cane_gane.files import locked, read_json, sha256, write_atomically, write_json

_RECORD = "kept.json"
_VERSION = 1  # of the cache; files of another version are recomputed


class Kept:
    """The cached files of one model."""

    def __init__(self, folder: Path | None, key: str) -> None:
        """Takes the folder of the files.

        Args:
            folder: The folder; None keeps nothing.
            key: What the files depend on, such as the digest of a model. Files of
                another key are deleted.
        """
        self._folder, self._key = folder, f"{_VERSION} {key}"

    def content(self, name: str, build: Callable[[], bytes]) -> bytes:
        """Returns the content under a name; computes it if it is not kept."""
        if self._folder is None:
            return build()
        path = self._folder / name
        known = self._record().get(name)
        if known is not None and path.is_file():
            found = path.read_bytes()
            if sha256(found) == known:
                return found
        found = build()
        with contextlib.suppress(OSError):  # such as a read-only folder
            self._write(path, found)
        return found

    def arrays(
        self, name: str, build: Callable[[], Mapping[str, Any]]
    ) -> Mapping[str, Any]:
        """Returns arrays by name; computes them if they are not kept."""
        built: list[Mapping[str, Any]] = []

        def packed() -> bytes:
            built.append(build())
            file = io.BytesIO()
            np.savez(file, **built[0])
            return file.getvalue()

        content = self.content(f"{name}.npz", packed)
        # Built arrays are returned directly, not unpacked: they may be gigabytes.
        return built[0] if built else dict(np.load(io.BytesIO(content)))

    def _record(self) -> dict[str, str]:
        """Returns the digest of each file of this key."""
        assert self._folder is not None
        try:
            record = read_json(self._folder / _RECORD)
        except InputError:  # damaged: everything is recomputed
            record = None
        if not isinstance(record, dict) or record.get("key") != self._key:
            return {}
        files = record.get("files")
        return dict(files) if isinstance(files, dict) else {}

    def _write(self, path: Path, content: bytes) -> None:
        assert self._folder is not None
        with locked(self._folder / ".lock"):
            files = self._record()
            if not files:
                self._clear()
            write_atomically(path, content)
            files[path.name] = sha256(content)
            write_json(self._folder / _RECORD, {"key": self._key, "files": files})

    def _clear(self) -> None:
        assert self._folder is not None
        for entry in self._folder.iterdir():
            if entry.is_dir():
                shutil.rmtree(entry)
            elif entry.name != ".lock":
                entry.unlink()
