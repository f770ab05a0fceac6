"""The main job: split, fit, export, evaluate and report, all into one run folder."""

from __future__ import annotations

import contextlib
import dataclasses
import platform
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from cane_gane.beside import Pending
from cane_gane.data.network import TextualNetwork, digests
from cane_gane.data.splits import FILES as SPLIT_FILES
from cane_gane.data.splits import Split, read_split
from cane_gane.data.statistics import inspect_network
from cane_gane.data.tokens import MAX_LENGTH
from cane_gane.data.vectors import write_embeddings, write_word2vec
from cane_gane.errors import InputError
from cane_gane.evaluation.contests import Measures
from cane_gane.evaluation.evaluate import evaluate
from cane_gane.evaluation.examples import begin_map, find_examples
from cane_gane.evaluation.fitted import Fitted
from cane_gane.evaluation.outcomes import write_outcomes
from cane_gane.evaluation.protocols import nothing_to_score
from cane_gane.evaluation.results import (
    Checked,
    Evaluation,
    Matching,
    ScoredEdge,
    Timing,
    plain,
    to_json,
)
from cane_gane.evaluation.search import known_items
from cane_gane.files import digest, link_folder
from cane_gane.methods.baselines import left_out
from cane_gane.methods.registry import find_method
from cane_gane.progress import Stopwatch, peak_memory, say
from cane_gane.report.card import model_card
from cane_gane.report.missing import MISSING, missing_csv
from cane_gane.report.run import RunReport
from cane_gane.runs.answering import answers_of
from cane_gane.runs.config import Config, ratio_name
from cane_gane.runs.folder import (
    CARD,
    EDGES,
    MODEL,
    README,
    SERVING,
    RunFolder,
    settings_digest,
)
from cane_gane.runs.rivals import Baselines, begin_baselines
from cane_gane.serving.trust import with_trust
from cane_gane.version import VERSION

_PACKAGES = ("tensorflow", "keras", "numpy", "scipy", "scikit-learn")
# What a model is opened with, beside the SavedModel, where a method has it.
_INPUTS = ("vocabulary.txt", "names.txt", "words.txt", "evidence.json", "start.npy")
_BEFORE = ("prepare", "train", "export")  # parts that a second evaluation keeps


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


def check_by(folder: RunFolder, other: RunFolder) -> Evaluation:
    """Adds what another run measured to the results of a run on all edges."""
    theirs, ratio = other.evaluation(), other.config().ratio
    figures = theirs.link_prediction, theirs.baselines
    return add_check(folder, Checked(other.path.name, ratio, *figures))


def add_check(folder: RunFolder, check: Checked) -> Evaluation:
    """Adds what another run measured to results and page."""
    found = dataclasses.replace(folder.evaluation(), check=check)
    report = RunReport(
        folder.path.resolve().name,
        folder.record(),
        folder.history(),
        found,
        folder.examples(),
        folder.path,
    )
    report.write_figures(folder.path / "figures")
    report.write(folder.path / "report.html")
    folder.write_json("metrics.json", to_json(found))
    return found


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
        clock.seconds = {part: parts[part] for part in _BEFORE if part in parts}
        clock.seconds.setdefault("train", time.train or 0.0)
        clock.memory = time.memory
        found = finish(folder, config, split, fitted, clock, best)
        return add_check(folder, check) if check else found


def reopen(
    folder: RunFolder, dataset: str | None = None, device: str = "auto"
) -> tuple[Config, Split, Fitted]:
    """Opens the model of a run with the split that it was fitted on.

    Args:
        folder: The run's folder.
        dataset: Where its data set is now, if it has moved.
        device: Where to compute.

    Returns:
        Its settings, its split and the fitted method.

    Raises:
        InputError: Its files or its data set have changed.
    """
    config = folder.config()
    network = TextualNetwork.read(folder.data(dataset), config.dataset)
    folder.check_files()
    folder.say_versions(_versions())
    drawn: dict[str, Any] = {
        "ratio": config.ratio,
        "rule": config.split,
        "seed": config.seed,
    }
    drawn |= folder.record().get("split", {})
    split = dataclasses.replace(read_split(folder.path, network), **drawn)
    method = find_method(config.method)
    method.start(config.settings, device)
    return config, split, method.open(folder.path / MODEL, split, config.settings)


def write_inputs(
    config: Config,
    folder: RunFolder,
    split: Split,
    data: Any,
    command: str,
) -> None:
    """Writes the split and the record of a run.

    Args:
        config: The settings.
        folder: The run's folder.
        split: The split.
        data: The digests of the network's files.
        command: The command line.
    """
    folder.write_text("README.txt", README)
    split.write(folder.path)
    before = folder.say_versions(_versions())
    settings = config.flat()
    record = {
        "settings": settings,
        "settings_sha256": settings_digest(settings),
        "command": command,
        "data": data,
        "split": {"ratio": split.ratio, "rule": split.rule, "seed": split.seed},
        "files": {name: digest(folder.path / name) for name in SPLIT_FILES},
        "versions": _versions(),
        "commit": _commit(),
        **({"versions_before": before} if before else {}),
    }
    folder.write_json("config.json", record)


def export(folder: RunFolder, fitted: Fitted) -> None:
    """Writes the SavedModel, also by version; digests of all go into the record."""
    fitted.save(folder.path / MODEL)
    link_folder(folder.path / MODEL, folder.path / SERVING)
    record = folder.record()
    found = {name: digest(folder.path / name) for name in (MODEL, *_INPUTS)}
    record["files"] |= {name: known for name, known in found.items() if known}
    folder.write_json("config.json", record)


def finish(
    folder: RunFolder,
    config: Config,
    split: Split,
    fitted: Fitted,
    clock: Stopwatch,
    best_epoch: int | None,
    baselines: Pending[Baselines] | None = None,
) -> Evaluation:
    """Evaluates a fitted method, and writes all that follows from it.

    Args:
        folder: The run's folder.
        config: Its settings.
        split: The split that it was fitted on.
        fitted: The method.
        clock: Has timed the parts before this one.
        best_epoch: The epoch whose values the model has, where there were epochs.
        baselines: What it is compared with, where that has begun to be measured.

    Returns:
        The results; metrics.json is written last.
    """
    with clock("embed nodes"):
        write_vectors(folder.path, split, fitted)
    chart = begin_map(fitted.vectors, split.network, config.seed)
    found = Evaluation({}, {}, evaluated=False)
    if len(split.test):
        baselines = baselines or begin_baselines(split, config.seed, folder.path.parent)
        rivals: dict[str, Fitted | Measures] = {}
        if fitted.start is not None:
            rivals["start"] = fitted.start
        with clock("baselines"):
            rivals |= baselines.result()
        found = evaluate(fitted, split, rivals, config.seed, clock)
        found = dataclasses.replace(found, left_out=left_out(split) or None)
    with clock("search for known items"):
        search = known_items(fitted, split.network, config.seed)
    with clock("check recommendations"):
        answers = answers_of(split, fitted, config.seed, folder)
        found = with_trust(found, answers, config.seed)
    examples = find_examples(
        fitted, split, chart, clock, answers.nearest_of, answers.scores
    )
    first = next(iter(examples.matched), None)
    found = dataclasses.replace(
        found,
        search=search,
        matching=first and plain(first, Matching),
        missing_edges=[plain(edge, ScoredEdge) for edge in examples.missing_edges],
        data=_description(split.network, config),
        best_epoch=best_epoch,
    )
    folder.write_json("examples.json", to_json(examples))
    folder.write_text(MISSING, missing_csv(split.network, examples.all_missing))
    write_outcomes(folder.path / EDGES, found.outcomes)
    report = RunReport(
        folder.path.resolve().name,
        folder.record(),
        folder.history(),
        found,
        examples,
        folder.path,
    )
    with clock("draw figures"):
        report.write_figures(folder.path / "figures")
    found = dataclasses.replace(found, time=_timing(clock))
    report.evaluation = found
    report.write(folder.path / "report.html")
    folder.write_text(
        CARD, model_card(folder.path.resolve().name, report.record, found)
    )
    folder.write_json("metrics.json", to_json(found))
    return found


def write_vectors(path: Path, split: Split, fitted: Fitted) -> None:
    """Writes the vectors in upstream's format and in that of word2vec."""
    vectors, network = fitted.vectors, split.network
    # upstream: a node without a training edge has none, and auc.py skips its edges.
    trained = np.zeros(len(vectors), np.bool_)
    trained[split.train] = True
    write_embeddings(path / "embed.txt", vectors, trained)
    for name, columns in fitted.parts.items():
        write_embeddings(path / f"embed_{name}.txt", vectors[:, columns], trained)
    write_word2vec(path / "embeddings.word2vec", vectors, network.names)


def _description(network: TextualNetwork, config: Config) -> Any:
    tokenizer = getattr(config.settings, "tokenizer", "clean")
    most = getattr(config.settings, "max_length", MAX_LENGTH)
    return inspect_network(network, tokenizer, most)


def _best_epoch(history: Sequence[Mapping[str, Any]]) -> int | None:
    """Returns the epoch that `Keeper` took as the best."""
    judged = [row for row in history if row.get("validation_auc") is not None]
    rows = judged or history[-1:]
    best = max(rows, key=lambda row: row.get("validation_auc") or 0, default=None)
    return int(best["epoch"]) if best else None


def _timing(clock: Stopwatch) -> Timing:
    parts = clock.rounded()
    taken = sum(s for part, s in clock.seconds.items() if part not in _BEFORE)
    return Timing(parts.get("train", 0.0), round(taken, 1), parts, clock.memory)


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
