"""Evaluates vectors that any program wrote: graph.txt, test_graph.txt, embed.txt."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from cane_gane.assessment import assess_rest, pooled_roc
from cane_gane.catalog import find_dataset
from cane_gane.errors import InputError, fault
from cane_gane.evaluation.protocols import make_protocols
from cane_gane.evaluation.ranking import link_prediction
from cane_gane.evaluation.scores import Floats, vector_scorer
from cane_gane.evaluation.vectors import read_embeddings
from cane_gane.examples import node_map
from cane_gane.inspection import inspect_network
from cane_gane.network import TextualNetwork
from cane_gane.report.run import RunReport
from cane_gane.runs import RunFolder
from cane_gane.splits import read_split
from cane_gane.stopwatch import Stopwatch

Metrics = dict[str, Any]


def evaluate_vectors(
    path: Path, dataset: str | None, output: Path | None, seed: int
) -> Metrics:
    """Evaluates a folder such as upstream CANE's `temp/`.

    Args:
        path: The folder. Nothing is written into it.
        dataset: The data set that was split, for baselines of text and for labels.
        output: Where metrics.json, report.html and figures go; None writes none.
        seed: What draws hang on.

    Returns:
        The content of metrics.json.

    Raises:
        InputError: A file is missing or faulty, or they do not fit together.
    """
    clock = Stopwatch()
    network = None if dataset is None else TextualNetwork.read(find_dataset(dataset))
    vectors = _read_vectors(path / "embed.txt", network)
    split = read_split(path, len(vectors), None if network is None else network.edges)
    edges = np.concatenate([split.train, split.test])
    if network is not None:
        edges = network.edges
    protocols = make_protocols(edges, split.train, split.test, len(vectors))
    links = {}
    with clock("rank by vectors"):
        for name, protocol in protocols.items():
            try:
                scorer = vector_scorer(vectors, protocol)
            except InputError as error:
                raise InputError(f"{path / 'embed.txt'}: {error}") from None
            links[name] = {
                "score": "embed.txt",
                **link_prediction(scorer, protocol, seed),
                "roc": {"model": pooled_roc(scorer, protocol, seed)},
            }
    texts = None if network is None else network.texts
    labels = None if network is None else network.labels
    metrics = {
        "link_prediction": links,
        **assess_rest(protocols, split.train, vectors, texts, labels, seed, clock),
        "data": None if network is None else inspect_network(network),
    }
    examples: dict[str, Any] = {"pair": None, "missing_edges": [], "map": None}
    if output is not None:
        with clock("draw the map (t-SNE)"):
            examples["map"] = node_map(vectors, labels, seed)
    parts = clock.rounded()
    taken = round(sum(clock.seconds.values()), 1)
    metrics["time"] = {"train": None, "evaluate": taken, "parts": parts}
    if output is not None:
        report = RunReport(str(path), None, [], metrics, examples)
        report.write_figures(output / "figures")
        report.write(output / "report.html")
        RunFolder(output).write_json("metrics.json", metrics)
    return metrics


def _read_vectors(path: Path, network: TextualNetwork | None) -> Floats:
    """Reads the vectors, with a row of NaN for nodes after the last line."""
    vectors = read_embeddings(path)
    if network is None:
        return vectors
    short = network.node_count - len(vectors)
    if short < 0:
        raise fault(
            path,
            None,
            f"{len(vectors)} lines",
            f"{network.node_count}, one for each node of the data set: name the one "
            "that was split with --dataset",
        )
    return np.pad(vectors, ((0, short), (0, 0)), constant_values=np.nan)
