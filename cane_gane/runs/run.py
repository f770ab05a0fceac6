"""The main job: split, fit, export, evaluate and report, all into one run folder."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from cane_gane.data.network import TextualNetwork, digests
from cane_gane.errors import InputError
from cane_gane.evaluation.protocols import nothing_to_score
from cane_gane.evaluation.results import Evaluation, Timing
from cane_gane.methods.registry import find_method
from cane_gane.progress import Stopwatch, peak_memory, release_memory, say
from cane_gane.runs.config import Config, ratio_name
from cane_gane.runs.finish import BEFORE, add_check, finish
from cane_gane.runs.folder import MODEL, README, RunFolder
from cane_gane.runs.record import export, reopen, write_inputs
from cane_gane.runs.rivals import begin_baselines


def run(
    config: Config,
    folder: RunFolder,
    *,
    overwrite: bool = False,
    command: str = "",
    device: str = "auto",
    train: Callable[[RunFolder], None] | None = None,
) -> Evaluation:
    """Runs what `config` says; goes on where an earlier start was cut off.

    Args:
        config: The settings.
        folder: Where everything goes.
        overwrite: Whether what is there is thrown away first.
        command: The command line, for the record.
        device: Where to compute: `auto` or `cpu`.
        train: Trains in other processes, before the method finds it done.

    Returns:
        The results.

    Raises:
        InputError: The data or settings do not do, the data has changed since an
            earlier start, or the folder is in use.
        DivergedError: The loss is no number any more.
    """
    method = find_method(config.method)
    with folder.opened(config, overwrite=overwrite), _left_if_refused(folder):
        if folder.finished:
            say(f"{folder.path} is finished (--overwrite trains it again)")
            return folder.evaluation()
        home = folder.home(config.dataset)
        clock = Stopwatch()
        with clock("prepare"):
            network = TextualNetwork.read(home, config.dataset)
            split = config.split_of(network)
            write_inputs(config, folder, split, digests(home), command)
            baselines = None
            if len(split.test):
                # They are needed last, and what `fit` calls is needed first.
                later = train is None and method.calls_second(config.settings)
                kept, seed = folder.path.parent, config.seed
                baselines = begin_baselines(split, seed, kept, later=later)
            if train is None:
                method.start(config.settings, device)
        say(
            f"{config.dataset} {ratio_name(config.ratio)} {config.method}: "
            f"{network.node_count:,} nodes, {len(split.train):,} edges to train on, "
            f"{len(split.test):,} to test"
        )
        for line in nothing_to_score(split) if len(split.test) else ():
            say(line)
        with clock("train"):
            if train is not None:
                train(folder)
                method.start(config.settings, device)
            fitted = method.fit(split, config.settings, config.seed, folder.path)
        clock.memory = peak_memory()
        # Epochs of an earlier start count too.
        epochs = sum(row["seconds"] for row in fitted.history)
        clock.seconds["train"] = max(clock.seconds["train"], epochs)
        say("exporting …")
        with clock("export"):
            export(folder, fitted)
        say("evaluating …")
        with clock("load the model"):
            served = method.open(folder.path / MODEL, split, config.settings)
        best = fitted.best_epoch
        del fitted  # its tables and their moments take as much again
        release_memory()
        return finish(folder, config, split, served, clock, best, baselines)


@contextlib.contextmanager
def _left_if_refused(folder: RunFolder) -> Iterator[None]:
    """Removes what a new run wrote that was refused before its first epoch."""
    new = not (folder.path / "config.json").is_file()
    try:
        yield
    except InputError as error:
        refused = error.exit_code == InputError.exit_code
        if new and refused and not folder.history():
            folder.clear()
        raise


def repeat(path: Path, dataset: str | None = None) -> Evaluation:
    """Evaluates a finished run again, from its SavedModel and its split.

    Args:
        path: The run's folder.
        dataset: Where its data set is now, if it has moved.

    Returns:
        The results; all figures but times are those of the run.

    Raises:
        InputError: The run has not ended, or its files or its data set have changed.
    """
    folder = RunFolder(path)
    with folder.held():
        record = folder.record()
        if not folder.finished:
            command = record.get("command") or "the command that started it"
            raise InputError(
                f"{path}: found an unfinished run; expected metrics.json: continue "
                f"with {command}"
            )
        if not (path / MODEL).is_dir():
            raise InputError(
                f"{path}: found a run without {MODEL}/; expected one of our models: "
                "what upstream's code trains is evaluated by compare alone"
            )
        best, time, check = _best_epoch(folder.history()), Timing(None, None), None
        with contextlib.suppress(InputError):  # damaged results are written anew
            before = folder.evaluation()
            best, time, check = before.best_epoch, before.time, before.check
        config, split, fitted = reopen(folder, dataset)
        folder.write_text("README.txt", README)
        clock = Stopwatch()
        parts = time.parts or {}
        clock.seconds = {part: parts[part] for part in BEFORE if part in parts}
        clock.seconds.setdefault("train", time.train or 0.0)
        clock.memory = time.memory
        found = finish(folder, config, split, fitted, clock, best)
        return add_check(folder, check) if check else found


def _best_epoch(history: Sequence[Mapping[str, Any]]) -> int | None:
    """Returns the epoch that `Keeper` took as the best."""
    judged = [row for row in history if row.get("validation_auc") is not None]
    rows = judged or history[-1:]
    best = max(rows, key=lambda row: row.get("validation_auc") or 0, default=None)
    return int(best["epoch"]) if best else None
