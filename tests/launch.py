"""Runs commands as a user would: in a process of their own, or in this one."""

import contextlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from cane_gane.__main__ import main
from cane_gane.runs.loopback import PrivateNetwork

ROOT = Path(__file__).resolve().parent.parent
FLAGS = ["--dimension=8", "--epochs=6", "--batch_size=8", "--patience=6",
         "--validation=0.2", "--learning_rate=0.01", "--device=cpu"]  # fmt: skip


def start(network, runs_dir, *flags, method="wane"):
    """Starts the training command."""
    command = [sys.executable, "-m", "cane_gane", str(network), "0.6", method]
    return subprocess.Popen(
        [*command, *FLAGS, f"--runs_dir={runs_dir}", *flags],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


@contextlib.contextmanager
def private_network():
    """Gives options of a process whose servers nobody else can reach."""
    try:
        network = PrivateNetwork()
    except OSError as error:
        pytest.skip(str(error))
    settings = {**os.environ, "PYTHONPATH": str(ROOT), **network.settings}
    try:
        yield {"pass_fds": network.files, "env": settings, "cwd": ROOT}
    finally:
        network.close()


def finish(process):
    """Waits for its end; returns exit code, output and errors."""
    out, err = process.communicate(timeout=1200)
    return process.returncode, out, err


def refused(capsys, *words):
    """Runs a command that must fail with a single line; returns that line."""
    capsys.readouterr()
    assert main([*map(str, words)]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1, error
    assert len(error) < 1000
    return error
