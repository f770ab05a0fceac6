"""Evaluates a fitted method, and writes all that follows from it."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np

from cane_gane.beside import Pending
from cane_gane.data.network import TextualNetwork
from cane_gane.data.splits import Split
from cane_gane.data.statistics import inspect_network
from cane_gane.data.tokens import MAX_LENGTH
from cane_gane.data.vectors import write_embeddings, write_word2vec
from cane_gane.evaluation.contests import Measures
from cane_gane.evaluation.evaluate import evaluate
from cane_gane.evaluation.examples import begin_map, find_examples
from cane_gane.evaluation.fitted import Fitted
from cane_gane.evaluation.outcomes import write_outcomes
from cane_gane.evaluation.results import (
    Checked,
    Evaluation,
    Examples,
    Matching,
    ScoredEdge,
    Timing,
    plain,
    to_json,
)
from cane_gane.evaluation.search import known_items
from cane_gane.methods.baselines import left_out
from cane_gane.progress import Stopwatch
from cane_gane.report.card import model_card
from cane_gane.report.missing import MISSING, missing_csv
from cane_gane.report.run import RunReport
from cane_gane.runs.answering import answers_of
from cane_gane.runs.config import Config
from cane_gane.runs.folder import CARD, EDGES, RunFolder
from cane_gane.runs.rivals import Baselines, begin_baselines
from cane_gane.serving.trust import with_trust

BEFORE = ("prepare", "train", "export")  # parts that a second evaluation keeps


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
    report = _report(folder, found, examples)
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


def check_by(folder: RunFolder, other: RunFolder) -> Evaluation:
    """Adds what another run measured to the results of a run on all edges."""
    theirs, ratio = other.evaluation(), other.config().ratio
    figures = theirs.link_prediction, theirs.baselines
    return add_check(folder, Checked(other.path.name, ratio, *figures))


def add_check(folder: RunFolder, check: Checked) -> Evaluation:
    """Adds what another run measured to results and page."""
    found = dataclasses.replace(folder.evaluation(), check=check)
    report = _report(folder, found, folder.examples())
    report.write_figures(folder.path / "figures")
    report.write(folder.path / "report.html")
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


def _report(folder: RunFolder, found: Evaluation, examples: Examples) -> RunReport:
    name, record = folder.path.resolve().name, folder.record()
    return RunReport(name, record, folder.history(), found, examples, folder.path)


def _description(network: TextualNetwork, config: Config) -> Any:
    tokenizer = getattr(config.settings, "tokenizer", "clean")
    most = getattr(config.settings, "max_length", MAX_LENGTH)
    return inspect_network(network, tokenizer, most)


def _timing(clock: Stopwatch) -> Timing:
    parts = clock.rounded()
    taken = sum(s for part, s in clock.seconds.items() if part not in BEFORE)
    return Timing(parts.get("train", 0.0), round(taken, 1), parts, clock.memory)
