"""What the choice of negatives is worth: `bash run.sh benchmark negatives RUN…`.

AUC of finished runs by their own score, pair by pair, with the test edges that
upstream's protocol scores and three kinds of negatives; runs of the same network, model
and ratio are averaged. `at most` is upstream's protocol for a score that ranks a source
and its training neighbours first, all its other neighbours next, and makes no mistake.
"""

from __future__ import annotations

import argparse
import functools
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from cane_gane.catalog import find_dataset
from cane_gane.errors import InputError
from cane_gane.evaluation.protocols import (
    Protocol,
    adjacency,
    neighbours_and_itself,
    upstream_protocol,
    without_neighbours,
)
from cane_gane.evaluation.ranking import rank_targets
from cane_gane.network import TextualNetwork
from cane_gane.runs import RunFolder
from cane_gane.splits import Split, read_split
from cane_gane.startup import load_tensorflow

COLUMNS = ("upstream's", "no training neighbours", "no neighbours", "at most")


def figures(run: Path, network: TextualNetwork, seed: int) -> list[float]:
    from cane_gane.assessment import pair_auc
    from cane_gane.served import Served

    split = read_split(run, network.node_count, network.edges)
    whole = upstream_protocol(split.train, split.test, network.node_count)
    protocols = [
        whole,
        without_neighbours(whole, split.train),
        without_neighbours(whole, network.edges),
    ]
    score = Served(run / "saved_model").score_nodes
    aucs = [float(pair_auc(score, protocol, seed)["auc"]) for protocol in protocols]
    return [*aucs, at_most(whole, network, split)]


def at_most(protocol: Protocol, network: TextualNetwork, split: Split) -> float:
    count = network.node_count
    known = neighbours_and_itself(split.train, count)
    ranked = (adjacency(network.edges, count) + 2 * known).tocsr()
    ranks = rank_targets(lambda sources: ranked[sources].toarray(), protocol)
    return float(ranks.shares.mean())


def main(runs: Sequence[str]) -> None:
    load_tensorflow(deterministic=True)
    read = functools.cache(lambda name: TextualNetwork.read(find_dataset(name)))
    found: dict[tuple[str, str, float], list[list[float]]] = defaultdict(list)
    for path in map(Path, runs):
        settings = RunFolder(path).record()["settings"]
        dataset = settings["dataset"]
        key = (dataset, settings["variant"], settings["ratio"])
        found[key].append(figures(path, read(dataset), settings["seed"]))
        print(path, file=sys.stderr, flush=True)
    print(f"| network, model, ratio | runs | {' | '.join(COLUMNS)} |")
    print(f"|---|---|{'---|' * len(COLUMNS)}")
    for (dataset, variant, ratio), rows in sorted(found.items()):
        means = " | ".join(f"{100 * mean:.1f}" for mean in np.mean(rows, axis=0))
        print(f"| {dataset} {variant} {ratio:g} | {len(rows)} | {means} |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", nargs="+", metavar="RUN", help="folder of a run")
    try:
        main(parser.parse_args().runs)
    except InputError as error:
        parser.error(str(error))
