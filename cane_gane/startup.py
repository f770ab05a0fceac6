"""Starts TensorFlow quietly and with the threads and determinism that are wanted."""

from __future__ import annotations

import os
import sys
import tempfile


def load_tensorflow(*, deterministic: bool = False, device: str | None = None) -> None:
    """Imports TensorFlow without its notes about absent graphics cards.

    Args:
        deterministic: Whether its operations must be equal to the last bit from
            run to run.
        device: `cpu` hides all graphics cards; None leaves the choice to TensorFlow.
    """
    with tempfile.TemporaryFile() as notes:
        sys.stderr.flush()
        terminal = os.dup(2)
        os.dup2(notes.fileno(), 2)
        try:
            import tensorflow as tf

            if device == "cpu":
                tf.config.set_visible_devices([], "GPU")
            tf.config.list_logical_devices()
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
