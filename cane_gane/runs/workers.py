"""The parent of workers: starts, watches and restarts them."""

from __future__ import annotations

import contextlib
import os
import selectors
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from cane_gane.beside import LOST
from cane_gane.data.catalog import find_dataset
from cane_gane.errors import InputError
from cane_gane.methods.registry import METHODS, find_method
from cane_gane.progress import warn
from cane_gane.runs.config import Config
from cane_gane.runs.folder import RunFolder
from cane_gane.runs.loopback import PrivateNetwork
from cane_gane.runs.signals import ends_as_interrupts
from cane_gane.runs.worker import Order
from cane_gane.runs.worker_process import Child, Failure, Lines
from cane_gane.training.runtime import core_count
from cane_gane.training.workers.cluster import Cluster

FRUITLESS = 3  # starts in a row without a kept epoch, before we give up
_FINAL = (1, 2, 3, 4)  # exit codes that a restart would not change
_POLL_SECONDS = 0.2
_PAUSE_SECONDS = 2  # so that workers elsewhere also notice


class Team:
    """Workers of this machine: all of a team, or our own one of a cluster.

    Attributes:
        chief: Whether the chief is among them.
    """

    def __init__(
        self,
        clusters: Callable[[], Sequence[Cluster]],
        config: Config,
        *,
        device: str = "auto",
        join_seconds: int = 300,
    ) -> None:
        """Takes the workers and their task.

        Args:
            clusters: Returns the workers to start here; called for each start.
            config: The settings of the run.
            device: The device they compute on.
            join_seconds: How long they wait for each other.
        """
        self._clusters = clusters
        self._config = config
        self._device = device
        self._seconds = join_seconds
        self.chief = any(one.chief for one in clusters())

    @classmethod
    def of(
        cls, config: Config, count: int, device: str, join_seconds: int
    ) -> Team | None:
        """Returns the workers to start: several here, or ours of a cluster.

        Raises:
            InputError: The method does not support workers, or TF_CONFIG is invalid.
        """
        own = Cluster.from_environment(os.environ)
        if own and count > 1:
            raise InputError(
                f"found --workers={count} with a cluster in TF_CONFIG; expected one of "
                "them: each process of a cluster is one worker"
            )
        if not own and count == 1:
            return None
        if find_method(config.method).join is None:
            able = [key for key, method in METHODS.items() if method.join]
            raise InputError(
                f"found several workers with method {config.method}; expected one of "
                f"{', '.join(able)}"
            )
        clusters = (lambda: [own]) if own else (lambda: Cluster.local(count))
        return cls(clusters, config, device=device, join_seconds=join_seconds)

    def train(self, folder: RunFolder | None) -> None:
        """Trains to the end; restarts from the last checkpoint if a worker is lost.

        Args:
            folder: The run's folder, if the chief is ours.

        Raises:
            InputError: A worker refused its input or never connected, or several starts
                in a row kept no epoch.
        """
        fruitless = 0
        dataset = self._config.dataset
        home = folder.home(dataset) if folder else find_dataset(dataset)
        path = folder.path if folder else None
        with ends_as_interrupts():
            while True:
                clusters = self._clusters()
                with self._children(clusters, home, path) as children:
                    failure = self._watch(children)
                    kept = max(child.kept for child in children)
                if failure is None:
                    return
                fruitless = 0 if kept else fruitless + 1
                if failure.code in _FINAL or fruitless == FRUITLESS:
                    raise _error(failure)
                warn(f"{failure.reason}; starting again from the last checkpoint …")
                if len(clusters) < len(clusters[0].addresses):
                    time.sleep(_PAUSE_SECONDS)

    @contextlib.contextmanager
    def _children(
        self, clusters: Sequence[Cluster], home: Path, folder: Path | None
    ) -> Iterator[list[Child]]:
        """Starts a worker for each cluster; ends all of them at the end."""
        children: list[Child] = []
        together = len(clusters) > 1
        share = max(1, core_count() // len(clusters)) if together else None
        network = _network() if together else None
        try:
            for one in clusters:
                order = Order(
                    self._config.flat(),
                    str(home),
                    list(one.addresses),
                    one.index,
                    self._device,
                    str(folder) if one.chief and folder else None,
                    os.getpid(),
                )
                children.append(Child(order, network, share))
            yield children
        finally:
            for child in children:
                child.end()
            if network:
                network.close()

    def _watch(self, children: Sequence[Child]) -> Failure | None:
        """Follows workers until all are done or one has failed."""
        limit = time.monotonic() + self._seconds
        patience = float("inf")
        with selectors.DefaultSelector() as selector:
            for child in children:
                for stream, take in child.streams():
                    selector.register(stream, selectors.EVENT_READ, Lines(take))
            while True:
                _read(selector)
                ended = [one for one in children if one.process.poll() is not None]
                failed = [one for one in ended if one.process.returncode]
                if failed:
                    # A worker that has lost another one may end before that one does.
                    patience = min(patience, time.monotonic() + _PAUSE_SECONDS)
                    causes = [one for one in failed if one.process.returncode != LOST]
                    over = len(ended) == len(children) or time.monotonic() > patience
                    if causes or over:
                        _read(selector)  # their last output
                        return _worst(causes or failed)
                elif len(ended) == len(children) and not selector.get_map():
                    return None
                if time.monotonic() > limit and not all(c.joined for c in children):
                    return self._absence(children[0])

    def _absence(self, child: Child) -> Failure:
        """Returns which workers have not connected."""
        order = child.order
        silent = Cluster(tuple(order.addresses), order.index).silent()
        others = ", ".join(silent) or "some worker"
        return Failure(
            f"found no sign of {others} after {self._seconds} s; expected all "
            f"{len(order.addresses)} workers within that time: start each with the "
            "same command and its own TF_CONFIG, or wait longer with --join_seconds",
            2,
        )


def _read(selector: selectors.BaseSelector) -> None:
    """Takes the output of processes, once there is some."""
    for key, _ in selector.select(_POLL_SECONDS):
        content = os.read(key.fd, 1 << 16)
        key.data.add(content)
        if not content:
            selector.unregister(key.fileobj)


def _worst(failed: Sequence[Child]) -> Failure:
    """Returns a failure that a restart would not fix, if there is one."""
    final = [child for child in failed if child.process.returncode in _FINAL]
    return (final or failed)[0].failure()


def _error(failure: Failure) -> InputError:
    error = InputError(failure.reason)
    error.exit_code = failure.code if failure.code in _FINAL else 2
    return error


def _network() -> PrivateNetwork | None:
    try:
        return PrivateNetwork()
    except OSError as error:
        warn(
            f"workers have no private network here ({error}): while they train, "
            "TensorFlow's ports are open on all interfaces of this machine"
        )
        return None
