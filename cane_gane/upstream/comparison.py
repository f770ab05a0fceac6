"""Runs upstream's code and our models on the same splits, one after another."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cane_gane.errors import InputError
from cane_gane.evaluation.results import Evaluation
from cane_gane.methods.registry import METHODS
from cane_gane.progress import say
from cane_gane.runs.config import Config
from cane_gane.runs.folder import RunFolder
from cane_gane.runs.process import Ledger, Usage, run_process
from cane_gane.upstream.checkout import Checkout
from cane_gane.upstream.original import Original

UPSTREAM = "upstream"
SAME = "cane-upstream"  # our CANE with all of upstream's settings
SIDES = (*METHODS, SAME)


@dataclass(frozen=True)
class Result:
    """One finished run of one side.

    Attributes:
        side: `upstream`, a variant, or `cane-upstream`.
        seed: Its seed.
        evaluation: Its results.
        seconds: The seconds of each of its epochs.
        usage: The total cost of its processes.
    """

    side: str
    seed: int
    evaluation: Evaluation
    seconds: Sequence[float]
    usage: Usage

    @property
    def epoch_seconds(self) -> float:
        """The median seconds of an epoch; 0 for a method without epochs.

        A median, since the first epoch includes tracing and compilation.
        """
        return statistics.median(self.seconds or [0.0])


@dataclass(frozen=True)
class Comparison:
    """What is compared.

    Attributes:
        checkout: Upstream's code.
        dataset: A data set's name or a folder.
        ratio: The share of the edges for training.
        variants: Our sides.
        seeds: The seeds; each side has a run for each.
        epochs: The epochs of upstream; our models need fewer and never get more.
        folder: The folder for all runs and the outcome.
    """

    checkout: Checkout
    dataset: str
    ratio: float
    variants: Sequence[str]
    seeds: Sequence[int]
    epochs: int
    folder: Path

    def config(self, side: str, seed: int) -> Config:
        """Returns the settings of a side; for upstream, those of our preset."""
        chosen: dict[str, Any] = {
            "dataset": self.dataset,
            "ratio": self.ratio,
            "method": "cane" if side in (UPSTREAM, SAME) else side,
            "seed": seed,
        }
        if side in (UPSTREAM, SAME):
            return Config.make(**chosen, preset="upstream", epochs=self.epochs)
        own = Config.make(**chosen)
        epochs = getattr(own.settings, "epochs", None)
        if epochs is None:
            return own
        return Config.make(**chosen, epochs=min(epochs, self.epochs))

    def results(self, *, overwrite: bool = False) -> Iterator[Result]:
        """Runs what is not yet finished, and yields each result when available."""
        ledger = Ledger(self.folder / "usage.json")
        for seed in self.seeds:
            for side in (UPSTREAM, *self.variants):
                name = f"{side}-seed{seed}"
                config = self.config(side, seed)
                folder = self._folder(side, config)
                if overwrite or not folder.path.is_dir():
                    ledger.forget(name)
                say(f"{side}, seed {seed} …")
                if side == UPSTREAM:
                    original = Original(self.checkout, config, folder, ledger)
                    original.run(overwrite=overwrite)
                else:
                    self._run_ours(name, config, folder, ledger, overwrite)
                yield _read(side, seed, folder, ledger)

    def _folder(self, side: str, config: Config) -> RunFolder:
        if side == UPSTREAM:
            return RunFolder(self.folder / f"{side}-seed{config.seed}")
        return RunFolder.of(config, self.folder / side)

    @staticmethod
    def _run_ours(
        name: str, config: Config, folder: RunFolder, ledger: Ledger, overwrite: bool
    ) -> None:
        """Runs the training command in a separate process."""
        with folder.opened(config, overwrite=overwrite):
            if folder.finished:
                return
        settings = config.flat()
        chosen = [
            f"--{key}={settings[key]}"
            for key in ("preset", "epochs")
            if key in settings
        ]
        command = [
            sys.executable, "-m", "cane_gane", "train",
            config.dataset, repr(config.ratio), config.method, *chosen,
            f"--seed={config.seed}", f"--runs_dir={folder.path.parent}",
        ]  # fmt: skip
        code = run_process(
            command,
            lambda usage: ledger.add(name, usage),
            settings={"TF_CPP_MIN_LOG_LEVEL": "2"},
            on_line=lambda line: say(line.rstrip("\n")),
        )
        if code:
            raise InputError(
                f"{folder.path}: found the run of {name} ended with exit code {code}; "
                "expected 0: see the lines above"
            )


def _read(side: str, seed: int, folder: RunFolder, ledger: Ledger) -> Result:
    return Result(
        side,
        seed,
        folder.evaluation(),
        [row["seconds"] for row in folder.history()],
        ledger.of(f"{side}-seed{seed}"),
    )
