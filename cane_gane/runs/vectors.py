"""Evaluates vectors that any program wrote: graph.txt, test_graph.txt, embed.txt."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np

from cane_gane.data.catalog import load
from cane_gane.data.network import TextualNetwork
from cane_gane.data.splits import Split, read_split, read_split_edges
from cane_gane.data.statistics import inspect_network
from cane_gane.data.vectors import read_embeddings
from cane_gane.errors import InputError, fault
from cane_gane.evaluation.evaluate import evaluate
from cane_gane.evaluation.examples import node_map
from cane_gane.evaluation.fitted import VectorFitted
from cane_gane.evaluation.results import Evaluation, Examples, Timing, to_json
from cane_gane.files import write_json
from cane_gane.methods.baselines import fit_baselines, left_out
from cane_gane.progress import Stopwatch
from cane_gane.report.run import RunReport

FILE = "embed.txt"


def evaluate_vectors(
    path: Path, dataset: str | None, output: Path | None, seed: int
) -> Evaluation:
    """Evaluates a folder such as upstream CANE's `temp/`.

    Args:
        path: The folder. Nothing is written into it.
        dataset: The data set that was split, for baselines of text and for labels.
        output: The folder for metrics.json, report.html and figures; None writes none.
        seed: The seed of the draws.

    Returns:
        The results.

    Raises:
        InputError: A file is missing or faulty, or the files do not fit together.
    """
    clock = Stopwatch()
    network = None if dataset is None else load(dataset)
    fitted, split = _read(path, network)
    with clock("baselines"):
        baselines = fit_baselines(split)
    try:
        found = evaluate(fitted, split, baselines, seed, clock)
    except InputError as error:
        raise InputError(f"{path / FILE}: {error}") from None
    examples = Examples()
    if output is not None:
        with clock("draw the map (t-SNE)"):
            chart = node_map(fitted.vectors, split.network.labels, seed)
            examples = Examples(map=chart)
    taken = round(sum(clock.seconds.values()), 1)
    found = dataclasses.replace(
        found,
        data=None if network is None else inspect_network(network),
        time=Timing(None, taken, clock.rounded()),
        left_out=left_out(split) or None,
    )
    if output is not None:
        report = RunReport(str(path), None, [], found, examples)
        report.write_figures(output / "figures")
        report.write(output / "report.html")
        write_json(output / "metrics.json", to_json(found))
    return found


def _read(path: Path, network: TextualNetwork | None) -> tuple[VectorFitted, Split]:
    """Reads vectors and split; nodes after the last line have no vector."""
    vectors = read_embeddings(path / FILE)
    if network is None:
        train, test = read_split_edges(path, len(vectors))
        edges = np.concatenate([train, test])
        split = Split(TextualNetwork([""] * len(vectors), edges), train, test)
    else:
        split = read_split(path, network)
    short = split.network.node_count - len(vectors)
    if short < 0:
        raise fault(
            path / FILE,
            None,
            f"{len(vectors)} lines",
            f"{split.network.node_count}, one for each node of the data set: name the "
            "one that was split with --dataset",
        )
    vectors = np.pad(vectors, ((0, short), (0, 0)), constant_values=np.nan)
    fitted = VectorFitted(vectors)
    fitted.score_name = FILE
    return fitted, split
