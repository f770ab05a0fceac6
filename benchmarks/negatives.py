"""What the choice of negatives is worth: `bash run.sh benchmark negatives RUN…`.

AUC of finished runs by their own score, pair by pair, with the test edges that
upstream's protocol scores and three kinds of negatives; runs of the same network, model
and ratio are averaged. `at most` is upstream's protocol for a score that ranks a source
and its training neighbours first, all its other neighbours next, and makes no mistake.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from cane_gane.data.graph import adjacency, neighbours_and_itself
from cane_gane.data.splits import Split
from cane_gane.errors import InputError
from cane_gane.evaluation.fitted import FunctionFitted
from cane_gane.evaluation.protocols import (
    PROTOCOLS,
    Contest,
    without_neighbours,
)
from cane_gane.evaluation.ranking import rank_targets
from cane_gane.evaluation.sampled import Sample
from cane_gane.runs.folder import RunFolder
from cane_gane.runs.record import reopen

COLUMNS = ("upstream's", "no training neighbours", "no neighbours", "at most")


def figures(run: Path) -> tuple[tuple[str, str, float], list[float]]:
    config, split, fitted = reopen(RunFolder(run))
    whole = PROTOCOLS["upstream"].contest(split)
    contests = [
        whole,
        without_neighbours(whole, split.train),
        without_neighbours(whole, split.network.edges),
    ]
    samples = (Sample.draw(contest, config.seed) for contest in contests)
    found = [sample.outcomes(fitted.score, config.seed)[0].shares for sample in samples]
    # An edge that is not in the sample has NaN.
    means = [float(np.nanmean(shares)) for shares in found]
    key = (config.dataset, config.method, config.ratio)
    return key, [*means, at_most(whole, split)]


def at_most(contest: Contest, split: Split) -> float:
    count = split.network.node_count
    known = neighbours_and_itself(split.train, count)
    ranked = (adjacency(split.network.edges, count) + 2 * known).tocsr()
    best = FunctionFitted(lambda sources: ranked[sources].toarray(), count)
    return float(rank_targets(best, contest, ranks=False).shares.mean())


def main(runs: Sequence[str]) -> None:
    found: dict[tuple[str, str, float], list[list[float]]] = defaultdict(list)
    for path in map(Path, runs):
        key, row = figures(path)
        found[key].append(row)
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
