"""One run of upstream's own code, on our split, in a run folder like ours."""

from __future__ import annotations

import csv
import dataclasses
import io
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np

from cane_gane.config import Config
from cane_gane.errors import InputError
from cane_gane.evaluation.vectors import read_embeddings, write_embeddings
from cane_gane.preparation import Prepared, prepare
from cane_gane.runs import RunFolder
from cane_gane.upstream.checkout import Checkout
from cane_gane.upstream.judgement import Vectors, judge
from cane_gane.upstream.process import Ledger, run_process
from cane_gane.upstream.progress import Progress
from cane_gane.upstream.watch import read_rows

LOG, STATE, TEXT = "upstream.log", "state.npz", "text.npz"
# oneDNN's kernel is slow for upstream's convolution of one channel.
SETTINGS = {"TF_ENABLE_ONEDNN_OPTS": "0", "TF_CPP_MIN_LOG_LEVEL": "2"}
_PRINTED = re.compile(r"Auc value:\s+(\S+)")


class Original:
    """A run of upstream: its folder, and what is needed to run and judge it."""

    def __init__(
        self, checkout: Checkout, config: Config, folder: RunFolder, ledger: Ledger
    ) -> None:
        """Takes where the code is from, what to run, and where it goes.

        Args:
            checkout: Upstream's code.
            config: Settings of the preset `upstream`, which name the data set,
                ratio, seed, epochs and rho.
            folder: Where everything goes.
            ledger: Where the cost is noted, under the folder's name.
        """
        self._checkout = checkout
        self._config = config
        self._folder = folder
        self._ledger = ledger
        self._work = folder.path / "work" / "code"

    def run(self, *, overwrite: bool = False) -> None:
        """Trains and judges upstream; goes on where an earlier start was cut off.

        Raises:
            InputError: The folder has another run, or upstream's code failed.
        """
        with self._folder.opened(self._config, overwrite=overwrite):
            self._check_code()
            if self._folder.finished:
                return
            prepared = prepare(self._config)
            self._lay_out(prepared)
            if not (self._folder.path / TEXT).is_file():
                self._train()
            printed = self._printed_auc()
            metrics = judge(prepared, self._vectors(prepared), self._config.seed)
            rows = read_rows(self._folder.path / STATE)
            self._folder.write_text("history.csv", _as_csv(rows))
            metrics["printed_auc"] = printed
            self._folder.write_json("metrics.json", metrics)

    def _check_code(self) -> None:
        known = self._folder.read_json("config.json")
        if known is not None and known["code"] != self._checkout.digests:
            raise InputError(
                f"{self._folder.path}: found a run of other code than that of "
                f"{self._checkout.folder}; expected the same: add --overwrite, or "
                "choose another --runs_dir"
            )

    def _lay_out(self, prepared: Prepared) -> None:
        self._folder.write_json(
            "config.json",
            {
                "settings": dataclasses.asdict(self._config),
                "code": self._checkout.digests,
            },
        )
        prepared.split.write(self._folder.path)
        self._checkout.copy_to(
            self._work.parent, prepared.network, prepared.split, self._dataset
        )

    @property
    def _dataset(self) -> str:
        return Path(self._config.dataset).resolve().name

    def _train(self) -> None:
        done = len(read_rows(self._folder.path / STATE))
        progress = Progress("upstream", done, self._config.epochs)
        words = ["--dataset", self._dataset, "--rho", self._config.rho]
        self._start("train.py", words, progress.line)

    def _printed_auc(self) -> float:
        """Returns what upstream's auc.py prints: one draw."""
        printed: list[str] = []
        self._start("auc.py", [], printed.append)
        found = [match for line in printed if (match := _PRINTED.match(line))]
        if not found:
            raise InputError(
                f"{self._folder.path / LOG}: found no 'Auc value' from upstream's "
                "auc.py; expected one"
            )
        return float(found[-1][1])

    def _start(self, file: str, words: list[str], on_line: Any) -> None:
        """Runs one of upstream's files in a process of its own."""
        path = self._folder.path.resolve()
        command = [
            sys.executable, "-u", "-m", "cane_gane.upstream.child",
            f"--seed={self._config.seed}", f"--epochs={self._config.epochs}",
            f"--state={path / STATE}", f"--text={path / TEXT}", file, *words,
        ]  # fmt: skip
        with open(path / LOG, "ab", buffering=0) as log:

            def follow(line: str) -> None:
                log.write(line.encode())
                on_line(line)

            code = run_process(
                command,
                lambda usage: self._ledger.add(path.name, usage),
                folder=self._work,
                settings=SETTINGS,
                errors=log,
                on_line=follow,
            )
        if code:
            last = (path / LOG).read_text(errors="replace").strip().splitlines()[-1:]
            raise InputError(
                f"{path / LOG}: found upstream's {file} ended with exit code {code} "
                f"({' '.join(last)}); expected 0: the file has all that it printed"
            )

    def _vectors(self, prepared: Prepared) -> Vectors:
        """Returns what upstream writes and what it no longer writes, as ours do."""
        count = prepared.network.node_count
        path = self._work / "temp" / "embed.txt"
        structure = read_embeddings(path, count)
        with np.load(self._folder.path / TEXT) as content:
            text = content["vectors"]
        missing = ((0, count - len(text)), (0, 0))
        text = np.pad(text, missing, constant_values=np.nan)
        vectors = {
            "structure": structure.astype(np.float32),
            "text": text,
            "both": np.concatenate([structure, text], axis=1).astype(np.float32),
        }
        for kind, part in vectors.items():
            name = "embed.txt" if kind == "both" else f"embed_{kind}.txt"
            write_embeddings(self._folder.path / name, part)
        return vectors


def _as_csv(rows: list[dict[str, float]]) -> str:
    file = io.StringIO()
    writer = csv.DictWriter(file, ["epoch", "loss", "seconds"], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return file.getvalue()
