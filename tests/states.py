"""What a folder of runs holds, but for what differs from start to start."""

import hashlib
import json
import re
import shutil
from pathlib import Path

import numpy as np

_DRAWN = re.compile(r"\.[a-z0-9_]{8}(?=(\.old)?\.draft\b)")  # in the name of a draft


def content(folder):
    """Returns what must be the same after any cut, by the names of files.

    Times are left out, and so is the SavedModel's content, which is never the same
    twice: its vectors are in embed.txt. What is derived from its digest goes, too.
    """
    files = sorted(path for path in Path(folder).rglob("*") if not path.is_dir())
    return {str(path.relative_to(folder)): _of(path) for path in files}


def _of(path):
    if "saved_model" in path.parts or "serving" in path.parts:
        return "a SavedModel"
    if path.name in (".lock", "log.txt"):
        return "of a process"
    if path.name == "table.json":
        return re.sub(r'"(seconds|memory|time)[^,}]*', "", path.read_text())
    if path.name in ("report.html", "README.md") or path.name.startswith("table."):
        return "with times"
    try:
        return _without_times(path)
    except Exception:  # damaged, which is no state that a run leaves
        return path.read_bytes()


def _without_times(path):
    if path.name == "config.json":
        record = json.loads(path.read_text())
        files = record["files"].items()
        known = {key: key == "saved_model" or own for key, own in files}
        # The commit may change while a long test runs.
        return {**record, "files": known, "commit": None}
    if path.name == "kept.json":
        return json.loads(path.read_text())["files"]
    if path.name == "metrics.json":
        return {**json.loads(path.read_text()), "time": None}
    if path.name == "history.csv":
        return [row.rsplit(",", 1)[0] for row in path.read_text().splitlines()]
    if path.parent.name == "checkpoints":
        with np.load(path) as arrays:
            kept = set(arrays.files) - {"record", "checksum"}
            return {name: arrays[name].tobytes() for name in kept}
    return path.read_bytes()


class States:
    """Different contents of a folder, each kept once."""

    def __init__(self, home):
        """Takes an empty folder to keep them in."""
        self._home, self._names = Path(home), {}

    def keep(self, folder):
        """Copies a folder, unless one like it is kept; returns where."""
        folders = sorted(p for p in Path(folder).rglob("*") if p.is_dir())
        known = [*map(str, (p.relative_to(folder) for p in folders))]
        known += map(repr, content(folder).items())
        drawn = _DRAWN.sub("", "\n".join(sorted(known)))
        key = hashlib.sha256(drawn.encode()).hexdigest()
        if key not in self._names:
            self._names[key] = str(self._home / str(len(self._names)))
            shutil.copytree(folder, self._names[key], symlinks=True)
        return self._names[key]
