"""Seconds per epoch of each model, pairs scored per second, memory, and start-up.

bash run.sh benchmark training DATASET RATIO [--upstream=FOLDER] [--profile]

Each case runs in its own process. Rounds are interleaved: the processes take turns, and
only one works at a time. `FOLDER` is a checkout of thunlp/CANE, whose code runs
unmodified; without it our `cane` in upstream mode, padded to 300 words, stands in for
it.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from absl import app, flags

UPSTREAM = flags.DEFINE_string("upstream", None, "a checkout of thunlp/CANE")
ROUNDS = flags.DEFINE_integer("rounds", 7, "rounds to take the median of", 1)
STEPS = flags.DEFINE_integer("steps", 8, "training steps in a round", 1)
JSON = flags.DEFINE_bool("json", False, "whether to print JSON")
PROFILE = flags.DEFINE_bool("profile", False, "where the time of ap goes, no more")

STAND_IN = "cane, upstream mode"
ONEDNN = " with oneDNN"  # otherwise oneDNN is off, for upstream, too
CASES = (STAND_IN, "cane", "wane", "ot", "ap", f"ap{ONEDNN}", "score", f"score{ONEDNN}")


class Case:
    """A process that takes steps on request."""

    def __init__(self, name: str, dataset: str, ratio: str) -> None:
        module = "upstream_turns" if name == "upstream" else "turns"
        words = [UPSTREAM.value] if name == "upstream" else []
        plain = name.removesuffix(ONEDNN)
        command = [
            sys.executable, "-m", f"benchmarks.{module}", plain, dataset, ratio, *words,
        ]  # fmt: skip
        settings = {
            **os.environ,
            "TF_CPP_MIN_LOG_LEVEL": "2",
            "TF_ENABLE_ONEDNN_OPTS": "0" if plain == name else "1",
        }
        started = time.perf_counter()
        self.name = name
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=settings,
        )
        self.sizes = self._answer()
        self.start_up = time.perf_counter() - started

    def ask(self, words: str) -> dict[str, Any]:
        assert self._process.stdin is not None
        self._process.stdin.write(words + "\n")
        self._process.stdin.flush()
        return self._answer()

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.startswith("{"):
                return dict(json.loads(line))
        raise SystemExit(f"the process of {self.name} ended without an answer")

    def end(self) -> dict[str, Any]:
        answer = self.ask("end")
        self._process.terminate()
        self._process.wait()
        return answer


def measure(dataset: str, ratio: str) -> list[dict[str, Any]]:
    names = (*(["upstream"] if UPSTREAM.value else []), *CASES)
    cases = [Case(name, dataset, ratio) for name in names]
    seconds: dict[str, list[float]] = {name: [] for name in names}
    for _ in range(ROUNDS.value):
        for case in cases:
            answer = case.ask(str(STEPS.value))
            seconds[case.name].append(answer["seconds"] / answer["units"])
    base = statistics.median(seconds["upstream" if UPSTREAM.value else STAND_IN])
    rows = []
    for case in cases:
        one = statistics.median(seconds[case.name])
        row: dict[str, Any] = {"case": case.name}
        if case.name.startswith("score"):
            row["pairs_a_second"] = 1 / one
        else:
            row["epoch_s"] = one * case.sizes["units"]
            row["per_1000_edges_s"] = 1000 * one
            row["fastest"] = 1000 * min(seconds[case.name])
            row["slowest"] = 1000 * max(seconds[case.name])
            row["of_upstream"] = one / base
        row["start_up_s"] = case.start_up
        row["peak_mb"] = case.end()["peak_mb"]
        rows.append(row)
    return rows


def markdown(rows: list[dict[str, Any]]) -> str:
    names = list(dict.fromkeys(key for row in rows for key in row))
    lines = ["| " + " | ".join(names) + " |", "|---" * len(names) + "|"]
    for row in rows:
        cells = [row.get(name, "") for name in names]
        shown = [
            x if isinstance(x, str) else f"{x:,.0f}" if x >= 100 else f"{x:.2f}"
            for x in cells
        ]
        lines.append("| " + " | ".join(shown) + " |")
    return "\n".join(lines)


def main(argv: list[str]) -> None:
    if len(argv) != 3:
        raise app.UsageError("expected DATASET RATIO")
    if PROFILE.value:
        command = [sys.executable, "-m", "benchmarks.profile", *argv[1:]]
        raise SystemExit(subprocess.run(command, check=False).returncode)
    rows = measure(*argv[1:])
    print(json.dumps(rows, indent=1) if JSON.value else markdown(rows))


if __name__ == "__main__":
    os.chdir(Path(__file__).resolve().parent.parent)
    app.run(main)
