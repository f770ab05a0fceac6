"""Sixteen clients at once: `bash run.sh benchmark serve RUN`.

Starts `serve RUN`, asks each question alone first, then lets sixteen clients ask the
same questions at once, and compares every answer with the one that was given alone.
Prints how many were lost, the CPU time of one, requests a second, and the 50th and 99th
percentile of their times.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np

CLIENTS = 16
DIFFERENT = 20  # questions of a kind


class Client:
    """One connection, which stays open."""

    def __init__(self, home: str) -> None:
        self._connection = http.client.HTTPConnection(urlsplit(home).netloc, timeout=60)

    def ask(self, path: str, fields: Any = None) -> tuple[int, Any]:
        method = "GET" if fields is None else "POST"
        self._connection.request(method, path, json.dumps(fields).encode())
        response = self._connection.getresponse()
        return response.status, json.loads(response.read())

    def close(self) -> None:
        self._connection.close()


@dataclass
class Tally:
    """What the clients recorded for one kind of question."""

    seconds: list[float] = field(default_factory=list)
    lost: int = 0
    different: int = 0
    took: float = 0.0


def questions(nodes: int, texts: list[str]) -> dict[str, list[Any]]:
    """Returns questions of each kind, the same in every run."""
    generator = np.random.default_rng(1)
    some = generator.integers(0, nodes, (DIFFERENT, 2)).tolist()
    pairs = [{"source": a, "target": b} for a, b in some]
    return {
        "/health": [None],
        "/score": pairs,
        "/score, 20 pairs at once": [{"pairs": some}],
        "/recommend": [{"node": a, "top": 10} for a, _ in some],
        "/search": [{"text": text, "top": 10} for text in texts],
        "/explain": pairs,
        "/embed": [{"nodes": own} for own in some],
    }


def attack(home: str, path: str, asked: list[Any], count: int, seconds: float) -> Tally:
    """Lets the clients ask until all questions are answered or the time is up."""
    client = Client(home)
    # A health check returns how many requests wait, which differs.
    alone = [client.ask(path, own) if own else (200, None) for own in asked]
    client.close()
    tally, left, lock = Tally(), iter(range(count)), threading.Lock()
    end = time.monotonic() + seconds

    def work() -> None:
        own = Client(home)
        while time.monotonic() < end:
            with lock:
                number = next(left, None)
            if number is None:
                break
            start = time.perf_counter()
            try:
                status, content = own.ask(path, asked[number % len(asked)])
            except (OSError, http.client.HTTPException, ValueError):
                status, content = 0, None
                own = Client(home)
            taken = time.perf_counter() - start
            expected = alone[number % len(asked)][1]
            same = expected is None or alike(content, expected)
            with lock:
                tally.seconds.append(taken)
                tally.lost += status != 200
                tally.different += not same
        own.close()

    start = time.perf_counter()
    run_all(work)
    tally.took = time.perf_counter() - start
    return tally


def run_all(work: Callable[[], None]) -> None:
    threads = [threading.Thread(target=work) for _ in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def alike(one: Any, other: Any) -> bool:
    """Whether two answers agree; sums may differ in the last digits."""
    if one == other:
        return True
    if isinstance(one, float) and isinstance(other, float):
        return bool(np.isclose(one, other, rtol=1e-4, atol=1e-5))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(alike(one[k], other[k]) for k in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(alike, one, other))
    return bool(one == other)


def cpu_seconds(pid: int) -> float:
    """Returns the CPU seconds of a process so far, as Linux counts them."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure(pid: int, home: str, count: int, seconds: float) -> None:
    """Prints a row for each kind of question."""
    client = Client(home)
    nodes = client.ask("/health")[1]["nodes"]
    first = [{"node": node, "top": 1} for node in range(min(DIFFERENT, nodes))]
    found = client.ask("/recommend", first)[1]
    client.close()
    texts = [own["suggestions"][0]["node"]["text"][:200] for own in found]
    columns = "requests | lost | different | CPU ms | a second | 50 % ms | 99 % ms"
    print(f"{nodes:,} nodes, {CLIENTS} clients\n\n| question | {columns} |")
    print("|---" * (columns.count("|") + 2) + "|")
    for name, asked in questions(nodes, texts).items():
        path, before = name.split(",")[0], cpu_seconds(pid)
        tally = attack(home, path, asked, count, seconds)
        # The questions that were asked alone were computed, too.
        answered = len(tally.seconds) + len(asked)
        cpu = 1000 * (cpu_seconds(pid) - before) / answered
        half, most = 1000 * np.percentile(tally.seconds, [50, 99])
        rate = len(tally.seconds) / tally.took
        print(f"| `{path}`{name.removeprefix(path)} | {len(tally.seconds)} | "
              f"{tally.lost} | {tally.different} | {cpu:.1f} | {rate:.0f} | "
              f"{half:.0f} | {most:.0f} |", flush=True)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run")
    parser.add_argument("--requests", type=int, default=400, help="of each kind")
    parser.add_argument("--seconds", type=float, default=60, help="a kind, at most")
    given = parser.parse_args()
    server = subprocess.Popen(
        [sys.executable, "-m", "cane_gane", "serve", given.run, "--port=0"],
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert server.stdout is not None
    line = server.stdout.readline()
    if not line:
        sys.exit(server.wait())
    try:
        measure(server.pid, line.split()[0], given.requests, given.seconds)
    finally:
        server.send_signal(signal.SIGTERM)
        _, status, used = os.wait4(server.pid, 0)
        server.returncode = os.waitstatus_to_exitcode(status)
    cpu, memory = used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
    print(f"\nThe server used {cpu:.0f} CPU seconds and {memory:.0f} MB; "
          f"exit code {server.returncode}.")  # fmt: skip


if __name__ == "__main__":
    main()
