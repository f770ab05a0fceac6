"""The process of a worker, seen from its parent: its output, and how it ended."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import IO

from cane_gane.progress import say
from cane_gane.runs.loopback import PrivateNetwork
from cane_gane.runs.worker import Order

PROGRAM = (sys.executable, "-m", "cane_gane.runs.worker")
_PREFIX = "cane_gane: "


@dataclass(frozen=True)
class Failure:
    """Why workers ended before their work was done.

    Attributes:
        reason: What one of them printed, or how it ended.
        code: Its exit code; below 0 for a signal.
    """

    reason: str
    code: int


class Child:
    """The process of a worker, its output, and its progress."""

    def __init__(self, order: Order, network: PrivateNetwork | None, share: int | None):
        self.order = order
        self.joined = False
        self.kept = 0
        self.said: deque[str] = deque(maxlen=20)
        limits = ("TF_NUM_INTEROP_THREADS", "OMP_NUM_THREADS") if share else ()
        self.process = subprocess.Popen(
            PROGRAM,
            env={
                **os.environ,
                **dict.fromkeys(limits, str(share)),
                **(network.settings if network else {}),
                "TF_CPP_MIN_LOG_LEVEL": "3",  # errors are raised anyway
            },
            pass_fds=network.files if network else (),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C reaches only us
        )
        assert self.process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.write(order.line())
            self.process.stdin.flush()

    def streams(self) -> list[tuple[IO[bytes], Callable[[str], None]]]:
        """Returns its output streams, each with the function that takes its lines."""
        out, err = self.process.stdout, self.process.stderr
        assert out is not None
        assert err is not None
        return [(out, self.hear), (err, self.overhear)]

    def hear(self, line: str) -> None:
        """Takes a line of its standard output."""
        word, _, rest = line.partition(" ")
        self.joined |= word == "joined"
        self.kept += word == "epoch" and bool(rest)

    def overhear(self, line: str) -> None:
        """Takes a line of its standard error; prints it if this is the chief."""
        self.said.append(line)
        if self.order.index == 0 and not line.startswith(_PREFIX):
            say(line)

    def failure(self) -> Failure:
        """Returns how it ended."""
        code = self.process.returncode
        found = [line for line in self.said if line.startswith(_PREFIX)]
        if found and code > 0:
            return Failure(found[-1].removeprefix(_PREFIX), code)
        how = f"exit code {code}" if code >= 0 else f"signal {-code}"
        last = f": {self.said[-1][:200]}" if self.said and code >= 0 else ""
        return Failure(f"worker {self.order.index} ended by {how}{last}", code)

    def end(self) -> None:
        """Ends it, if it has not ended; it leaves nothing half-written."""
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            with contextlib.suppress(BrokenPipeError):
                stream.close()  # type: ignore[union-attr]


class Lines:
    """Splits the output of a process into lines."""

    def __init__(self, take: Callable[[str], None]) -> None:
        self._take = take
        self._rest = b""

    def add(self, content: bytes) -> None:
        """Takes more output; empty content marks the end."""
        *lines, self._rest = (self._rest + content).split(b"\n")
        if not content and self._rest:
            lines, self._rest = [self._rest], b""
        for line in lines:
            self._take(line.decode(errors="replace"))
