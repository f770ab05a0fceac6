"""A run of upstream's own code on our split, in a run folder like ours."""

from __future__ import annotations

import dataclasses
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np

from cane_gane.data.catalog import find_dataset, load
from cane_gane.data.network import digests
from cane_gane.data.splits import Split
from cane_gane.data.vectors import read_embeddings, write_embeddings
from cane_gane.data.weights import refuse_weights
from cane_gane.errors import InputError
from cane_gane.evaluation.evaluate import evaluate
from cane_gane.evaluation.fitted import Floats, VectorFitted
from cane_gane.evaluation.protocols import PROTOCOLS, Protocol, without_self_loops
from cane_gane.evaluation.results import to_json
from cane_gane.files import read_json, write_csv
from cane_gane.methods.baselines import fit_baselines
from cane_gane.runs.config import Config
from cane_gane.runs.folder import RunFolder
from cane_gane.runs.process import Ledger, run_process
from cane_gane.upstream.checkout import Checkout
from cane_gane.upstream.progress import Progress
from cane_gane.upstream.watch import read_array, read_rows

LOG, STATE, TEXT = "upstream.log", "state.npz", "text.npz"
# oneDNN's kernel is slow for upstream's convolution of one channel.
SETTINGS = {"TF_ENABLE_ONEDNN_OPTS": "0", "TF_CPP_MIN_LOG_LEVEL": "2"}
_PRINTED = re.compile(r"Auc value:\s+(\S+)")


NO_LOOPS = Protocol(
    "no_self_loops",
    "upstream's protocol without self-loops",
    "What CANE's auc.py does, but for self-loops, which are a near-certain win.",
    lambda split: without_self_loops(PROTOCOLS["upstream"].contest(split)),
    ranks=False,
)


class UpstreamVectors(VectorFitted):
    """Upstream's vectors, scored as upstream does: by their structure half."""

    score_name = "structure"

    def __init__(self, structure: Floats, text: Floats) -> None:
        """Takes both halves, `[nodes, d]` each."""
        super().__init__(structure)
        self._vectors = np.concatenate([structure, text], axis=1).astype(np.float32)
        half = structure.shape[1]
        self.parts = {"structure": slice(half), "text": slice(half, None)}


class Original:
    """A run of upstream: its folder, and what is needed to run and evaluate it."""

    def __init__(
        self, checkout: Checkout, config: Config, folder: RunFolder, ledger: Ledger
    ) -> None:
        """Takes the code, the settings, and the folder of the run.

        Args:
            checkout: Upstream's code.
            config: Settings of the preset `upstream`, which name the data set,
                ratio, seed, epochs and rho.
            folder: The folder of the run.
            ledger: Records the cost, under the folder's name.
        """
        self._checkout = checkout
        self._config = config
        self._settings: Any = config.settings
        self._folder = folder
        self._ledger = ledger
        self._work = folder.path / "work" / "code"

    def run(self, *, overwrite: bool = False) -> None:
        """Trains and evaluates upstream; continues after an interrupted start.

        Raises:
            InputError: The folder holds another run, or upstream's code failed.
        """
        with self._folder.opened(self._config, overwrite=overwrite):
            self._check_code()
            if self._folder.finished:
                return
            config = self._config
            split = load(config.dataset).split(config.ratio, config.split, config.seed)
            refuse_weights(split.network.weights)
            self._lay_out(split)
            if not (self._folder.path / TEXT).is_file():
                self._train()
            printed = self._printed_auc()
            found = evaluate(
                self._vectors(split),
                split,
                fit_baselines(split),
                config.seed,
                protocols={**PROTOCOLS, NO_LOOPS.key: NO_LOOPS},
            )
            write_csv(
                self._folder.path / "history.csv", read_rows(self._folder.path / STATE)
            )
            found = dataclasses.replace(found, printed_auc=printed)
            self._folder.write_json("metrics.json", to_json(found))

    def _check_code(self) -> None:
        known = read_json(self._folder.path / "config.json")
        if known is not None and known.get("code") != self._checkout.digests:
            raise InputError(
                f"{self._folder.path}: found a run of other code than that of "
                f"{self._checkout.folder}; expected the same: add --overwrite, or "
                "choose another --runs_dir"
            )

    def _lay_out(self, split: Split) -> None:
        record = {
            "settings": self._config.flat(),
            "data": digests(find_dataset(self._config.dataset)),
            "code": self._checkout.digests,
        }
        self._folder.write_json("config.json", record)
        split.write(self._folder.path)
        self._checkout.copy_to(self._work.parent, split, self._dataset)

    @property
    def _dataset(self) -> str:
        return Path(self._config.dataset).resolve().name

    def _train(self) -> None:
        done = len(read_rows(self._folder.path / STATE))
        progress = Progress("upstream", done, self._settings.epochs)
        words = ["--dataset", self._dataset, "--rho", self._settings.rho]
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
        """Runs one of upstream's files in a separate process."""
        path = self._folder.path.resolve()
        command = [
            sys.executable, "-u", "-m", "cane_gane.upstream.child",
            f"--seed={self._config.seed}", f"--epochs={self._settings.epochs}",
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

    def _vectors(self, split: Split) -> UpstreamVectors:
        """Returns the vectors of both halves, and writes them as our runs do."""
        count = split.network.node_count
        path = self._work / "temp" / "embed.txt"
        structure = read_embeddings(path, count).astype(np.float32)
        text = read_array(self._folder.path / TEXT, "vectors")
        missing = ((0, count - len(text)), (0, 0))
        text = np.pad(text, missing, constant_values=np.nan)
        fitted = UpstreamVectors(structure, text)
        write_embeddings(self._folder.path / "embed.txt", fitted.vectors)
        for kind, columns in fitted.parts.items():
            part = fitted.vectors[:, columns]
            write_embeddings(self._folder.path / f"embed_{kind}.txt", part)
        return fitted
