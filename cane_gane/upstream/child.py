"""The process in which upstream runs: `python -m cane_gane.upstream.child FILE …`.

Upstream's files run unmodified. What they call is wrapped from outside: the class that
makes batches (each call begins an epoch), the model (to know its tensors) and
TensorFlow's session (to see what it computes). So epochs can be timed, kept and
resumed, and the text vectors, which upstream computes but no longer writes, are kept.
"""

from __future__ import annotations

import argparse
import importlib
import random
import runpy
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from cane_gane.beside import end_with_parent
from cane_gane.upstream.standins import install
from cane_gane.upstream.watch import Watch


def main(argv: Sequence[str]) -> None:
    """Runs one of upstream's files in the current folder, its `code`."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--epochs", type=int, required=True)
    parser.add_argument("--state", type=Path, required=True)
    parser.add_argument("--text", type=Path, required=True)
    parser.add_argument("file")
    parser.add_argument("words", nargs=argparse.REMAINDER)
    known = parser.parse_args(argv)
    end_with_parent()
    random.seed(known.seed)
    np.random.seed(known.seed)
    sys.path.insert(0, ".")
    sys.argv = [known.file, *known.words]
    watch = None
    if known.file == "train.py":
        watch = Watch(install(), known.state, known.seed)
        settings = importlib.import_module("config")
        settings.num_epoch = known.epochs - watch.done  # type: ignore[attr-defined]
        _attach(watch)
    runpy.run_path(known.file, run_name="__main__")
    if watch is not None:
        watch.write_text_vectors(known.text)


def _attach(watch: Watch) -> None:
    """Puts `watch` between upstream's files and what they call."""
    version_1 = watch.version_1
    data_set = importlib.import_module("DataSet").dataSet
    model = importlib.import_module("cane").Model
    make_batches, build = data_set.generate_batches, model.__init__

    def generate_batches(self: Any, mode: str | None = None) -> Any:
        watch.begin(self)
        return make_batches(self, mode)

    def initialise(self: Any, *sizes: Any, **named: Any) -> None:
        watch.seed_graph()
        build(self, *sizes, **named)
        watch.model = self

    class Session(version_1.Session):  # type: ignore[name-defined]
        def __init__(self, *options: Any, **named: Any) -> None:
            super().__init__(*options, **named)
            watch.session = self

        def run(self, fetches: Any, feed_dict: Any = None, **options: Any) -> Any:
            values = super().run(fetches, feed_dict, **options)
            if feed_dict and isinstance(fetches, list):
                watch.see(fetches, feed_dict, values)
            return values

    data_set.generate_batches = generate_batches
    model.__init__ = initialise
    version_1.Session = Session


if __name__ == "__main__":
    main(sys.argv[1:])
