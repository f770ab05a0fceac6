"""The end of a run: figures, embeddings, examples and the report, from its model."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np

from cane_gane.assessment import assess
from cane_gane.catalog import find_dataset
from cane_gane.config import Config
from cane_gane.errors import InputError, fault
from cane_gane.evaluation.vectors import write_embeddings, write_word2vec
from cane_gane.examples import find_examples
from cane_gane.files import sha256
from cane_gane.inspection import inspect_network
from cane_gane.network import TextualNetwork
from cane_gane.report.run import RunReport
from cane_gane.runs import README, RunFolder
from cane_gane.served import Floats, Served, average_vectors
from cane_gane.splits import Split, read_split
from cane_gane.stopwatch import Stopwatch

Metrics = dict[str, Any]
_BEFORE = ("prepare", "train", "export")  # parts that a second evaluation keeps


def appraise(
    folder: RunFolder,
    config: Config,
    network: TextualNetwork,
    split: Split,
    clock: Stopwatch,
    best_epoch: int,
) -> Metrics:
    """Evaluates the SavedModel of a run, and writes all that follows from it.

    Args:
        folder: The run's folder.
        config: Its settings.
        network: The network.
        split: Its training and test edges.
        clock: Has timed the parts before this one.
        best_epoch: The epoch whose values the model has.

    Returns:
        The content of metrics.json, which is written last.
    """
    with clock("load the model"):
        served = Served(folder.path / "saved_model")
    with clock("embed nodes"):
        # Only walks give a node without a training edge a place.
        vectors = average_vectors(
            served, split.train, network.node_count, lonely=config.places == "walks"
        )
        _write_vectors(folder.path, network, split, vectors)
    metrics = assess(served, network, split, vectors, config.seed, clock)
    examples = find_examples(
        served, network, split, vectors.astype(np.float64), config.seed, clock
    )
    pair, missing = examples["pair"], examples["missing_edges"]
    metrics["matching"] = pair and {
        key: value
        for key, value in pair.items()
        if key not in ("names", "source_words", "target_words", "plan", "attention")
    }
    metrics["missing_edges"] = [
        {key: edge[key] for key in ("source", "target", "score")} for edge in missing
    ]
    metrics["data"] = inspect_network(network, config.tokenizer, config.max_length)
    metrics["best_epoch"] = best_epoch
    folder.write_json("examples.json", examples)
    record, history = folder.record(), folder.history()
    report = RunReport(folder.path.name, record, history, metrics, examples)
    with clock("draw figures"):
        report.write_figures(folder.path / "figures")
    metrics["time"] = _times(clock)
    report.write(folder.path / "report.html")
    folder.write_json("metrics.json", metrics)
    return metrics


def repeat(path: Path, dataset: str | None) -> Metrics:
    """Evaluates a finished run again, from its SavedModel and its split.

    Args:
        path: The run's folder.
        dataset: Where its data set is now, if it has moved.

    Returns:
        The content of metrics.json; all figures but times are those of the run.

    Raises:
        InputError: The run has not ended, or its data set is not what it was.
    """
    folder = RunFolder(path)
    with folder.held():
        record = folder.record()
        if not folder.finished or not (path / "saved_model").is_dir():
            raise InputError(
                f"{path}: found a run that has not ended; expected metrics.json and "
                f"saved_model/: go on with it by {record.get('command')}"
            )
        config, metrics = _config(path, record), folder.metrics()
        home = find_dataset(dataset or config.dataset)
        _check_digests(home, record.get("data", {}))
        network = TextualNetwork.read(home)
        split = read_split(path, network.node_count, network.edges)
        folder.write_text("README.txt", README)
        clock = Stopwatch()
        parts = metrics.get("time", {}).get("parts", {})
        clock.seconds = {part: parts[part] for part in _BEFORE if part in parts}
        clock.seconds.setdefault("train", metrics.get("time", {}).get("train", 0.0))
        return appraise(
            folder, config, network, split, clock, metrics.get("best_epoch", 0)
        )


def _config(path: Path, record: dict[str, Any]) -> Config:
    settings = record["settings"]
    unknown = set(settings) - {field.name for field in dataclasses.fields(Config)}
    if unknown:
        raise fault(
            path / "config.json",
            None,
            f"the settings {', '.join(sorted(unknown))}",
            "those of this version: evaluate it with the version that trained it",
        )
    return Config(**settings)


def _check_digests(home: Path, digests: dict[str, str]) -> None:
    for name, digest in digests.items():
        found = sha256((home / name).read_bytes()) if (home / name).is_file() else None
        if found != digest:
            raise fault(
                home / name,
                None,
                "no such file" if found is None else f"content {found[:12]}…",
                f"content {digest[:12]}…, which the run was trained on: tell where "
                "that data set is with --dataset",
            )


def _times(clock: Stopwatch) -> dict[str, Any]:
    parts = clock.rounded()
    evaluate = sum(s for part, s in clock.seconds.items() if part not in _BEFORE)
    return {
        "train": parts.get("train", 0.0),
        "evaluate": round(evaluate, 1),
        "parts": parts,
    }


def _write_vectors(
    path: Path, network: TextualNetwork, split: Split, vectors: Floats
) -> None:
    half = vectors.shape[1] // 2
    # upstream: a node without a training edge has none, and auc.py skips its edges.
    trained = np.full_like(vectors, np.nan)
    trained[split.train] = vectors[split.train]
    write_embeddings(path / "embed.txt", trained)
    write_embeddings(path / "embed_structure.txt", trained[:, :half])
    write_embeddings(path / "embed_text.txt", trained[:, half:])
    names = network.names or [str(node) for node in range(network.node_count)]
    present = ~np.isnan(vectors[:, 0])
    write_word2vec(
        path / "embeddings.word2vec",
        vectors[present],
        [name for name, here in zip(names, present, strict=True) if here],
    )
