"""The workers, from TF_CONFIG or on this machine, and how to join them."""

from __future__ import annotations

import json
import os
import re
import socket
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, Self

from cane_gane.errors import InputError
from cane_gane.training.runtime import load_tensorflow

VARIABLE = "TF_CONFIG"
_LOOPBACK = "127.0.0.1"
_ADDRESS = re.compile(r"(\S+):(\d{1,5})")


@dataclass(frozen=True)
class Cluster:
    """All workers, and which of them this one is.

    Attributes:
        addresses: `host:port` of each; the first is the chief, the only one that
            writes.
        index: The number of this worker.
    """

    addresses: tuple[str, ...]
    index: int

    @property
    def chief(self) -> bool:
        """Whether this worker is the one that writes."""
        return self.index == 0

    @classmethod
    def local(cls, count: int) -> list[Self]:
        """Returns `count` workers on free ports of this machine, a cluster for each."""
        with ExitStack() as stack:  # all at once, so that all ports differ
            ports = []
            for _ in range(count):
                free = stack.enter_context(socket.socket())
                free.bind((_LOOPBACK, 0))
                ports.append(free.getsockname()[1])
        addresses = tuple(f"{_LOOPBACK}:{port}" for port in ports)
        return [cls(addresses, index) for index in range(count)]

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Self | None:
        """Reads TF_CONFIG; None if it names no other worker.

        Raises:
            InputError: It is not in the format of TensorFlow's own strategies.
        """
        text = environment.get(VARIABLE, "")
        if not text.strip():
            return None
        try:
            content = json.loads(text)
            jobs = content.get("cluster", {})
            task = content.get("task", {})
            kind, number = task.get("type", "worker"), int(task.get("index", 0))
            chiefs, others = list(jobs.get("chief", [])), list(jobs.get("worker", []))
            addresses = tuple(map(str, [*chiefs, *others]))
            own = {"chief": chiefs, "worker": others}[kind][number]
            if number < 0 or set(jobs) - {"chief", "worker"} or len(chiefs) > 1:
                raise ValueError
            if not all(map(_ADDRESS.fullmatch, addresses)):
                raise ValueError
            index = addresses.index(own)
        except (ValueError, KeyError, IndexError, TypeError, AttributeError):
            if text.strip() == "{}":
                return None
            raise InputError(
                f"found {VARIABLE} '{' '.join(text.split())[:60]}'; expected "
                '{"cluster": {"worker": ["host:port", …]}, "task": {"type": "worker", '
                '"index": 0}}, the task being one of the cluster'
            ) from None
        return cls(addresses, index) if len(addresses) > 1 else None

    def tf_config(self) -> str:
        """Returns the value of TF_CONFIG for this worker."""
        task = {"type": "worker", "index": self.index}
        return json.dumps({"cluster": {"worker": list(self.addresses)}, "task": task})

    def silent(self, seconds: float = 2.0) -> list[str]:
        """Returns the workers that do not answer, such as `worker 1 (host:1)`."""
        found = []
        for index, address in enumerate(self.addresses):
            host, port = address.rsplit(":", 1)
            try:
                socket.create_connection((host.strip("[]"), int(port)), seconds).close()
            except OSError:
                found.append(f"worker {index} ({address})")
        return found


def join(cluster: Cluster, **options: Any) -> Any:
    """Starts TensorFlow as one of several workers; waits until all are connected.

    The wait cannot be interrupted: a process that watches this one has to end it.

    Args:
        cluster: The workers.
        **options: Options of `load_tensorflow`.

    Returns:
        A `tf.distribute.MultiWorkerMirroredStrategy`. It must be the first object that
        TensorFlow creates.
    """
    os.environ[VARIABLE] = cluster.tf_config()
    made = []

    def begin() -> None:
        import tensorflow as tf

        made.append(tf.distribute.MultiWorkerMirroredStrategy())

    load_tensorflow(begin=begin, **options)
    return made[0]
