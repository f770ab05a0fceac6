"""Protocols: which test edges are scored, and against which negatives."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from cane_gane.data.graph import neighbours_and_itself
from cane_gane.data.splits import Split
from cane_gane.errors import InputError
from cane_gane.evaluation.hard import hard_contest

Integers = npt.NDArray[np.int64]
Marks = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Contest:
    """The scored edges of a protocol and the admissible negatives of each.

    Attributes:
        node_count: The number of nodes of the network.
        scored: The test edges that are scored, `[scored, 2]`, source and target.
        backward: Marks those of them whose reverse is a training edge, `[scored]`.
        edges: How many test edges there are, scored or not.
        pool: The nodes that may be negatives, `[pool]`, ascending.
        blocked: Marks the negatives that a source does not admit,
            `[nodes, nodes]`, sparse, or None where it admits the whole pool.
        of_sources: How many sources there were before some were drawn at random; None
            where all are here.
    """

    node_count: int
    scored: Integers
    backward: Marks
    edges: int
    pool: Integers
    blocked: Any = None
    of_sources: int | None = None

    @property
    def loops(self) -> Marks:
        """Marks the scored edges that are self-loops, `[scored]`."""
        return self.scored[:, 0] == self.scored[:, 1]

    def only(self, kept: Marks) -> Contest:
        """Returns the contest in which only the marked edges are scored."""
        return dataclasses.replace(
            self, scored=self.scored[kept], backward=self.backward[kept]
        )

    @cached_property
    def in_pool(self) -> Marks:
        """Marks the nodes of the pool, `[nodes]`."""
        marks = np.zeros(self.node_count, np.bool_)
        marks[self.pool] = True
        return marks

    def barred(self, source: int) -> Integers:
        """Returns the nodes of the pool that `source` does not admit."""
        if self.blocked is None:
            return self.pool[:0]
        start, end = self.blocked.indptr[source : source + 2]
        nodes = self.blocked.indices[start:end]
        return nodes[self.in_pool[nodes]]

    def candidates(self, source: int) -> Integers:
        """Returns the nodes of the pool that `source` admits, ascending."""
        if self.blocked is None:
            return self.pool
        admitted = self.in_pool.copy()
        admitted[self.barred(source)] = False
        return np.flatnonzero(admitted)

    def negatives(self, source: int, target: int) -> Integers:
        """Returns the admissible negatives of an edge: candidates but the target."""
        candidates = self.candidates(source)
        return candidates[candidates != target]

    def counts(self) -> dict[str, int]:
        """Returns how many edges are scored and of what kind, as `Figures` has it."""
        found = {
            "scored": len(self.scored),
            "edges": self.edges,
            "self_loops": int(self.loops.sum()),
            "reversed": int((self.backward & ~self.loops).sum()),
        }
        if self.of_sources is not None:
            found["sources"] = len(np.unique(self.scored[:, 0]))
            found["of_sources"] = self.of_sources
        return found


def upstream_contest(train: Integers, test: Integers, node_count: int) -> Contest:
    """Builds what CANE's auc.py does, so that figures stand beside published ones.

    A test edge is skipped when one of its endpoints has no training edge, for
    then upstream has no vector of it. Negatives are the distinct nodes of all
    test edges, skipped ones included, that have a training edge.

    Args:
        train: Training edges, `[train, 2]`.
        test: Test edges, `[test, 2]`.
        node_count: The number of nodes of the network.

    Returns:
        The contest. Without two nodes in the pool there is no negative, and no
        edge is scored.

    Raises:
        InputError: An edge names a node that the network lacks.
    """
    _check_nodes(node_count, train, test)
    seen = np.zeros(node_count, np.bool_)
    seen[train] = True
    pool = np.unique(test)
    pool = pool[seen[pool]]
    # upstream: the source itself and its true neighbours may be negatives, and
    # self-loops, edges with their reverse in training and duplicates are scored.
    scored = test[seen[test].all(axis=1)] if len(pool) > 1 else test[:0]
    return _contest(node_count, scored, train, test, pool)


def strict_contest(
    edges: Integers, train: Integers, test: Integers, node_count: int
) -> Contest:
    """Builds the contest in which nothing is given away and nothing is skipped.

    Scored is every test edge once, but for self-loops and for edges that are
    training edges in one of the two directions. Negatives are all other nodes
    that are no neighbours of the source in the network, in either direction.
    Nodes without a training edge are included on all sides. Where both directions
    of a pair are test edges, both are scored: their sources differ.

    Args:
        edges: All edges of the network, `[edges, 2]`.
        train: Training edges, `[train, 2]`.
        test: Test edges, `[test, 2]`.
        node_count: The number of nodes of the network.

    Returns:
        The contest. An edge whose source neighbours all nodes has no negative
        and is not scored.

    Raises:
        InputError: An edge names a node that the network lacks.
    """
    _check_nodes(node_count, edges, train, test)
    every = np.concatenate([edges, train, test])
    blocked = neighbours_and_itself(every, node_count)
    _, first = np.unique(test, axis=0, return_index=True)
    scored = test[np.sort(first)]
    scored = scored[scored[:, 0] != scored[:, 1]]
    known = _pair_is_in(scored, train, node_count)
    scored = scored[~(known | _pair_is_in(scored[:, ::-1], train, node_count))]
    scored = scored[np.diff(blocked.indptr)[scored[:, 0]] < node_count]
    nodes = np.arange(node_count)
    return _contest(node_count, scored, train, test, nodes, blocked)


def without_self_loops(contest: Contest) -> Contest:
    """Returns the contest with the same negatives, but no self-loop scored."""
    return contest.only(~contest.loops)


def without_neighbours(contest: Contest, edges: Integers) -> Contest:
    """Returns the contest in which no neighbour of a source is its negative.

    Args:
        contest: The contest.
        edges: What makes nodes neighbours, in either direction, `[edges, 2]`.

    Returns:
        The contest, in which a source is no negative of itself either. A scored
        edge that is left without a negative is not scored.
    """
    blocked = neighbours_and_itself(edges, contest.node_count)
    if contest.blocked is not None:
        blocked = blocked.maximum(contest.blocked)
    fewer = dataclasses.replace(contest, blocked=blocked)
    left = [len(fewer.negatives(*edge)) > 0 for edge in fewer.scored.tolist()]
    return fewer.only(np.array(left, np.bool_))


def all_edges_contest(edges: Integers, train: Integers, node_count: int) -> Contest:
    """Builds the contest of every edge, training edges included: no test of prediction.

    Scored is every edge of the network whose endpoints have a training edge; negatives
    are all nodes that have one, but the target.

    Args:
        edges: All edges of the network, `[edges, 2]`.
        train: Training edges, `[train, 2]`.
        node_count: The number of nodes of the network.

    Returns:
        The contest.
    """
    _check_nodes(node_count, edges, train)
    seen = np.zeros(node_count, np.bool_)
    seen[train] = True
    pool = np.flatnonzero(seen)
    scored = edges[seen[edges].all(axis=1)] if len(pool) > 1 else edges[:0]
    return _contest(node_count, scored, train, edges, pool)


@dataclass(frozen=True)
class Protocol:
    """How link prediction is scored.

    Attributes:
        key: What commands and metrics.json call it.
        title: What readers call it.
        about: What it does, in a sentence.
        contest: Builds the scored edges of a split and their negatives: a `Contest` or
            a `HardContest`.
        predicts: Whether it tests prediction, that is, scores test edges alone.
        ranks: Whether the place of a target among all its negatives makes sense.
        needs_vectors: Whether every node of the pool must have a vector.
        scores: What a test edge must be to be scored.
    """

    key: str
    title: str
    about: str
    contest: Callable[[Split], Any]
    predicts: bool = True
    ranks: bool = True
    needs_vectors: bool = False
    scores: str = ""


PROTOCOLS: dict[str, Protocol] = {
    protocol.key: protocol
    for protocol in (
        Protocol(
            "upstream",
            "upstream's protocol",
            "What CANE's auc.py does: edges with an unseen node are skipped, and a "
            "negative may be a true neighbour.",
            lambda split: upstream_contest(
                split.train, split.test, split.network.node_count
            ),
            ranks=False,
            needs_vectors=True,
            scores="a test edge between nodes that have training edges, and a third "
            "such node",
        ),
        Protocol(
            "strict",
            "strict protocol",
            "Leaks nothing and skips no node: no self-loops, no reversed training "
            "edges, and negatives that are not edges.",
            lambda split: strict_contest(
                split.network.edges, split.train, split.test, split.network.node_count
            ),
            scores="a test edge that is neither a self-loop nor a reversed training "
            "edge, and whose source is not joined to all nodes",
        ),
        Protocol(
            "all_edges",
            "all edges",
            "Not a test of prediction: every edge, training edges included, against "
            "any node with a training edge. The paper's figures look like this.",
            lambda split: all_edges_contest(
                split.network.edges, split.train, split.network.node_count
            ),
            predicts=False,
            ranks=False,
        ),
        Protocol(
            "hard",
            "hard negatives",
            "HeaRT: a test edge against 500 pairs that look like edges, 250 at each "
            "end, by common neighbours, PageRank and text.",
            lambda split: hard_contest(
                PROTOCOLS["strict"].contest(split).scored, split
            ),
        ),
    )
}


def nothing_to_score(split: Split) -> list[str]:
    """Returns a line for each protocol that a split has no edge for, before training.

    Hard negatives are those of the strict protocol's edges.
    """
    empty = [
        protocol
        for protocol in PROTOCOLS.values()
        if protocol.scores and not len(protocol.contest(split).scored)
    ]
    return [
        f"nothing to score in {protocol.title}: found none of {len(split.test)} test "
        f"edges that can be; expected {protocol.scores}"
        for protocol in empty
    ]


def _contest(
    node_count: int,
    scored: Integers,
    train: Integers,
    test: Integers,
    pool: Integers,
    blocked: Any = None,
) -> Contest:
    backward = _pair_is_in(scored[:, ::-1], train, node_count)
    return Contest(node_count, scored, backward, len(test), pool, blocked)


def _pair_is_in(pairs: Integers, edges: Integers, node_count: int) -> Marks:
    """Marks the rows of `pairs` that are rows of `edges`, direction included."""
    place = np.array([node_count, 1])
    return np.isin(pairs @ place, edges @ place)


def _check_nodes(node_count: int, *edge_sets: Integers) -> None:
    for edges in edge_sets:
        if edges.size and not 0 <= edges.min() <= edges.max() < node_count:
            raise InputError(
                f"found node ids {edges.min()} to {edges.max()} in the edges; "
                f"expected 0 to {node_count - 1}"
            )
