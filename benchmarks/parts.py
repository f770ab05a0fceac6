"""What each kind of evidence is worth: `bash run.sh benchmark parts DATASET`.

Evidence is fitted with all of its features, and again without those of one kind; both
rank the test edges of the strict protocol. No model is trained. Intervals are of 95 %,
by a paired bootstrap over the edges of all splits.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

import numpy as np

from cane_gane.api import load
from cane_gane.data.splits import Split
from cane_gane.errors import InputError
from cane_gane.evaluation.fitted import FunctionFitted
from cane_gane.evaluation.outcomes import Outcomes, differences
from cane_gane.evaluation.protocols import strict_contest
from cane_gane.evaluation.ranking import rank_targets
from cane_gane.evidence.features import FEATURES, Evidence
from cane_gane.evidence.fit import fit_additive
from cane_gane.evidence.likeness import texts_of
from cane_gane.evidence.lists import held_out_lists

KINDS: dict[str, tuple[str, ...]] = {
    "words of both texts": ("words", "word_pairs", "shared_words"),
    "letters": ("letters", "letters_one_hop", "letter_walks"),
    "neighbours' texts": (
        "words_one_hop", "pairs_one_hop", "letters_one_hop", "across", "neighbours",
    ),
    "the closest neighbour": ("closest_target", "closest_source"),
    "places in lists": ("target_height", "source_height"),
    "walks": ("walks", "short_walks", "letter_walks"),
    "common neighbours and PageRank": ("adamic_adar", "pagerank"),
    "edges of similar nodes": (
        "similar_sources", "similar_targets", "near_sources", "near_targets",
    ),
    "degrees": ("popularity", "degree", "out_degree", "seen"),
}  # fmt: skip


def outcomes(split: Split, seed: int, without: Sequence[Sequence[str]]) -> Any:
    """Returns how evidence ranks test edges without each of the given feature sets."""
    network = split.network
    texts, count = texts_of(network.texts), network.node_count
    lists = held_out_lists(texts, split.train, count, seed=seed)
    evidence = Evidence(texts, split.train, count)
    contest = strict_contest(network.edges, split.train, split.test, count)
    found = []
    for left_out in without:
        names = [name for name in FEATURES if name not in left_out]
        functions = fit_additive(lists.only(names))

        def rows(sources: Any, functions: Any = functions) -> Any:
            return functions.rows(evidence, sources)

        found.append(rank_targets(FunctionFitted(rows, count), contest))
    return found


def pooled(parts: Sequence[Outcomes]) -> Outcomes:
    """Returns the outcomes of the edges of several splits."""
    shares, places = (
        np.concatenate([getattr(part, name) for part in parts])
        for name in ("shares", "places")
    )
    return Outcomes(shares, places)


def main(datasets: Sequence[str], ratio: float, seeds: Sequence[int]) -> None:
    kinds = {"": (), **KINDS}
    shown = ", ".join(map(str, seeds))
    print(f"Change in MRR, {ratio:.0%} of the edges for training, seeds {shown}")
    print("| | without | MRR | AUC |\n|---|---|---:|---:|")
    for dataset in datasets:
        network = load(dataset)
        found = [
            outcomes(network.split(ratio, "upstream", seed), seed, list(kinds.values()))
            for seed in seeds
        ]
        whole, *others = (pooled(one) for one in zip(*found, strict=True))
        mrr, auc = (100 * whole.column(name).mean() for name in ("mrr", "auc"))
        print(f"| {dataset} | – | {mrr:.1f} | {auc:.1f} |", flush=True)
        for kind, other in zip(KINDS, others, strict=True):
            gaps = differences(other, whole, seed=1)
            cells = (
                f"{100 * gap.mean:+.1f} ({100 * low:+.1f} to {100 * high:+.1f})"
                for gap in (gaps["mrr"], gaps["auc"])
                for low, high in [gap.interval]
            )
            print(f"| {dataset} | {kind} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("datasets", nargs="+", help="names or folders")
    parser.add_argument("--ratio", type=float, default=0.55, help="of training edges")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    given = parser.parse_args()
    try:
        main(given.datasets, given.ratio, given.seeds)
    except InputError as error:
        parser.error(str(error))
