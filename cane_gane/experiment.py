"""The main job: prepare, train, export, evaluate, all into one run folder."""

from __future__ import annotations

import dataclasses
import platform
import subprocess
import sys
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

from cane_gane.appraisal import appraise
from cane_gane.assessment import pair_auc
from cane_gane.batches import edge_batches
from cane_gane.config import Config
from cane_gane.evaluation.protocols import strict_protocol
from cane_gane.files import sha256
from cane_gane.models import PairModel, build_model
from cane_gane.network import FILES
from cane_gane.preparation import Prepared, prepare, unseen_nodes
from cane_gane.runs import README, RunFolder
from cane_gane.servable import Servable
from cane_gane.starts import start_tables
from cane_gane.stopwatch import Stopwatch
from cane_gane.training import Keeper, fit
from cane_gane.version import VERSION

Metrics = dict[str, Any]
_PACKAGES = ("tensorflow", "keras", "numpy", "scipy", "scikit-learn")


def run(config: Config, folder: RunFolder, *, overwrite: bool, command: str) -> Metrics:
    """Runs what `config` says; goes on where an earlier start was cut off.

    Args:
        config: The settings.
        folder: Where everything goes.
        overwrite: Whether what is there is thrown away first.
        command: The command line, for the record.

    Returns:
        The content of metrics.json.

    Raises:
        InputError: The data or settings do not do, or the folder is in use.
        DivergedError: The loss is no number any more.
    """
    with folder.opened(config, overwrite=overwrite):
        if folder.finished:
            _say(f"{folder.path} is finished (--overwrite trains it again)")
            return folder.metrics()
        clock = Stopwatch()
        with clock("prepare"):
            prepared = prepare(config)
            _write_inputs(config, folder, prepared, command)
        with clock("train"):
            servable, best_epoch = _train(config, folder, prepared)
        # Epochs of an earlier start count too.
        epochs = sum(row["seconds"] for row in folder.history())
        clock.seconds["train"] = max(clock.seconds["train"], epochs)
        _say("exporting …")
        with clock("export"):
            servable.export(folder.path / "saved_model")
        _say("evaluating …")
        network, split = prepared.network, prepared.split
        return appraise(folder, config, network, split, clock, best_epoch)


def _write_inputs(
    config: Config, folder: RunFolder, prepared: Prepared, command: str
) -> None:
    folder.write_text("README.txt", README)
    prepared.split.write(folder.path)
    prepared.tokenizer.save(folder.path / "vocabulary.txt")
    folder.write_json(
        "config.json",
        {
            "settings": dataclasses.asdict(config),
            "command": command,
            "data": {
                name: sha256((prepared.folder / name).read_bytes())
                for name in FILES
                if (prepared.folder / name).is_file()
            },
            "versions": _versions(),
            "commit": _commit(),
        },
    )


def _train(
    config: Config, folder: RunFolder, prepared: Prepared
) -> tuple[Servable, int]:
    """Trains the model; returns what serves it, and its best epoch."""
    model = build_model(
        config, len(prepared.tokenizer.words), prepared.network.node_count
    )
    _say(_outline(config, prepared))
    vocabulary = folder.path / "vocabulary.txt"
    unknown = len(prepared.tokenizer.reserved) - 1
    servable = Servable(model, prepared.texts, vocabulary, unknown)
    if not folder.history():
        start_tables(servable, config, prepared)
    keeper = Keeper(
        folder,
        config.epochs,
        _validation(config, prepared, servable),
        every=config.evaluate_every,
        patience=config.patience,
    )
    best = fit(
        model,
        lambda epoch: edge_batches(
            prepared.texts, prepared.sampler, first_epoch=epoch, trim=model.trims
        ),
        prepared.sampler.steps,
        config.epochs,
        keeper,
        folder.path / "tensorboard",
    )
    if config.preset != "upstream" and config.places == "random":
        _forget_untrained(model, prepared)
    return servable, best


def _forget_untrained(model: PairModel, prepared: Prepared) -> None:
    """Zeroes the structure of nodes that no edge has trained: it is noise."""
    structure = model.structure.numpy()
    structure[unseen_nodes(prepared)] = 0
    model.structure.assign(structure)


def _validation(
    config: Config, prepared: Prepared, servable: Servable
) -> Callable[[], float] | None:
    """Returns what scores the held-out training edges; no test edge is looked at."""
    if not len(prepared.held_out):
        return None
    known = prepared.split.train
    protocol = strict_protocol(
        known, prepared.fitted, prepared.held_out, prepared.network.node_count
    )
    scorer = servable.pair_scorer()
    budget = 20 * len(protocol.scored)
    return lambda: float(pair_auc(scorer, protocol, config.seed, budget)["auc"])


def _outline(config: Config, prepared: Prepared) -> str:
    return (
        f"{config.dataset} {config.ratio:g} {config.variant}: "
        f"{prepared.network.node_count:,} nodes, "
        f"{len(prepared.fitted):,} edges to train on, "
        f"{len(prepared.held_out):,} to validate, "
        f"{len(prepared.split.test):,} to test, "
        f"{len(prepared.tokenizer.words):,} words"
    )


def _versions() -> dict[str, str]:
    found = {name: metadata.version(name) for name in _PACKAGES}
    return {"cane_gane": VERSION, "python": platform.python_version(), **found}


def _commit() -> str | None:
    """Returns the commit of the checkout, with + for changes, or None outside one."""
    home = Path(__file__).resolve().parent

    def git(*words: str) -> str:
        return subprocess.run(
            ["git", *words], cwd=home, capture_output=True, text=True, check=True
        ).stdout.strip()

    try:
        changed = "+" if git("status", "--porcelain", "--", ".") else ""
        return git("rev-parse", "HEAD") + changed
    except (OSError, subprocess.CalledProcessError):
        return None


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
