"""Processes beside this one, which end with it; one of them for calls of functions.

A child's standard input is a pipe that nobody writes to: it ends when this process
does, however that ends.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import IO, Any, Generic, TypeVar

Result = TypeVar("Result")

SMALL = 500  # nodes: below, a second process costs more than it saves
LOST = 75  # a process that this one needs is gone (EX_TEMPFAIL of sysexits.h)
_PARENT = "CANE_GANE_PARENT"
_PARENT_DEATH = 1  # PR_SET_PDEATHSIG of <sys/prctl.h>
_START = "import sys; sys.path[:0] = [{!r}]; import cane_gane.beside as b; b.serve()"


def tied() -> Mapping[str, str]:
    """Returns the environment variable of a child that calls `end_with_parent`."""
    return {_PARENT: str(os.getpid())}


@cache
def lifeline() -> int:
    """Returns the standard input of such children, which ends with this process."""
    return os.pipe()[0]


def end_with_parent() -> None:
    """Ends this process with the one that started it `tied`; else does nothing."""
    if parent := os.environ.pop(_PARENT, None):  # it is not that of our children
        end_with(int(parent))


def end_with(parent: int) -> None:
    """Ends this process with its parent.

    Linux kills it at once. Elsewhere a thread waits for the end of standard input,
    which comes when the parent has ended; TensorFlow holds it up while workers meet.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PARENT_DEATH, signal.SIGKILL)

    def wait() -> None:
        while os.read(0, 4096):  # not by sys.stdin, whose lock would hold up our end
            pass
        os._exit(LOST)

    threading.Thread(target=wait, daemon=True).start()
    if os.getppid() != parent:  # it has ended already
        os._exit(LOST)


class Pending(Generic[Result]):
    """What a function will return; it is called here where no process does it."""

    def __init__(self, function: Callable[..., Result], arguments: Any) -> None:
        """Takes the call, which nobody has begun."""
        self._call = function, arguments
        self._ended = threading.Event()
        self._ended.set()
        self._found: tuple[bool, Any] = False, None

    def result(self) -> Result:
        """Waits for the result.

        A call that failed in the other process, or that ended with it, is made again
        here, so that an error is raised as if there were no such process.
        """
        self._ended.wait()
        if not self._found[0]:
            function, arguments = self._call
            self._found = True, function(*arguments)
        return self._found[1]

    def begin(self, second: _Second) -> None:
        """Hands the call over to the other process."""
        self._ended.clear()
        second.send(self._call, self._end)

    def _end(self, found: tuple[bool, Any]) -> None:
        self._found = found
        self._ended.set()


def call(
    nodes: int, function: Callable[..., Result], *arguments: Any
) -> Pending[Result]:
    """Begins a call in the second process; calls are made one after the other.

    Args:
        nodes: The size of the network. In a small one the call is not worth a process,
            and is made when its result is asked for.
        function: A function of a module, without side effects.
        *arguments: What pickle can copy.
    """
    pending = Pending(function, arguments)
    if nodes >= SMALL:
        pending.begin(_Second.running())
    return pending


class _Second:
    """The second process. It ends with this one, however this one ends."""

    _one: _Second | None = None

    @classmethod
    def running(cls) -> _Second:
        """Returns the one of this process, started where there is none."""
        if cls._one is None or cls._one.ended:
            cls._one = cls()
        return cls._one

    def __init__(self) -> None:
        root = str(Path(__file__).resolve().parent.parent)
        self._process = subprocess.Popen(
            [sys.executable, "-c", _START.format(root)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._waiting: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.ended = False
        threading.Thread(target=self._listen, daemon=True).start()
        atexit.register(self.end)

    def send(self, request: Any, on_end: Callable[[tuple[bool, Any]], None]) -> None:
        """Asks for a call, and says whom to tell of its end."""
        self._waiting.put(on_end)
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):  # it has ended, which `_listen` sees too
            pickle.dump(pickle.dumps(request), self._process.stdin)
            self._process.stdin.flush()
        if self.ended:  # since the last look, so that nobody waits for ever
            self._give_up()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        with contextlib.suppress(EOFError, OSError, pickle.UnpicklingError):
            while True:
                found = pickle.load(self._process.stdout)
                self._waiting.get()(found)
        self.ended = True
        self._give_up()

    def _give_up(self) -> None:
        with contextlib.suppress(queue.Empty):
            while True:
                self._waiting.get_nowait()((False, None))

    def end(self) -> None:
        """Ends it."""
        self._process.kill()
        self._process.wait()


def serve() -> None:
    """Is what the second process runs: answers calls until its parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to answer
    requests: queue.SimpleQueue[Any] = queue.SimpleQueue()
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a function prints is no answer

    def read(source: IO[bytes]) -> None:
        with contextlib.suppress(EOFError):
            while True:
                requests.put(pickle.load(source))  # bytes: nothing is imported yet
        os._exit(0)

    threading.Thread(target=read, args=[sys.stdin.buffer], daemon=True).start()
    while True:
        request = requests.get()
        try:
            function, arguments = pickle.loads(request)
            found = True, function(*arguments)
        except Exception:  # the parent calls it again, and raises its own
            found = False, None
        pickle.dump(found, answers, protocol=pickle.HIGHEST_PROTOCOL)
        answers.flush()
