"""The process of one worker: it reads its order from standard input, and trains.

`runs/workers.py` starts it and follows its progress on standard output. It ends with
its parent, for whatever reason.
"""

from __future__ import annotations

import json
import os
import re
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from cane_gane.beside import LOST, end_with
from cane_gane.runs.loopback import enter


@dataclass(frozen=True)
class Order:
    """What a worker has to do.

    Attributes:
        settings: The settings of the run, as in config.json.
        home: The folder of the data set.
        addresses: The addresses of all workers.
        index: The number of this one.
        device: The device to compute on.
        folder: The run's folder, for the chief.
        parent: The id of the process that sent the order.
    """

    settings: dict[str, Any]
    home: str
    addresses: list[str]
    index: int
    device: str
    folder: str | None
    parent: int

    def line(self) -> bytes:
        """Returns the order as the line that the worker reads."""
        return (json.dumps(asdict(self)) + "\n").encode()


def main() -> int:
    """Carries out the order; returns the exit code."""
    enter()
    order = Order(**json.loads(sys.stdin.readline()))
    end_with(order.parent)
    from cane_gane.errors import InputError

    try:
        _work(order)
    except InputError as error:
        return _fail(str(error), error.exit_code)
    except OSError as error:
        return _fail(" ".join(str(error).split())[:300], 2)
    except Exception as error:
        import tensorflow as tf

        if not isinstance(error, tf.errors.OpError):
            raise
        reason = re.sub(r"\{\{.*?\}\}", "", " ".join(error.message.split())).strip()[
            :90
        ]
        return _fail(f"lost another worker ({type(error).__name__}: {reason})", LOST)
    return 0


def _work(order: Order) -> None:
    from cane_gane.data.network import TextualNetwork
    from cane_gane.methods.method import Worker
    from cane_gane.methods.registry import find_method
    from cane_gane.runs.config import Config
    from cane_gane.training.workers.cluster import Cluster

    config = Config.make(**order.settings)
    network = TextualNetwork.read(order.home, config.dataset)
    split = config.split_of(network)
    worker = Worker(
        Cluster(tuple(order.addresses), order.index),
        order.device,
        Path(order.folder) if order.folder else None,
        lambda news: print(news, flush=True),
    )
    join = find_method(config.method).join
    assert join is not None
    join(split, config.settings, config.seed, worker)


def _fail(message: str, code: int) -> int:
    print(f"cane_gane: {message}", file=sys.stderr, flush=True)
    return code


if __name__ == "__main__":
    # Skips TensorFlow's shutdown, which waits for workers that are gone.
    os._exit(main())
