"""Fails or kills a command at its writes, renames and syncs, as SQLite's tests do.

Commands run in forks of one process, which has imported all that they need but has not
begun to compute, so that a start costs no import of TensorFlow.

One run of a command serves for all its points. At each of them, what is on the disk is
what a process would leave that is killed there. It is copied; a fork of the command
finds the disk full in the copy, and what it leaves is kept, too.
"""

import contextlib
import errno
import io
import json
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path

from tests.states import States

KILLED = 137
_FIGURE = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"></svg>'
_PATHS = ("mkdir", "rmdir", "unlink", "rename", "replace", "link", "open")
_SECONDS = 3600
_IDLE, _LONG = 3, 60  # seconds: a fork that goes on may wait for a lost thread


class Points:
    """Counts what a process does to files below a folder."""

    def __init__(self, root, on_point):
        """Takes the folder, and what is told of each point and the error there."""
        self.count = 0
        self.on_point = on_point
        self._root, self._busy = os.fspath(root), False

    def reach(self, name, *told):
        """Is called before each operation on a file; `told` is what its error names."""
        path = os.path.abspath(os.fspath(name))
        if self._busy or not f"{path}{os.sep}".startswith(f"{self._root}{os.sep}"):
            return
        self.count += 1
        self._busy = True
        try:
            full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), *told)
            self.on_point(self.count, full)
        finally:
            self._busy = False

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
                self.reach(path, os.fspath(path))
            return operation(path, *rest, **named)

        return call

    def _fdopen(self, number, mode="r", *rest, **named):
        if mode != "wb":
            return open(number, mode, *rest, **named)
        return _Writer(self, number)


class _Writer(io.BufferedWriter):
    """A file of which half has been written when a point is reached."""

    def __init__(self, points, number):
        super().__init__(io.FileIO(number, "wb"))
        self._points, self._name = points, os.readlink(f"/proc/self/fd/{number}")

    def write(self, content):
        half = len(content) // 2
        super().write(content[:half])
        self.flush()
        self._points.reach(self._name)
        super().write(content[half:])
        self.flush()
        return len(content)


class Cut:
    """Fails or kills the process at one point."""

    def __init__(self, at, kills):
        self._at, self._kills = at, kills

    def __call__(self, point, error):
        if point == self._at:
            if self._kills:
                os._exit(KILLED)
            raise error


class Recorder:
    """What is left at each point by a process that is killed, and on a full disk.

    Attributes:
        found: A dict for each: the point, whether the disk was full, the state that
            was left, and how the process ended, with its last line.
    """

    def __init__(self, root, log, states, every):
        """Takes the folder, where forks speak, and of how many points one counts."""
        self._root, self._log, self._every = Path(root), f"{log}.fork", every
        self._states, self.found = States(states), []
        self._forked = False

    def __call__(self, point, error):
        if self._forked or point % self._every != (1 + self._every) // 2 % self._every:
            return
        copy = self._root.with_name("copy")
        shutil.copytree(self._root, copy, symlinks=True)
        self._add(point, False, copy)
        # The copy takes the folder's place for a while, whose own files stay open.
        own = self._root.rename(self._root.with_name("own"))
        copy.rename(self._root)
        child = os.fork()
        if child == 0:
            self._fail(error)
        code = _end_of(child)
        said = Path(self._log).read_text().splitlines()
        self._add(point, True, self._root, code, said[-1] if said else "")
        shutil.rmtree(self._root)
        own.rename(self._root)

    def _add(self, point, full, folder, code=None, last=""):
        state = self._states.keep(folder)
        self.found.append(
            {"point": point, "full": full, "state": state, "code": code, "last": last}
        )

    def _fail(self, error):
        """Lets this fork find the disk full, and end where its command would."""
        import cane_gane.__main__ as program
        import cane_gane.files

        signal.alarm(_LONG)
        self._forked = True
        _speak(self._log)
        cane_gane.files._refuse_removed = lambda path: None  # it works in a copy
        tell = program._tell

        def tell_and_end(message, code):
            tell(message, code)
            _end(code)

        program._tell = tell_and_end
        raise error


def _end_of(child):
    """Waits for a fork, and ends one that does nothing; returns its exit code."""
    used, since = "", time.monotonic()
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        now = Path(f"/proc/{child}/stat").read_text().split()[13:15]  # its CPU time
        if now != used:
            used, since = now, time.monotonic()
        elif time.monotonic() - since > _IDLE:
            os.kill(child, signal.SIGKILL)
        time.sleep(0.01)


def _speak(log):
    """Lets this process say what it says into a file."""
    number = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(number, 1)
    os.dup2(number, 2)
    sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", closefd=False)  # noqa: SIM115


def _end(code):
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def run(words, root, log, at=None, kills=False, record=None, largest=None):
    """Runs a command in a fork.

    Args:
        words: The command.
        root: The folder whose files count.
        log: What the command says.
        at: The point where the disk is full.
        kills: Whether the process is killed there instead.
        record: Where states are kept, and of how many points one is looked at.
        largest: How many bytes the system lets a file have, as a disk that is full.

    Returns:
        Its exit code, its number of points, and what a `Recorder` has found.
    """
    with tempfile.TemporaryFile("w+") as answer:
        child = os.fork()
        if child == 0:
            with contextlib.suppress(BaseException):
                signal.alarm(_SECONDS)
                if largest:
                    resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest))
                _speak(log)
                _run(words, root, log, Cut(at, kills), record, answer)
            _end(99)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        answer.seek(0)
        return code, *json.loads(answer.read() or "[0, []]")


def _run(words, root, log, cut, record, answer):
    from cane_gane.__main__ import main

    recorder = Recorder(root, log, *record) if record else None
    points = Points(root, recorder or cut)
    points.install()
    code = main(words)
    if not (recorder and recorder._forked):
        json.dump([points.count, recorder.found if recorder else []], answer)
        answer.flush()
    _end(code)


def warm():
    """Imports what commands need, before forks; figures are not drawn."""
    import gensim.models  # noqa: F401
    import keras  # noqa: F401
    import matplotlib.pyplot  # noqa: F401
    import tensorflow  # noqa: F401

    import cane_gane.api
    import cane_gane.methods.gane
    import cane_gane.report.figures
    import cane_gane.report.overview
    import cane_gane.serving.text_answers
    import cane_gane.training.loop

    cane_gane.report.figures.drawn = lambda figure, kind="svg": _FIGURE


def main():
    """Runs orders from standard input, a JSON object each; answers in lines."""
    warm()
    for line in sys.stdin:
        order = json.loads(line)
        print(json.dumps(run(**order)), flush=True)


if __name__ == "__main__":
    main()
