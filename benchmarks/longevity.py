"""Memory over a long life: `bash run.sh benchmark longevity RUN`.

Three parts, each a process of its own, whose memory is read every tenth of the way:
every signature of the SavedModel of RUN called 10,000 times by TensorFlow alone, `serve
RUN` asked 10,000 times, and a model trained 50 times. Sizes are random: 1 to 4 texts
or nodes, 1 to 40 words. Growth is counted from the first tenth on.
"""

from __future__ import annotations

import argparse
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.serve import Client, cpu_seconds

CALLS, TRAININGS = 10_000, 50
MOST, LONGEST = 4, 40
FLAT = 0.02  # smaller growth counts as none


def memory(pid: int | str = "self") -> float:
    """Returns the megabytes that a process holds now."""
    status = Path(f"/proc/{pid}/status").read_text()
    found = re.search(r"VmRSS:\s+(\d+) kB", status)
    assert found
    return int(found[1]) / 1024


def watched(
    act: Callable[[], None], count: int, pid: int | str = "self"
) -> list[float]:
    """Calls `act` `count` times; returns the memory after each tenth of the calls."""
    found = []
    for done in range(1, count + 1):
        act()
        if done * 10 % count < 10:
            found.append(memory(pid))
            print(f"  {done:,}: {found[-1]:.0f} MB", file=sys.stderr, flush=True)
    return found


class Drawn:
    """Random texts and nodes, of random number and length; every run draws the same."""

    def __init__(self, words: list[str], nodes: int) -> None:
        self._rng, self._words, self._nodes = np.random.default_rng(1), words, nodes

    def count(self) -> int:
        return int(self._rng.integers(1, MOST + 1))

    def text(self) -> str:
        chosen = self._rng.choice(self._words, self._rng.integers(1, LONGEST + 1))
        return " ".join([*chosen, f"new{self._rng.integers(10**9)}"])

    def texts(self, count: int) -> list[str]:
        return [self.text() for _ in range(count)]

    def nodes(self, count: int) -> list[int]:
        return self._rng.integers(0, self._nodes, count).tolist()


def call_signatures(run: Path, calls: int, only: str | None) -> list[float]:
    """Calls every signature `calls` times, one after another."""
    import tensorflow as tf

    model = tf.saved_model.load(str(run / "saved_model"))
    names = [only] if only else sorted(model.signatures)
    words = (run / "vocabulary.txt").read_text(encoding="utf-8").split()
    drawn = Drawn(words, len((run / "names.txt").read_bytes().splitlines()))
    wide = int(model.signatures["embed_text"].structured_outputs["embedding"].shape[-1])

    def value(spec: Any, count: int) -> Any:
        if spec.dtype == tf.string:
            return tf.constant(drawn.texts(count))
        if spec.dtype == tf.float32:
            return tf.zeros([count, wide])
        if spec.shape.rank == 0:
            return tf.constant(count, tf.int64)
        return tf.constant(drawn.nodes(count), tf.int64)

    def act() -> None:
        for name in names:
            signature, count = model.signatures[name], drawn.count()
            specs = signature.structured_input_signature[1]
            signature(**{key: value(spec, count) for key, spec in specs.items()})

    return watched(act, calls)


@contextmanager
def server(run: Path) -> Iterator[tuple[int, Client]]:
    """Runs `serve` inside a `with` block; yields its process id and a client."""
    process = subprocess.Popen(
        [sys.executable, "-m", "cane_gane", "serve", str(run), "--port=0"],
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    home = process.stdout.readline().split()[0]
    client = Client(home)
    try:
        yield process.pid, client
    finally:
        client.close()
        process.send_signal(signal.SIGTERM)
        process.wait()


def ask_service(run: Path, calls: int) -> list[float]:
    """Asks the questions in turn, `calls` in all."""
    words = (run / "vocabulary.txt").read_text(encoding="utf-8").split()
    with server(run) as (pid, client):
        drawn = Drawn(words, client.ask("/health")[1]["nodes"])
        kinds = iter(range(calls))

        def act() -> None:
            path, fields = question(drawn, next(kinds))
            status, content = client.ask(path, fields)
            assert status == 200, (path, content)

        found = watched(act, calls, pid)
        print(f"  {cpu_seconds(pid):.0f} CPU s of the server", flush=True)
    return found


def question(drawn: Drawn, number: int) -> tuple[str, Any]:
    """Returns the path and the fields of question `number`; kinds take turns."""
    count = drawn.count()
    first, second = drawn.nodes(2)
    return (
        ("/score", {"pairs": [drawn.nodes(2) for _ in range(count)]}),
        ("/recommend", {"node": first, "top": count}),
        ("/search", {"text": drawn.text(), "top": count}),
        ("/explain", {"source": first, "target": second}),
        ("/embed", {"texts": drawn.texts(count)}),
        ("/score", {"source": {"text": drawn.text()}, "target": first}),
        ("/recommend", {"text": drawn.text(), "links": drawn.nodes(count)}),
    )[number % 7]


def train_again(trainings: int) -> list[float]:
    """Trains a small model again and again, in this process."""
    import tempfile

    import cane_gane
    from benchmarks.synthetic import write_network

    with tempfile.TemporaryDirectory() as folder:
        write_network(Path(folder), 200)
        network = cane_gane.load(folder)
        seeds = iter(range(1, trainings + 1))

        def act() -> None:
            settings = {"dimension": 16, "epochs": 1, "device": "cpu"}
            model = cane_gane.fit(network, "ap", seed=next(seeds), **settings)
            model.recommend(0, top=3)

        return watched(act, trainings)


def tell(part: str, count: int, found: list[float], took: float) -> None:
    """Prints a row: the memory at each tenth, and the growth after the first."""
    growth = max(found[1:]) / found[0] - 1
    held = " ".join(f"{own:.0f}" for own in found)
    verdict = "flat" if growth <= FLAT else "GROWS"
    print(f"{part}, {count:,}: {held} MB; {100 * growth:+.1f} % after the first tenth "
          f"({verdict}); {took:.0f} CPU s", flush=True)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", type=Path)
    parser.add_argument("--calls", type=int, default=CALLS)
    parser.add_argument("--trainings", type=int, default=TRAININGS)
    parser.add_argument("--part", choices=["signatures", "serve", "train"])
    parser.add_argument("--only", help="one signature")
    given = parser.parse_args()
    if given.part is None:
        for part in ("signatures", "serve", "train"):
            command = [sys.executable, "-m", "benchmarks.longevity", *sys.argv[1:]]
            subprocess.run([*command, f"--part={part}"], check=True)
        return
    count = given.trainings if given.part == "train" else given.calls
    if given.part == "signatures":
        found = call_signatures(given.run, count, given.only)
    elif given.part == "serve":
        found = ask_service(given.run, count)
    else:
        found = train_again(count)
    tell(given.part, count, found, time.process_time())


if __name__ == "__main__":
    main()
