"""MMB (Airoldi et al. 2008): the mixed-membership stochastic blockmodel."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.special import digamma, softmax
from threadpoolctl import threadpool_limits

from cane_gane.config import Settings, setting
from cane_gane.data.graph import Edges, neighbours, random_step
from cane_gane.data.splits import Split
from cane_gane.evaluation.fitted import Fitted
from cane_gane.methods.method import Method
from cane_gane.progress import counted
from cane_gane.serving.table import VectorTable
from cane_gane.training.room import check_room

Floats = npt.NDArray[np.float32]

_INNER = 2  # updates of both ends of all pairs for each of memberships
_STEPS, _DIRECTIONS = 6, 64  # of the walks from which memberships start


@dataclass(frozen=True)
class MmbSettings(Settings):
    """The blockmodel's size, and how it is fitted."""

    groups: int = setting(200, "groups of the blockmodel", low=1, high=10_000)
    absent: int = setting(
        5, "pairs without an edge to draw for each edge", low=1, high=1_000
    )
    concentration: float = setting(
        0.3, "prior weight of each group in a node", low=1e-6, high=1e3
    )
    sweeps: int = setting(20, "rounds of variational inference", low=1, high=10**4)


@dataclass(frozen=True)
class Blockmodel:
    """A fitted blockmodel.

    Attributes:
        memberships: The share of each group in a node, `[nodes, groups]`; rows sum to
            1.
        rates: The probability of an edge between two groups, `[groups, groups]`.
    """

    memberships: Floats
    rates: Floats


@threadpool_limits.wrap(limits=1)  # sums of several threads depend on their number
def fit_blockmodel(
    edges: Edges, node_count: int, settings: MmbSettings, seed: int
) -> Blockmodel:
    """Fits memberships and rates by variational inference, all pairs at once.

    In each pair (u, v), each end takes a group: u with probabilities s, v with
    probabilities r. Both are updated in turn, then memberships (a Dirichlet with the
    counts of groups taken) and rates (the share of edges among pairs of two groups).

    Args:
        edges: Training edges, `[train, 2]`; their directions are ignored.
        node_count: The number of nodes.
        settings: The settings. Only a sample of the pairs without an edge (by far the
            most) is used; the authors' sparsity parameter reduces their weight instead.
        seed: The seed of the sample and the start.

    Returns:
        The model.
    """
    rng = np.random.default_rng(seed)
    joined, apart = _pairs(edges, node_count, settings.absent, rng)
    pairs, known = np.concatenate([joined, apart]), len(joined)
    prior = np.float32(settings.concentration)
    counts = _start(edges, node_count, settings, seed)
    rates = np.full((settings.groups,) * 2, 0.02, np.float32)
    np.fill_diagonal(rates, 0.6)
    ends = [_rows(pairs[:, side], node_count) for side in (0, 1)]
    taken = softmax(_expected_logs(counts)[pairs[:, 1]], axis=1)
    for _ in counted("MMB", settings.sweeps):
        logs = _expected_logs(counts)
        present, absent = np.log(rates), np.log1p(-rates)
        for _ in range(_INNER):
            seen = np.concatenate([taken[:known] @ present.T, taken[known:] @ absent.T])
            given = softmax(logs[pairs[:, 0]] + seen, axis=1)
            seen = np.concatenate([given[:known] @ present, given[known:] @ absent])
            taken = softmax(logs[pairs[:, 1]] + seen, axis=1)
        counts = prior + ends[0] @ given + ends[1] @ taken
        on = given[:known].T @ taken[:known]
        off = given[known:].T @ taken[known:]
        rates = np.clip((on + 0.01) / (on + off + 0.1), 1e-4, 1 - 1e-4)
    return Blockmodel(counts / counts.sum(axis=1, keepdims=True), rates)


def _pairs(
    edges: Edges, node_count: int, absent: int, rng: np.random.Generator
) -> tuple[Edges, Edges]:
    """Returns pairs with an edge and a sample of those without, in both directions."""
    joined = np.unique(np.concatenate([edges, edges[:, ::-1]]), axis=0)
    apart = rng.integers(node_count, size=(absent * len(joined) // 2, 2))
    keys, known = apart @ [node_count, 1], joined @ [node_count, 1]
    apart = apart[~np.isin(keys, known) & (apart[:, 0] != apart[:, 1])]
    return joined, np.concatenate([apart, apart[:, ::-1]])


def _start(edges: Edges, node_count: int, settings: MmbSettings, seed: int) -> Floats:
    """Returns initial counts of groups: nodes that walks connect share a group."""
    from sklearn.cluster import MiniBatchKMeans
    from sklearn.preprocessing import normalize

    rng = np.random.default_rng([seed, 1])
    step = random_step(neighbours(edges, node_count))
    now = rng.standard_normal((node_count, _DIRECTIONS))
    near = now.copy()
    for _ in range(_STEPS):
        now = 0.9 * (step @ now)
        near += now
    counts = settings.concentration + rng.random((node_count, settings.groups)) / 10
    groups = min(settings.groups, node_count)
    clusters = MiniBatchKMeans(groups, n_init=1, random_state=seed)
    counts[np.arange(node_count), clusters.fit_predict(normalize(near))] += 2
    return counts.astype(np.float32)


def _expected_logs(counts: Floats) -> Floats:
    """Returns the expected logarithms of memberships, given counts of groups."""
    total = counts.sum(axis=1, keepdims=True)
    return np.asarray(digamma(counts) - digamma(total), np.float32)


def _rows(nodes: npt.NDArray[np.int64], node_count: int) -> sparse.csr_array:
    """Returns the matrix that sums rows of pairs by node."""
    pairs = np.arange(len(nodes))
    ones = np.ones(len(nodes), np.float32)
    return sparse.csr_array((ones, (nodes, pairs)), shape=(node_count, len(nodes)))


def _memory(split: Split, settings: MmbSettings) -> float:
    """Returns the least number of bytes needed."""
    pairs = 2 * len(split.train) * (1 + settings.absent)
    rows = pairs + 2 * split.network.node_count  # rows of probabilities and of counts
    return 4.0 * settings.groups * (4 * rows + 3 * settings.groups)


def _fit(split: Split, settings: MmbSettings, seed: int, _: Path | None) -> Fitted:
    check_room(partial(_memory, split), settings)
    count = split.network.node_count
    found = fit_blockmodel(split.train, count, settings, seed)
    memberships = found.memberships.astype(np.float64)
    memberships[np.setdiff1d(np.arange(count), split.train)] = np.nan
    return VectorTable(memberships, found.rates)


MMB = Method(
    "mmb",
    "MMB",
    "mixed-membership stochastic blockmodel (Airoldi 2008)",
    fit=_fit,
    open=VectorTable.open,
    settings=MmbSettings,
    paper="mmb",
)
