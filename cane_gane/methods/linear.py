"""A linear ranker: plain evidence, weighted by a softmax on folds of training edges."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import chain

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits

from cane_gane.data.splits import Split
from cane_gane.evaluation.fitted import FunctionFitted
from cane_gane.evaluation.protocols import Contest, strict_contest
from cane_gane.evidence.features import Evidence
from cane_gane.evidence.lists import AT_ONCE
from cane_gane.evidence.softmax import fit_weights

Floats = npt.NDArray[np.floating]
Integers = npt.NDArray[np.int64]

FOLDS, USED = 6, 3  # folds of the training edges, and how many are ranked
EASY, HARD = 400, 60  # random candidates, and those that text and walks rank first
CANDIDATES = 300  # of both kinds, among which a held-out edge is ranked
MOST_EDGES = 2_000  # that are ranked in a fold
SHRINKAGE = 1e-3
NAMES = (
    "words", "word_pairs", "letters", "words_one_hop", "pairs_one_hop", "across",
    "neighbours", "walks", "adamic_adar", "pagerank", "popularity", "degree", "seen",
)  # fmt: skip
_CELLS = 6_000_000  # features of sources with nodes that are held at once
_GUIDE = [NAMES.index("pairs_one_hop"), NAMES.index("walks")]


class LinearRanker(FunctionFitted):
    """A weighted sum of plain features of `Evidence`.

    Attributes:
        weights: The weight of each feature.
    """

    score_name = "linear"

    def __init__(self, evidence: Evidence, weights: Floats) -> None:
        """Takes the features and their weights."""
        self.weights = dict(zip(NAMES, weights.tolist(), strict=True))

        def rows(sources: Integers) -> Floats:
            # One by one: this takes less memory than a matrix product, and two nodes
            # with the same features tie to the last bit.
            total = np.zeros((len(sources), evidence.node_count))
            features = evidence.features(sources, NAMES)
            for weight, feature in zip(self.weights.values(), features, strict=True):
                total += weight * feature.astype(np.float64)
            return total

        super().__init__(rows, evidence.node_count)


@threadpool_limits.wrap(limits=1)  # sums of several threads depend on their number
def fit_linear(evidence: Evidence, split: Split, seed: int = 0) -> LinearRanker:
    """Fits the weights on held-out folds of the training edges; no test edge is used.

    Every feature is recomputed without the fold. A held-out edge is ranked among
    candidates that are not training neighbours of its source: some of the best by text
    and walks, and random ones.

    Args:
        evidence: The features of all training edges.
        split: The split.
        seed: The seed of folds and candidates.

    Returns:
        The ranker, on the features of all training edges. If no edge can be held out,
        its weights are all 1.
    """
    train, count = split.train, split.network.node_count
    order = np.random.default_rng(seed).permutation(len(train))
    folds = np.array_split(order, FOLDS)[:USED]

    def ranked(place: int) -> list[Floats]:
        fold, rng = folds[place], np.random.default_rng([seed, place])
        rest = np.delete(train, fold, axis=0)
        contest = strict_contest(rest, rest, train[fold], count)
        return _lists(Evidence(evidence.texts, rest, count), contest, rng)

    evidence.texts.compute()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        lists = list(chain.from_iterable(pool.map(ranked, range(USED))))
    if not lists:
        return LinearRanker(evidence, np.ones(len(NAMES)))
    features = np.stack(lists)
    counts = np.zeros(features.shape[:2], np.float32)  # each counts once
    return LinearRanker(evidence, fit_weights(features, counts, SHRINKAGE))


def _lists(
    evidence: Evidence, contest: Contest, rng: np.random.Generator
) -> list[Floats]:
    """Ranks held-out edges among candidates.

    Args:
        evidence: The features without these edges.
        contest: The edges, and the nodes that are not neighbours of their sources.
        rng: Draws the candidates.

    Returns:
        For each edge, its features, then those of its candidates,
        `[1 + CANDIDATES, NAMES]`.
    """
    lists = []
    edges = contest.scored[:MOST_EDGES]
    step = max(1, _CELLS // (contest.node_count * len(NAMES)))
    for first in range(0, len(edges), step):
        block = edges[first : first + step]
        sources, row_of = np.unique(block[:, 0], return_inverse=True)
        rows = evidence.rows(sources, NAMES)
        for row, (source, target) in zip(rows[row_of], block.tolist(), strict=True):
            others = contest.candidates(source)
            guide = row[:, _GUIDE].sum(axis=1)[others]
            best = np.argpartition(-guide, min(HARD, len(others)) - 1)[:HARD]
            drawn = np.union1d(rng.choice(others, EASY), others[best])
            chosen = rng.choice(drawn, CANDIDATES, replace=len(drawn) < CANDIDATES)
            lists.append(row[np.concatenate([[target], chosen])])
    return lists
