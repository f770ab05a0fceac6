"""Which test edges are scored, and against which negatives: two protocols."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from cane_gane.errors import InputError

Integers = npt.NDArray[np.int64]
Marks = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Protocol:
    """The scored test edges and the admissible negatives of each.

    Attributes:
        name: `upstream` or `strict`.
        node_count: The number of nodes of the network.
        scored: The test edges that are scored, `[scored, 2]`, source and target.
        backward: Marks those of them whose reverse is a training edge, `[scored]`.
        edges: How many test edges there are, scored or not.
        pool: The nodes that may be negatives, `[pool]`, ascending.
        blocked: Marks the negatives that a source does not admit,
            `[nodes, nodes]`, sparse, or None where it admits the whole pool.
    """

    name: str
    node_count: int
    scored: Integers
    backward: Marks
    edges: int
    pool: Integers
    blocked: Any = None

    @property
    def loops(self) -> Marks:
        """Marks the scored edges that are self-loops, `[scored]`."""
        return self.scored[:, 0] == self.scored[:, 1]

    def only(self, kept: Marks) -> Protocol:
        """Returns the protocol in which only the marked edges are scored."""
        return dataclasses.replace(
            self, scored=self.scored[kept], backward=self.backward[kept]
        )

    def candidates(self, source: int) -> Integers:
        """Returns the nodes of the pool that `source` admits, ascending."""
        if self.blocked is None:
            return self.pool
        start, end = self.blocked.indptr[source : source + 2]
        admitted = np.zeros(self.node_count, np.bool_)
        admitted[self.pool] = True
        admitted[self.blocked.indices[start:end]] = False
        return np.flatnonzero(admitted)

    def negatives(self, source: int, target: int) -> Integers:
        """Returns the admissible negatives of an edge: candidates but the target."""
        candidates = self.candidates(source)
        return candidates[candidates != target]

    def counts(self) -> dict[str, int]:
        """Returns how many edges are scored and of what kind, ready for JSON."""
        return {
            "scored": len(self.scored),
            "edges": self.edges,
            "self_loops": int(self.loops.sum()),
            "reversed": int((self.backward & ~self.loops).sum()),
        }


def make_protocols(
    edges: Integers, train: Integers, test: Integers, node_count: int
) -> dict[str, Protocol]:
    """Builds both protocols by name, `upstream` first.

    Args:
        edges: All edges of the network, `[edges, 2]`.
        train: Training edges, `[train, 2]`.
        test: Test edges, `[test, 2]`.
        node_count: The number of nodes of the network.

    Returns:
        The two protocols.
    """
    return {
        "upstream": upstream_protocol(train, test, node_count),
        "strict": strict_protocol(edges, train, test, node_count),
    }


def upstream_protocol(train: Integers, test: Integers, node_count: int) -> Protocol:
    """Builds what CANE's auc.py does, so that figures stand beside published ones.

    A test edge is skipped when one of its endpoints has no training edge, for
    then upstream has no vector of it. Negatives are the distinct nodes of all
    test edges, skipped ones included, that have a training edge.

    Args:
        train: Training edges, `[train, 2]`.
        test: Test edges, `[test, 2]`.
        node_count: The number of nodes of the network.

    Returns:
        The protocol. Without two nodes in the pool there is no negative, and no
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
    return _protocol("upstream", node_count, scored, train, test, pool)


def strict_protocol(
    edges: Integers, train: Integers, test: Integers, node_count: int
) -> Protocol:
    """Builds the protocol in which nothing is given away and nothing is skipped.

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
        The protocol. An edge whose source neighbours all nodes has no negative
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
    return _protocol("strict", node_count, scored, train, test, nodes, blocked)


def without_self_loops(protocol: Protocol) -> Protocol:
    """Returns the protocol with the same negatives, but no self-loop scored."""
    return protocol.only(~protocol.loops)


def without_neighbours(protocol: Protocol, edges: Integers) -> Protocol:
    """Returns the protocol in which no neighbour of a source is its negative.

    Args:
        protocol: The protocol.
        edges: What makes nodes neighbours, in either direction, `[edges, 2]`.

    Returns:
        The protocol, in which a source is no negative of itself either. A scored
        edge that is left without a negative is not scored.
    """
    blocked = neighbours_and_itself(edges, protocol.node_count)
    if protocol.blocked is not None:
        blocked = blocked.maximum(protocol.blocked)
    fewer = dataclasses.replace(protocol, blocked=blocked)
    left = [len(fewer.negatives(*edge)) > 0 for edge in fewer.scored.tolist()]
    return fewer.only(np.array(left, np.bool_))


def adjacency(edges: Integers, node_count: int) -> Any:
    """Returns the undirected 0/1 adjacency, `[nodes, nodes]`, as a CSR array."""
    sides = np.concatenate([edges, edges[:, ::-1]])
    ones = np.ones(len(sides))
    matrix = sparse.csr_array((ones, sides.T), shape=(node_count, node_count))
    matrix.data[:] = 1  # duplicates were summed
    return matrix


def neighbours_and_itself(edges: Integers, node_count: int) -> Any:
    """Marks for each node its neighbours and itself, `[nodes, nodes]`, as CSR."""
    nodes = np.arange(node_count)
    itself = np.stack([nodes, nodes], axis=1)
    return adjacency(np.concatenate([edges, itself]), node_count)


def _protocol(
    name: str,
    node_count: int,
    scored: Integers,
    train: Integers,
    test: Integers,
    pool: Integers,
    blocked: Any = None,
) -> Protocol:
    backward = _pair_is_in(scored[:, ::-1], train, node_count)
    return Protocol(name, node_count, scored, backward, len(test), pool, blocked)


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
