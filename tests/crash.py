"""Fails or kills a command at one of its writes, renames and syncs, as SQLite does.

Commands run in forks of one process, which has imported all that they need but has not
begun to compute, so that a point costs a run and no start of TensorFlow.
"""

import contextlib
import errno
import io
import json
import os
import re
import resource
import signal
import sys
from pathlib import Path

import numpy as np

KILLED = 137
_PATHS = ("mkdir", "rmdir", "unlink", "rename", "replace", "link", "open")
_SECONDS = 300


class Points:
    """Counts what a process does to files below a folder, and ends it at one point."""

    def __init__(self, root, at=None, fails=False):
        self.count, self._at, self._fails = 0, at, fails
        self._root = os.fspath(root)

    def reach(self, name, told=(), before=lambda: None):
        """Is called before each operation on a file; `told` is what its error names."""
        if not os.path.abspath(os.fspath(name)).startswith(self._root):
            return
        self.count += 1
        if self.count == self._at:
            before()
            if self._fails:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), *told)
            os._exit(KILLED)

    def install(self):
        """Wraps the operations of this process, which is to end soon."""
        for name in _PATHS:
            setattr(os, name, self._wrapped(getattr(os, name), name == "open"))
        sync = os.fsync

        def fsync(number):
            self.reach(os.readlink(f"/proc/self/fd/{number}"))
            sync(number)

        os.fsync, os.fdopen = fsync, self._fdopen

    def _wrapped(self, operation, only_new):
        def call(path, *rest, **named):
            if not only_new or (rest[:1] and rest[0] & os.O_CREAT):
                self.reach(path, [os.fspath(path)])
            return operation(path, *rest, **named)

        return call

    def _fdopen(self, number, mode="r", *rest, **named):
        if mode != "wb":
            return open(number, mode, *rest, **named)
        return _Writer(self, number)


class _Writer(io.BufferedWriter):
    """A file of which half has been written when the process ends."""

    def __init__(self, points, number):
        super().__init__(io.FileIO(number, "wb"))
        self._points, self._name = points, os.readlink(f"/proc/self/fd/{number}")

    def write(self, content):
        def half():
            super(_Writer, self).write(content[: len(content) // 2])
            self.flush()

        self._points.reach(self._name, before=half)
        return super().write(content)


def run(words, root, log, at=None, fails=False, largest=None):
    """Runs a command in a fork; returns its exit code and its number of points.

    `largest` is how many bytes the system lets a file have, as a disk that is full.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        code = 99
        with contextlib.suppress(BaseException):
            signal.alarm(_SECONDS)
            if largest:
                resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest))
            number = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(number, 1)
            os.dup2(number, 2)
            from cane_gane.__main__ import main

            sys.stdout, sys.stderr = open(1, "w"), open(2, "w")  # noqa: SIM115
            points = Points(root, at, fails)
            points.install()
            code = main(words)
            sys.stderr.flush()
            os.write(writing, str(points.count).encode())
        os._exit(code)
    os.close(writing)
    with open(reading) as file:
        count = file.read()
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), int(count or 0)


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
    if path.name == "config.json":
        record = json.loads(path.read_text())
        return {**record, "files": {**record["files"], "saved_model": None}}
    if path.name == "kept.json":
        return json.loads(path.read_text())["files"]
    if path.name == "metrics.json":
        return {**json.loads(path.read_text()), "time": None}
    if path.name == "table.json":
        return re.sub(r'"(seconds|memory|time)[^,}]*', "", path.read_text())
    if path.name == "history.csv":
        return [row.rsplit(",", 1)[0] for row in path.read_text().splitlines()]
    if path.name in ("report.html", "README.md") or path.name.startswith("table."):
        return "with times"
    if path.parent.name == "checkpoints":
        with np.load(path) as arrays:
            kept = set(arrays.files) - {"record", "checksum"}
            return {name: arrays[name].tobytes() for name in kept}
    return path.read_bytes()


def warm():
    """Imports what commands need, before forks."""
    import keras  # noqa: F401
    import matplotlib.pyplot  # noqa: F401
    import tensorflow  # noqa: F401

    import cane_gane.api
    import cane_gane.methods.gane
    import cane_gane.report.overview
    import cane_gane.serving.text_answers
    import cane_gane.training.loop  # noqa: F401


def main():
    """Runs orders from standard input, a JSON list each; answers in lines."""
    warm()
    for line in sys.stdin:
        order = json.loads(line)
        print(json.dumps(run(**order)), flush=True)


if __name__ == "__main__":
    main()
