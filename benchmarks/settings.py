"""Settings of the paper's other systems: `bash run.sh benchmark settings cora HepTh`.

Each method is fitted with its defaults, and again with one setting changed, on 85 % of
the training edges of a split; the other 15 % are ranked in the strict protocol. No test
edge is looked at. Seeds 101 and up are those of no table.
"""

from __future__ import annotations

import argparse
import dataclasses
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from cane_gane.api import load
from cane_gane.data.splits import Split, split_edges
from cane_gane.errors import InputError
from cane_gane.evaluation.fitted import VectorFitted
from cane_gane.evaluation.protocols import strict_contest
from cane_gane.evaluation.ranking import rank_targets
from cane_gane.methods.registry import find_method
from cane_gane.methods.tadw import step_matrix, sweeps, text_matrix

HELD_OUT = 0.15
TRIALS: Mapping[str, Mapping[str, Sequence[Any]]] = {
    "mmb": {"concentration": (0.1, 1.0), "absent": (2, 10), "sweeps": (10, 40)},
    "deepwalk": {"span": (5,), "walks": (5, 20), "passes": (2, 5)},
    "line": {"epochs": (50, 200, 400), "learning_rate": (2e-3, 2e-2)},
    "naive": {"epochs": (2, 10, 20), "learning_rate": (2e-3,)},
    "tadw": {"shrinkage": (0.02, 1.0), "sweeps": (5, 20)},
    "cene": {
        "edge_weight": (0.03, 0.3, 0.5), "epochs": (100, 400), "learning_rate": (3e-3,),
    },
    "dmte": {"epochs": (50, 100, 400), "learning_rate": (1e-3, 1e-2)},
}  # fmt: skip


def held_out(split: Split, seed: int) -> Split:
    """Returns a split whose test edges are training edges of the given one."""
    rest, out = split_edges(split.train, 1 - HELD_OUT, "strict", seed)
    return dataclasses.replace(split, train=rest, test=out)


def by_cosine(vectors: Any) -> VectorFitted:
    """Returns vectors of length 1; a node without a vector keeps NaN."""
    return VectorFitted(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))


def unscaled_tadw(split: Split, settings: Any, seed: int) -> VectorFitted:
    """Returns TADW with both halves as factorised, not scaled to length 1."""
    text = text_matrix(split, settings.text_dimension, seed)
    turns = sweeps(
        step_matrix(split), text, settings.dimension // 2, settings.shrinkage, seed
    )
    for _ in range(settings.sweeps):
        own, factor = next(turns)
    return VectorFitted(np.hstack([own, text @ factor.T]).astype(np.float32))


def trials(key: str) -> Iterator[tuple[str, Callable[[Split, int], Any]]]:
    """Yields a name and a fit for each trial of a method, the defaults first."""
    method = find_method(key)
    defaults = method.settings()

    def fit_with(settings: Any) -> Callable[[Split, int], Any]:
        return lambda split, seed: method.fit(split, settings, seed, None)

    yield "defaults", fit_with(defaults)
    for name, values in TRIALS[key].items():
        for value in values:
            changed = dataclasses.replace(defaults, **{name: value})
            yield f"{name} {value:g}", fit_with(changed)
    if key == "deepwalk":
        default = fit_with(defaults)
        yield "cosine", lambda split, seed: by_cosine(default(split, seed).vectors)
    if key == "tadw":
        yield (
            "halves unscaled",
            lambda split, seed: unscaled_tadw(split, defaults, seed),
        )


def main(
    datasets: Sequence[str], methods: Sequence[str], ratio: float, seeds: Sequence[int]
) -> None:
    shown = ", ".join(map(str, seeds))
    print(f"Held-out training edges, {ratio:.0%} of the edges, seeds {shown}")
    print("| | method | trial | AUC | MRR | CPU s |\n|---|---|---|---:|---:|---:|")
    for key in methods:
        find_method(key).start(find_method(key).settings(), "cpu")
        for name, fit in trials(key):
            for dataset in datasets:
                network, found, begun = load(dataset), [], time.process_time()
                for seed in seeds:
                    whole = network.split(ratio, "upstream", seed)
                    split = held_out(whole, seed)
                    contest = strict_contest(
                        whole.train, split.train, split.test, network.node_count
                    )
                    result = rank_targets(fit(split, seed), contest)
                    found.append(
                        [100 * result.column(c).mean() for c in ("auc", "mrr")]
                    )
                auc, mrr = np.mean(found, axis=0)
                taken = (time.process_time() - begun) / len(seeds)
                row = f"{auc:.2f} | {mrr:.2f} | {taken:.0f}"
                print(f"| {dataset} | {key} | {name} | {row} |", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("datasets", nargs="+", help="names or folders")
    parser.add_argument("--methods", nargs="+", default=list(TRIALS), choices=TRIALS)
    parser.add_argument("--ratio", type=float, default=0.55, help="of training edges")
    parser.add_argument("--seeds", type=int, nargs="+", default=[101, 102])
    given = parser.parse_args()
    try:
        main(given.datasets, given.methods, given.ratio, given.seeds)
    except InputError as error:
        parser.error(str(error))
