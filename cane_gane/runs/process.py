"""Runs a child process: reads its output, measures its cost, stops it with us."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

from cane_gane.beside import lifeline, tied
from cane_gane.errors import fault
from cane_gane.files import write_atomically
from cane_gane.runs.signals import ends_as_interrupts

_ROOT = Path(__file__).resolve().parent.parent.parent
_POLL_SECONDS = 0.05
# A terminal sends Ctrl-C to the child as well; `kill` sends it to us only.
_PATIENCE = ((2, signal.SIGINT), (20, signal.SIGKILL))


@dataclass(frozen=True)
class Usage:
    """The cost of one or several processes of a run.

    Attributes:
        seconds: Total wall-clock time.
        cpu_seconds: Total time on all cores, which other work affects less.
        memory: The largest resident memory of any of them, in bytes.
    """

    seconds: float = 0.0
    cpu_seconds: float = 0.0
    memory: int = 0

    def plus(self, other: Usage) -> Usage:
        """Returns the sum of both costs."""
        return Usage(
            self.seconds + other.seconds,
            self.cpu_seconds + other.cpu_seconds,
            max(self.memory, other.memory),
        )


class Ledger:
    """The cost of each run, summed over all its starts, in one JSON file."""

    def __init__(self, path: Path) -> None:
        """Takes the file, which need not exist yet."""
        self._path = path

    def of(self, name: str) -> Usage:
        """Returns what a run has cost so far."""
        return Usage(**self._read().get(name, {}))

    def add(self, name: str, usage: Usage) -> None:
        """Adds the cost of a start to a run."""
        self._write({**self._read(), name: asdict(self.of(name).plus(usage))})

    def forget(self, name: str) -> None:
        """Resets a run's cost to zero."""
        self._write({k: v for k, v in self._read().items() if k != name})

    def _read(self) -> dict[str, dict[str, Any]]:
        """Returns the file's content.

        Raises:
            InputError: The file is damaged.
        """
        if not self._path.is_file():
            return {}
        try:
            found = dict(json.loads(self._path.read_text(encoding="utf-8")))
            for usage in found.values():
                Usage().plus(Usage(**usage))
        except (ValueError, TypeError, RecursionError):
            raise fault(
                self._path,
                None,
                "no costs of runs",
                "what compare wrote there: remove it, and costs are counted anew",
            ) from None
        return found

    def _write(self, content: Mapping[str, Mapping[str, Any]]) -> None:
        write_atomically(self._path, (json.dumps(content, indent=1) + "\n").encode())


def run_process(
    words: Sequence[str],
    add: Callable[[Usage], None],
    *,
    folder: Path | None = None,
    settings: Mapping[str, str] | None = None,
    errors: IO[bytes] | None = None,
    on_line: Callable[[str], None],
) -> int:
    """Runs a command to its end; Ctrl-C, or a signal to end, also ends the command.

    Args:
        words: The command.
        add: Called with the cost, however the process ends.
        folder: The folder to run it in.
        settings: Environment variables in addition to the inherited ones.
        errors: The file for its standard error; by default, ours.
        on_line: Called with each line of its standard output.

    Returns:
        Its exit code.
    """
    started = time.perf_counter()
    process = subprocess.Popen(
        words,
        cwd=folder,
        env={
            **os.environ,
            "PYTHONPATH": _python_path(),
            **tied(),
            **(settings or {}),
        },
        stdin=lifeline(),
        stdout=subprocess.PIPE,
        stderr=errors,
    )
    assert process.stdout is not None
    peak = _Peak(process.pid)
    try:
        with ends_as_interrupts():
            for line in process.stdout:
                on_line(line.decode(errors="replace"))
    except BaseException:
        _stop(process.pid)
        raise
    finally:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        process.stdout.close()
        add(
            Usage(
                time.perf_counter() - started,
                used.ru_utime + used.ru_stime,
                peak.end(),
            )
        )
    return process.returncode


class _Peak(threading.Thread):
    """Watches the peak memory of a process.

    `wait4` would include the memory of the parent that it was forked from.
    """

    def __init__(self, process_id: int) -> None:
        super().__init__(daemon=True)
        self._status = Path(f"/proc/{process_id}/status")
        self._ended = threading.Event()
        self._bytes = 0
        self.start()

    def run(self) -> None:
        while not self._ended.wait(0.05):
            with contextlib.suppress(OSError):
                found = re.search(r"VmHWM:\s+(\d+) kB", self._status.read_text())
                if found:
                    self._bytes = max(self._bytes, 1024 * int(found[1]))

    def end(self) -> int:
        """Ends the watch and returns the bytes; 0 if the system does not report any."""
        self._ended.set()
        self.join()
        return self._bytes


def _python_path() -> str:
    """Returns the PYTHONPATH for a child that runs in another folder."""
    places = [str(_ROOT), os.environ.get("PYTHONPATH", "")]
    return os.pathsep.join(filter(None, places))


def _stop(process: int) -> None:
    for seconds, number in _PATIENCE:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if os.waitid(os.P_PID, process, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                return
            time.sleep(_POLL_SECONDS)
        os.kill(process, number)
