"""One run of a grid: its settings, its folder, and its process."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cane_gane.beside import lifeline, tied
from cane_gane.progress import LOUD
from cane_gane.runs.config import Config
from cane_gane.runs.folder import RunFolder

PROGRAM = (sys.executable, "-m", "cane_gane", "train")
_NAMED = ("dataset", "ratio", "method")  # arguments of the command, not flags
_PATIENCE_SECONDS = 20


@dataclass(frozen=True)
class Cell:
    """One run of a grid.

    Attributes:
        config: Its settings.
        folder: Its folder.
        words: The arguments and flags of the training command.
    """

    config: Config
    folder: RunFolder
    words: tuple[str, ...]

    @classmethod
    def of(cls, chosen: Mapping[str, Any], runs_dir: Path) -> Cell:
        """Builds the run with the chosen settings, in a folder below `runs_dir`."""
        config = Config.make(**chosen)
        flags = (
            f"--{'' if value else 'no'}{name}" if isinstance(value, bool)
            else f"--{name}={value}"
            for name, value in chosen.items() if name not in _NAMED
        )  # fmt: skip
        words = (config.dataset, str(config.ratio), config.method, *flags)
        return cls(config, RunFolder.of(config, runs_dir), words)


class Child:
    """A run's process; its output goes to its log."""

    def __init__(self, cell: Cell, device: str, settings: Mapping[str, str]) -> None:
        """Starts a run, exactly like the plain command.

        Args:
            cell: The run.
            device: The device to compute on.
            settings: Environment variables in addition to the inherited ones.
        """
        self.cell = cell
        where = (f"--device={device}", f"--runs_dir={cell.folder.path.parent}")
        self._log = cell.folder.path / "log.txt"
        self._log.parent.mkdir(parents=True, exist_ok=True)
        with open(self._log, "ab") as log:  # keeps the log of earlier starts
            self._told = self._begin = log.tell()
            self._process = subprocess.Popen(
                (*PROGRAM, *cell.words, *where),
                env={
                    **os.environ,
                    **LOUD,  # the log has everything
                    "TF_CPP_MIN_LOG_LEVEL": "2",
                    **tied(),
                    **settings,
                },
                stdin=lifeline(),
                stdout=subprocess.DEVNULL,  # its table is in report.html
                stderr=log,
            )
        self._started = time.monotonic()

    @property
    def seconds(self) -> float:
        """How long it has been running, in seconds."""
        return time.monotonic() - self._started

    @property
    def well(self) -> bool:
        """Whether it has ended without an error."""
        return self._process.returncode == 0

    def poll(self) -> bool:
        """Returns whether it has ended."""
        return self._process.poll() is not None

    def news(self) -> str:
        """Returns the complete lines that it has printed since the last call."""
        said = self._log.read_bytes()[self._told :]
        said = said[: said.rfind(b"\n") + 1]
        self._told += len(said)
        return said.decode(errors="replace")

    def reason(self) -> str:
        """Returns its last line, which says why it failed, and the path of its log."""
        said = self._log.read_bytes()[self._begin :].decode(errors="replace")
        last = (said.strip().splitlines() or ["no message"])[-1]
        code = self._process.returncode
        how = f"exit code {code}" if code > 0 else f"signal {-code}"
        return f"{last.strip().removeprefix('cane_gane: ')} ({how}; {self._log})"

    def terminate(self) -> None:
        """Asks it to end."""
        self._process.terminate()

    def wait(self) -> None:
        """Waits for its end; kills it if it does not end."""
        try:
            self._process.wait(_PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
