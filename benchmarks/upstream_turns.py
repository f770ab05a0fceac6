"""A process of `benchmarks.training`: upstream's own code, a few steps at a time."""

from __future__ import annotations

import os
import runpy
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.turns import turns
from cane_gane.data.catalog import load
from cane_gane.runs.config import Config
from cane_gane.upstream.checkout import Checkout
from cane_gane.upstream.standins import install


def main(_: str, dataset: str, ratio: str, folder: str) -> None:
    config = Config.make(
        dataset=dataset, ratio=float(ratio), method="cane", preset="upstream"
    )
    settings: Any = config.settings
    split = load(dataset).split(config.ratio, config.split, config.seed)
    with tempfile.TemporaryDirectory() as work:
        Checkout.read(Path(folder)).copy_to(Path(work), split, dataset)
        os.chdir(Path(work, "code"))
        pace(install(), len(split.train))
        sys.path.insert(0, ".")
        sys.argv = ["train.py", "--dataset", dataset, "--rho", settings.rho]
        runpy.run_path("train.py", run_name="__main__")


def pace(version_1: Any, edges: int) -> None:
    """Makes TensorFlow's session wait for its turn before each training step."""
    turn = turns(edges)
    started = False

    class Session(version_1.Session):  # type: ignore[misc,name-defined]
        def run(self, fetches: Any, feed_dict: Any = None, **options: Any) -> Any:
            nonlocal started
            values = super().run(fetches, feed_dict, **options)
            if feed_dict and isinstance(fetches, list):
                try:
                    if started:
                        turn.send(len(next(iter(feed_dict.values()))))
                    else:
                        started = True
                        next(turn)
                except StopIteration:
                    os._exit(0)
            return values

    version_1.Session = Session


if __name__ == "__main__":
    main(*sys.argv[1:])
