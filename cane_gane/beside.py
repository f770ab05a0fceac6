"""Child processes that end with this one, and one of them that calls functions.

A child's standard input is a pipe that nobody writes to. It closes when this process
ends, for whatever reason.
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

from cane_gane.progress import release_memory

Result = TypeVar("Result")

SMALL = 500  # nodes: below that, a second process costs more than it saves
LOST = 75  # a process that this one needs is gone (EX_TEMPFAIL of sysexits.h)
_PARENT = "CANE_GANE_PARENT"
_PARENT_DEATH = 1  # PR_SET_PDEATHSIG of <sys/prctl.h>
# What a thread has freed in an arena of its own is not always given back.
_ONE_ARENA = {"MALLOC_ARENA_MAX": "1"}
_START = "import sys; sys.path[:0] = [{!r}]; import cane_gane.beside as b; b.serve()"


def tied() -> Mapping[str, str]:
    """Returns the environment variable for a child that calls `end_with_parent`."""
    return {_PARENT: str(os.getpid())}


@cache
def lifeline() -> int:
    """Returns the standard input for such children, which closes with this process."""
    return os.pipe()[0]


def end_with_parent() -> None:
    """Makes this process end with its parent if the parent passed it `tied`."""
    if parent := os.environ.pop(_PARENT, None):  # our own children must not inherit it
        end_with(int(parent))


def end_with(parent: int) -> None:
    """Makes this process end when its parent ends.

    Linux kills it at once. On other systems a thread waits until standard input closes,
    which happens when the parent has ended; while workers connect to each other,
    TensorFlow delays that thread.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PARENT_DEATH, signal.SIGKILL)

    def wait() -> None:
        while os.read(0, 4096):  # sys.stdin's lock would delay our exit
            pass
        os._exit(LOST)

    threading.Thread(target=wait, daemon=True).start()
    if os.getppid() != parent:  # the parent has ended already
        os._exit(LOST)


class Pending(Generic[Result]):
    """The future result of a call; without a second process, the call is made here."""

    def __init__(self, function: Callable[..., Result], arguments: Any) -> None:
        """Takes the call, which has not begun."""
        self._call = function, arguments
        self._ended = threading.Event()
        self._ended.set()
        self._found: tuple[bool, Any] = False, None

    def result(self) -> Result:
        """Waits for the result.

        If the call failed in the other process, or that process ended, the call is
        repeated here, so that errors are raised as if there were no other process.
        """
        begin_put_off()
        self._ended.wait()
        if not self._found[0]:
            function, arguments = self._call
            self._found = True, function(*arguments)
        return self._found[1]

    def begin(self, second: _Second) -> None:
        """Passes the call to the other process."""
        self._ended.clear()
        second.send(self._call, self._end)

    def _end(self, found: tuple[bool, Any]) -> None:
        self._found = found
        self._ended.set()


def call(
    nodes: int, function: Callable[..., Result], *arguments: Any
) -> Pending[Result]:
    """Begins a call in the second process; calls run one after another.

    Args:
        nodes: The size of the network. For a small one a process is not worth it: the
            call is made here when its result is asked for.
        function: A function of a module, without side effects.
        *arguments: Its arguments, which pickle must be able to copy.
    """
    pending = Pending(function, arguments)
    if nodes >= SMALL:
        pending.begin(_Second.running())
    begin_put_off()
    return pending


def call_later(
    nodes: int, function: Callable[..., Result], *arguments: Any
) -> Pending[Result]:
    """Puts a call off, so that the next `call`, which is needed sooner, goes first.

    It begins behind that one, with `begin_put_off`, or when any result is asked for.
    Takes the same arguments as `call`.
    """
    pending = Pending(function, arguments)
    if nodes >= SMALL:
        _put_off.append(pending)
    return pending


def begin_put_off() -> None:
    """Begins the calls that were put off."""
    while _put_off:
        _put_off.pop(0).begin(_Second.running())


_put_off: list[Pending[Any]] = []


class _Second:
    """The second process. It ends with this one, for whatever reason."""

    _one: _Second | None = None

    @classmethod
    def running(cls) -> _Second:
        """Returns the second process of this one, and starts it if needed."""
        if cls._one is None or cls._one.ended:
            cls._one = cls()
        return cls._one

    def __init__(self) -> None:
        root = str(Path(__file__).resolve().parent.parent)
        self._process = subprocess.Popen(
            [sys.executable, "-c", _START.format(root)],
            env={**os.environ, **_ONE_ARENA},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._waiting: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.ended = False
        threading.Thread(target=self._listen, daemon=True).start()
        atexit.register(self.end)

    def send(self, request: Any, on_end: Callable[[tuple[bool, Any]], None]) -> None:
        """Sends a call to the process; `on_end` is called with its outcome."""
        self._waiting.put(on_end)
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):  # it has ended; `_listen` sees that too
            pickle.dump(pickle.dumps(request), self._process.stdin)
            self._process.stdin.flush()
        if self.ended:  # it ended meanwhile: do not wait for ever
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
        """Ends the process."""
        self._process.kill()
        self._process.wait()


def serve() -> None:
    """Runs in the second process: answers calls until its parent has ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C
    requests: queue.SimpleQueue[Any] = queue.SimpleQueue()
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # so that prints do not mix with answers

    def read(source: IO[bytes]) -> None:
        with contextlib.suppress(EOFError):
            while True:
                requests.put(pickle.load(source))  # still bytes, not unpickled
        os._exit(0)

    threading.Thread(target=read, args=[sys.stdin.buffer], daemon=True).start()
    while True:
        _answer(requests.get(), answers)
        release_memory()  # it may wait for long, and the first process needs it


def _answer(request: bytes, answers: IO[bytes]) -> None:
    """Makes a call; holds nothing of it afterwards."""
    try:
        function, arguments = pickle.loads(request)
        found = True, function(*arguments)
    except Exception:  # the parent repeats the call and raises its error
        found = False, None
    pickle.dump(found, answers, protocol=pickle.HIGHEST_PROTOCOL)
    answers.flush()
