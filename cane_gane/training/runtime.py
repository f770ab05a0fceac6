"""Starts TensorFlow quietly, with the requested threads and determinism."""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
import tempfile
from collections.abc import Callable

_THREADS = "TF_NUM_INTRAOP_THREADS"
# Variables that TensorFlow reads at import. oneDNN compiles a product for each new
# shape, and texts have so many shapes that an Intel Xeon took three times as long with
# it.
_ENVIRONMENT = {"TF_CPP_MIN_LOG_LEVEL": "2", "TF_ENABLE_ONEDNN_OPTS": "0"}
# Options of glibc's mallopt: keep up to 1 GB of freed memory, request 16 MB at a time,
# and reuse memory for all blocks below 32 MB.
_MALLOC = {-1: 1 << 30, -2: 1 << 24, -3: 1 << 25}


def load_tensorflow(
    *,
    deterministic: bool = False,
    device: str | None = None,
    by_pairs: bool = True,
    begin: Callable[[], object] | None = None,
) -> None:
    """Imports TensorFlow without its notes about absent graphics cards.

    Args:
        deterministic: Whether operations must give the same result in every run, to the
            last bit.
        device: `cpu` hides all graphics cards; None leaves the choice to TensorFlow.
        by_pairs: Whether pairs of texts run in parallel, so that one core per operation
            is best.
        begin: Sets TensorFlow up, if that takes more than looking for devices.
    """
    _keep_freed_memory()
    for name, value in _ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    with tempfile.TemporaryFile() as notes:
        sys.stderr.flush()
        terminal = os.dup(2)
        os.dup2(notes.fileno(), 2)
        try:
            import tensorflow as tf

            if by_pairs and _THREADS not in os.environ:
                with contextlib.suppress(RuntimeError):  # it is already running
                    tf.config.threading.set_intra_op_parallelism_threads(1)
            if device == "cpu":
                tf.config.set_visible_devices([], "GPU")
            (begin or tf.config.list_logical_devices)()
        except BaseException:
            notes.seek(0)
            os.write(terminal, notes.read())
            raise
        finally:
            sys.stderr.flush()
            os.dup2(terminal, 2)
            os.close(terminal)
    if deterministic:
        tf.config.experimental.enable_op_determinism()


def core_count() -> int:
    """Returns the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1  # macOS has no affinity


def _keep_freed_memory() -> None:
    """Lets tensors reuse freed memory, which the system would have to clear again."""
    library = ctypes.CDLL(None)
    if hasattr(library, "mallopt"):
        for option, value in _MALLOC.items():
            library.mallopt(option, value)
