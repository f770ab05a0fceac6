"""The process of one worker: it gets its order on standard input, and trains.

`runs/workers.py` starts it, and is told on standard output how far it is. It ends with
its parent, however that ends.
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
        settings: Those of the run, as config.json has them.
        home: The folder of the data set.
        addresses: Of all workers.
        index: The number of this one.
        device: Where it computes.
        folder: The run's folder, for the chief.
        parent: The process that ordered it.
    """

    settings: dict[str, Any]
    home: str
    addresses: list[str]
    index: int
    device: str
    folder: str | None
    parent: int

    def line(self) -> bytes:
        """Returns it as the line that the worker reads."""
        return (json.dumps(asdict(self)) + "\n").encode()


def main() -> int:
    """Does what the order says; returns the exit code."""
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
    # Without TensorFlow's shutdown, which waits for workers that are gone.
    os._exit(main())
