"""A linear ranker: plain evidence, weighed by a softmax on folds of training edges."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize
from threadpoolctl import threadpool_limits

from cane_gane.data.graph import Edges, neighbours_and_itself
from cane_gane.data.splits import Split
from cane_gane.evaluation.fitted import RowFitted
from cane_gane.evaluation.protocols import strict_contest
from cane_gane.methods.evidence import NAMES, Evidence, TextVectors

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

FOLDS, USED = 6, 3  # the training edges are cut into folds, of which some are ranked
CANDIDATES = 300  # that a held-out edge is ranked among
HARD = 60  # of them those that text and walks rank first
MOST_EDGES = 2_000  # that are ranked in a fold
SHRINKAGE = 1e-3
_CELLS = 6_000_000  # features of source and node that are held at once
_GUIDE = (NAMES.index("pairs_one_hop"), NAMES.index("walks"))


class LinearRanker(RowFitted):
    """A weighted sum of the features of `Evidence`.

    Attributes:
        weights: The weight of each feature, in units of its spread.
    """

    score_name = "linear"

    def __init__(
        self, evidence: Evidence, weights: Floats, scale: Floats, node_count: int
    ) -> None:
        """Takes the features, their weights, and the spread of each."""
        self.weights = dict(zip(NAMES, weights.tolist(), strict=True))
        self._evidence = evidence
        self._factors = (weights / scale).astype(np.float32)
        self._node_count = node_count

    @property
    def vectors(self) -> Floats:
        """None: a sum of features has no vectors."""
        return np.full((self._node_count, 1), np.nan)

    def score_rows(self, sources: Integers) -> Floats:
        """Scores sources with all nodes, `[sources, nodes]`."""
        blocks = _blocks(sources, self._node_count)
        rows = [self._evidence.rows(block) @ self._factors for block in blocks]
        return np.concatenate(rows).astype(np.float64)


@threadpool_limits.wrap(limits=1)  # sums of several threads depend on their number
def fit_linear(split: Split, seed: int = 1) -> LinearRanker:
    """Fits the weights on held-out folds of the training edges; no test edge is used.

    Every feature is computed anew without the fold. A held-out edge is ranked among
    candidates that are no training neighbours of its source: some of the best by text
    and walks, and others by chance.

    Args:
        split: The split.
        seed: What folds and candidates depend on.

    Returns:
        The ranker, on the features of all training edges.
    """
    network, train = split.network, split.train
    count = network.node_count
    texts = TextVectors(network.texts)
    rng = np.random.default_rng(seed)
    folds = np.array_split(rng.permutation(len(train)), FOLDS)
    known = neighbours_and_itself(train, count)
    lists = []
    for fold in folds[:USED]:
        rest = np.delete(train, fold, axis=0)
        if not len(rest):
            continue
        held_out = strict_contest(rest, rest, train[fold], count).scored[:MOST_EDGES]
        evidence = Evidence(texts, rest, count)
        lists += _lists(evidence, held_out, known, rng)
    whole = Evidence(texts, train, count)
    if not lists:
        ones = np.ones(len(NAMES))
        return LinearRanker(whole, ones, ones, count)
    features = np.stack(lists).astype(np.float64)
    scale = features.reshape(-1, len(NAMES)).std(axis=0) + 1e-9
    return LinearRanker(whole, _weights(features / scale), scale, count)


def _lists(
    evidence: Evidence, held_out: Edges, known: object, rng: np.random.Generator
) -> list[Floats]:
    """Returns the features of each held-out edge, first, and of its candidates."""
    lists = []
    count = known.shape[0]  # type: ignore[attr-defined]
    for block in _blocks(np.unique(held_out[:, 0]), count):
        rows = evidence.rows(block)
        for row, source in zip(rows, block.tolist(), strict=True):
            free = np.ones(count, np.bool_)
            free[known[[source]].indices] = False  # type: ignore[index]
            others = np.flatnonzero(free)
            if not len(others):
                continue
            guide = row[others][:, _GUIDE].sum(axis=1)
            hard = others[np.argsort(-guide, kind="stable")[:HARD]]
            for target in held_out[held_out[:, 0] == source, 1].tolist():
                easy = rng.choice(others, CANDIDATES - len(hard))
                lists.append(row[np.concatenate([[target], hard, easy])])
    shortest = min(map(len, lists), default=0)
    return [own[:shortest] for own in lists]


def _weights(features: Floats) -> Floats:
    """Maximises the chance of the first of each list under a softmax.

    Args:
        features: `[lists, candidates, features]`.

    Returns:
        The weights, `[features]`.
    """

    def loss(weights: Floats) -> tuple[float, Floats]:
        scores = features @ weights
        shares = np.exp(scores - scores.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        expected = np.einsum("lc,lcf->lf", shares, features)
        value = -np.log(shares[:, 0] + 1e-300).mean() + SHRINKAGE * weights @ weights
        slope = (expected - features[:, 0]).mean(axis=0) + 2 * SHRINKAGE * weights
        return float(value), slope

    start = np.zeros(features.shape[-1])
    return np.asarray(minimize(loss, start, jac=True, method="L-BFGS-B").x)


def _blocks(sources: Integers, count: int) -> list[Integers]:
    size = max(1, _CELLS // (count * len(NAMES)))
    return [sources[first : first + size] for first in range(0, len(sources), size)]
