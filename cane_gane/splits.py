"""Edges into a training set and a test set, by one of three rules."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from cane_gane.errors import InputError, fault
from cane_gane.files import write_atomically
from cane_gane.network import read_edges

Edges = npt.NDArray[np.int64]

RULES = ("strict", "cover", "upstream")
UPSTREAM_BATCH = 64


@dataclass(frozen=True)
class Split:
    """Training and test edges.

    Attributes:
        train: Training edges, `[train, 2]`.
        test: Test edges, `[test, 2]`.
        left_out: How many edges are in neither: self-loops and duplicates.
        unseen: Nodes that have an edge (to another node) but none in training.
    """

    train: Edges
    test: Edges
    left_out: int
    unseen: npt.NDArray[np.int64]

    def write(self, folder: Path) -> None:
        """Writes graph.txt and test_graph.txt in upstream's format."""
        for name, edges in (("graph.txt", self.train), ("test_graph.txt", self.test)):
            lines = "".join(
                f"{source}\t{target}\n" for source, target in edges.tolist()
            )
            write_atomically(folder / name, lines.encode())


def read_split(folder: Path, node_count: int, edges: Edges | None = None) -> Split:
    """Reads what `Split.write` wrote, or upstream's prepareData.py.

    Args:
        folder: A folder with graph.txt and test_graph.txt.
        node_count: The number of nodes.
        edges: All edges of the network, `[edges, 2]`, where they are known.

    Returns:
        The split.

    Raises:
        InputError: A file is missing or faulty, or has edges that the network lacks.
    """
    train = read_edges(folder / "graph.txt", node_count)
    test = read_edges(folder / "test_graph.txt", node_count)
    known = np.concatenate([train, test]) if edges is None else edges
    pairs = set(map(tuple, known.tolist()))
    for name, part in (("graph.txt", train), ("test_graph.txt", test)):
        strange = [pair for pair in map(tuple, part.tolist()) if pair not in pairs]
        if strange:
            raise fault(
                folder / name,
                None,
                f"{len(strange)} edges that the data set lacks, the first of them "
                f"{strange[0][0]} {strange[0][1]}",
                "edges of its graph.txt: name the data set that was split",
            )
    return _split(known, train, test)


def _split(edges: Edges, train: Edges, test: Edges) -> Split:
    proper = edges[edges[:, 0] != edges[:, 1]]
    left_out = len(edges) - len(train) - len(test)
    return Split(train, test, left_out, unseen=np.setdiff1d(proper, train))


def split_edges(
    edges: Edges, ratio: float, rule: str = "strict", seed: int = 1
) -> Split:
    """Draws training edges; the others are test edges.

    - `strict`: an edge, its reverse and its duplicates are one pair; pairs are
      drawn as wholes, so that no test edge has its reverse in training.
      Self-loops and duplicate lines are in neither set.
    - `cover`: as `strict`, but the first pairs are drawn so that every node has
      a training edge, as far as `ratio` allows; `unseen` tells which have none.
    - `upstream`: what CANE's prepareData.py does after `random.seed(seed)`.

    Args:
        edges: All edges, `[edges, 2]`.
        ratio: The share that is for training, between 0 and 1.
        rule: One of the three above.
        seed: What the draw hangs on.

    Returns:
        The split.

    Raises:
        InputError: The ratio or the rule is not one of the above, or one of the
            two sets would be empty.
    """
    if not 0 < ratio < 1:
        raise InputError(f"found ratio {ratio}; expected a number between 0 and 1")
    if rule not in RULES:
        raise InputError(
            f"found split rule '{rule}'; expected one of {', '.join(RULES)}"
        )
    if rule == "upstream":
        train, test = _split_as_upstream(edges, ratio, seed)
    else:
        train, test = _split_pairs(edges, ratio, rule == "cover", seed)
    if not len(train) or not len(test):
        raise InputError(
            f"found {len(edges)} edges, which ratio {ratio} and rule '{rule}' split "
            f"into {len(train)} for training and {len(test)} for test; expected at "
            "least one in each: choose another ratio, or the rule 'strict'"
        )
    return _split(edges, train, test)


def _split_as_upstream(edges: Edges, ratio: float, seed: int) -> tuple[Edges, Edges]:
    count = int(len(edges) * ratio)
    # upstream: whole batches only, so up to 63 edges fewer than the ratio says.
    count -= count % UPSTREAM_BATCH
    chosen = random.Random(seed).sample(range(len(edges)), count)
    train = edges[chosen]
    # upstream: by content, so the duplicates of a training line are in no set.
    in_train = set(map(tuple, train.tolist()))
    rest = [pair not in in_train for pair in map(tuple, edges.tolist())]
    return train, edges[rest]


def _split_pairs(
    edges: Edges, ratio: float, cover: bool, seed: int
) -> tuple[Edges, Edges]:
    """Splits unordered pairs; both directions of a pair stay together."""
    distinct = _first_of_each(edges[edges[:, 0] != edges[:, 1]])
    if not len(distinct):
        return distinct, distinct
    pairs, pair_of = np.unique(np.sort(distinct, axis=1), axis=0, return_inverse=True)
    order = np.random.default_rng(seed).permutation(len(pairs))
    if cover:
        order = order[np.argsort(~_covering(pairs[order]), kind="stable")]
    rank = np.empty(len(pairs), np.int64)
    rank[order] = np.arange(len(pairs))
    in_train = rank[pair_of.reshape(-1)] < int(len(pairs) * ratio)
    return distinct[in_train], distinct[~in_train]


def _first_of_each(edges: Edges) -> Edges:
    """Drops duplicate rows and keeps the order."""
    _, first = np.unique(edges, axis=0, return_index=True)
    return edges[np.sort(first)]


def _covering(pairs: Edges) -> npt.NDArray[np.bool_]:
    """Marks few pairs that together touch every node.

    Pairs of two untouched nodes are taken first, then those of one.
    """
    touched = np.zeros(pairs.max() + 1, np.bool_)
    marked = np.zeros(len(pairs), np.bool_)
    for wanted in (2, 1):
        for index, (source, target) in enumerate(pairs.tolist()):
            if 2 - touched[source] - touched[target] >= wanted:
                touched[source] = touched[target] = marked[index] = True
    return marked
