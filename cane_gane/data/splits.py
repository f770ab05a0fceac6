"""Splits edges into a training set and a test set, by one of three rules."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from cane_gane.data.edges import edge_lines, read_edges
from cane_gane.data.graph import Edges
from cane_gane.errors import InputError, fault
from cane_gane.files import write_atomically

if TYPE_CHECKING:
    from cane_gane.data.network import TextualNetwork

FILES = ("graph.txt", "test_graph.txt")
RULES = ("strict", "cover", "upstream")
UPSTREAM_BATCH = 64


@dataclass(frozen=True, eq=False)
class Split:
    """A network, its training edges and its test edges.

    Attributes:
        network: The network.
        train: Training edges, `[train, 2]`.
        test: Test edges, `[test, 2]`; none if all edges are for training.
        ratio: The share of the edges that was asked for.
        rule: How edges were drawn; see `split_edges`.
        seed: The seed of the draw.
    """

    network: TextualNetwork
    train: Edges
    test: Edges
    ratio: float = 1.0
    rule: str = "upstream"
    seed: int = 1

    @property
    def left_out(self) -> int:
        """How many edges are in neither set: self-loops and duplicates."""
        return len(self.network.edges) - len(self.train) - len(self.test)

    @property
    def unseen(self) -> npt.NDArray[np.int64]:
        """Nodes that have an edge (to another node) but none in training."""
        edges = self.network.edges
        return np.setdiff1d(edges[edges[:, 0] != edges[:, 1]], self.train)

    def write(self, folder: Path | str) -> None:
        """Writes graph.txt and test_graph.txt in upstream's format.

        Edges keep their weights in a third column, which upstream does not have.
        """
        for name, edges in zip(FILES, (self.train, self.test), strict=True):
            weights = self.network.weights_of(edges)
            write_atomically(Path(folder) / name, edge_lines(edges, weights))


def read_split(folder: Path | str, network: TextualNetwork) -> Split:
    """Reads what `Split.write` wrote, or upstream's prepareData.py.

    Args:
        folder: A folder with graph.txt and test_graph.txt.
        network: The network that was split.

    Returns:
        The split.

    Raises:
        InputError: A file is missing or faulty, or has edges that the network lacks.
    """
    folder = Path(folder)
    train, test = read_split_edges(folder, network.node_count)
    pairs = set(map(tuple, network.edges.tolist()))
    for name, part in zip(FILES, (train, test), strict=True):
        strange = [pair for pair in map(tuple, part.tolist()) if pair not in pairs]
        if strange:
            first = f"the first of them {strange[0][0]} {strange[0][1]}"
            found = f"{len(strange)} edges that the data set lacks, {first}"
            expected = "edges of its graph.txt: name the data set that was split"
            raise fault(folder / name, None, found, expected)
    return Split(network, train, test)


def read_split_edges(folder: Path, node_count: int) -> tuple[Edges, Edges]:
    """Reads training and test edges without checking them against a network."""
    train_path, test_path = (folder / name for name in FILES)
    train, _ = read_edges(train_path, node_count)
    if test_path.is_file() and not test_path.stat().st_size:
        return train, train[:0]  # all edges were for training
    return train, read_edges(test_path, node_count)[0]


def split_edges(
    edges: Edges, ratio: float, rule: str = "strict", seed: int = 1
) -> tuple[Edges, Edges]:
    """Draws training edges; the rest are test edges.

    - `strict`: an edge, its reverse and its duplicates are one pair; whole pairs are
      drawn, so that no test edge has its reverse in training. Self-loops and duplicate
      lines are in neither set.
    - `cover`: as `strict`, but the first pairs are drawn so that every node has
      a training edge, as far as `ratio` allows; `Split.unseen` lists the others.
    - `upstream`: what CANE's prepareData.py does after `random.seed(seed)`.

    Args:
        edges: All edges, `[edges, 2]`.
        ratio: The share that is for training, between 0 and 1.
        rule: One of the three above.
        seed: The seed of the draw, 0 or more.

    Returns:
        Training edges and test edges.

    Raises:
        InputError: The ratio, the rule or the seed is not one of the above, or one
            of the two sets would be empty.
    """
    if not 0 < ratio < 1:
        raise InputError(f"found ratio {ratio}; expected a number between 0 and 1")
    if rule not in RULES:
        rules = ", ".join(RULES)
        raise InputError(f"found split rule '{rule}'; expected one of {rules}")
    if seed < 0:
        raise InputError(f"found seed {seed}; expected 0 or more")
    if rule == "upstream":
        train, test = _split_as_upstream(edges, ratio, seed)
    else:
        train, test = _split_pairs(edges, ratio, rule == "cover", seed)
    if not len(train) or not len(test):
        raise InputError(
            f"found {len(edges)} edges, which ratio {ratio} and rule '{rule}' split "
            f"into {len(train)} for training and {len(test)} for test; expected at "
            f"least one in each: {_way_out(edges, rule)}"
        )
    return train, test


def _way_out(edges: Edges, rule: str) -> str:
    """Returns how to avoid a set that would be empty."""
    pairs = np.unique(np.sort(edges[edges[:, 0] != edges[:, 1]], axis=1), axis=0)
    if len(pairs) < 2:
        return f"the network has {len(pairs)} pairs of joined nodes, and needs two"
    return "choose another ratio" + (", or the rule 'strict'" * (rule == "upstream"))


def _split_as_upstream(edges: Edges, ratio: float, seed: int) -> tuple[Edges, Edges]:
    count = int(len(edges) * ratio)
    # upstream: whole batches only, so up to 63 edges fewer than the ratio says.
    count -= count % UPSTREAM_BATCH
    chosen = random.Random(seed).sample(range(len(edges)), count)
    train = edges[chosen]
    # upstream: by content, so duplicates of a training line are in neither set.
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
