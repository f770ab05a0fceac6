"""AUC from a fixed sample of negatives, for scores that cost too much for all."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from cane_gane.errors import InputError
from cane_gane.evaluation.protocols import Contest, Integers
from cane_gane.evaluation.ranking import DRAWS, mean_with_error
from cane_gane.evaluation.results import Draws, Figures, Roc
from cane_gane.evaluation.roc import pooled_roc

BUDGET = 20_000  # pairs that are scored for each protocol
PairScore = Callable[[Integers], Any]


def sample_negatives(contest: Contest, per_edge: int, seed: int = 1) -> Integers:
    """Draws negatives for each scored edge, uniformly from the admissible ones.

    They differ from each other where there are enough; else they are drawn with
    replacement.

    Args:
        contest: The scored edges and their negatives.
        per_edge: How many for each edge.
        seed: What the sample depends on.

    Returns:
        Pairs to score, source and negative, `[scored, per_edge, 2]`.

    Raises:
        InputError: `per_edge` is less than 1.
    """
    if per_edge < 1:
        raise InputError(f"found {per_edge} negatives an edge; expected at least 1")
    rng = np.random.default_rng(seed)
    pairs = np.empty((len(contest.scored), per_edge, 2), np.int64)
    pairs[:, :, 0] = contest.scored[:, :1]
    for row, (source, target) in zip(pairs, contest.scored.tolist(), strict=True):
        negatives = contest.negatives(source, target)
        row[:, 1] = rng.choice(negatives, per_edge, replace=len(negatives) < per_edge)
    return pairs


@dataclasses.dataclass(frozen=True)
class Sample:
    """Pairs that stand for a whole contest, within a budget of pairs to score.

    Attributes:
        contest: The contest, with no more edges than half the budget.
        negatives: Sampled negatives of each of its edges, `[scored, per_edge, 2]`.
        counts: How many edges the whole contest scores and of what kind.
    """

    contest: Contest
    negatives: Integers
    counts: Mapping[str, Any]

    @classmethod
    def draw(cls, contest: Contest, seed: int, budget: int = BUDGET) -> Sample:
        """Draws as many negatives for each edge as the budget allows."""
        counts = contest.counts()
        count, most = counts["scored"], budget // 2
        if count > most:
            chosen = np.random.default_rng(seed).permutation(count) < most
            contest = contest.only(chosen)
        per_edge = max(1, budget // max(1, len(contest.scored)) - 1)
        return cls(contest, sample_negatives(contest, per_edge, seed), counts)

    def figures(self, score: PairScore, seed: int) -> tuple[Figures, Roc]:
        """Measures a pair score on these pairs.

        Args:
            score: Scores pairs, `[pairs, 2]`.
            seed: What the bootstrap depends on.

        Returns:
            `auc`, `std_error`, `interval`, `draws` as `ranked_figures` has them, from
            these negatives, with `sampling_error`, the part of the error that is due
            to their choice; and the ROC curve of the same pairs.

        Raises:
            InputError: A score is NaN.
        """
        positive, negative = self.scores(score)
        found = sampled_figures(positive, negative, seed)
        fewer = len(positive) < self.counts["scored"]
        sampled = len(positive) if fewer else None
        found = dataclasses.replace(found, **self.counts, sampled_edges=sampled)
        return found, pooled_roc(positive, negative)

    def roc(self, score: PairScore) -> Roc:
        """Returns the ROC curve of a pair score on these pairs."""
        return pooled_roc(*self.scores(score))

    def scores(self, score: PairScore) -> tuple[Any, Any]:
        """Scores the edges, `[scored]`, and their negatives, `[scored, per_edge]`."""
        edges, negatives = self.contest.scored, self.negatives
        scores = score(np.concatenate([edges, negatives.reshape(-1, 2)]))
        return scores[: len(edges)], scores[len(edges) :].reshape(negatives.shape[:2])


def sampled_figures(
    positive_scores: npt.ArrayLike, negative_scores: npt.ArrayLike, seed: int = 1
) -> Figures:
    """Estimates the AUC from the scores of sampled negatives.

    Args:
        positive_scores: The score of each scored edge, `[scored]`.
        negative_scores: The scores of its negatives, `[scored, per_edge]`.
        seed: What the bootstrap depends on.

    Returns:
        See `Sample.figures`; without counts of edges.

    Raises:
        InputError: The shapes do not fit, or a score is NaN.
    """
    positive = np.asarray(positive_scores, np.float64)
    negative = np.asarray(negative_scores, np.float64)
    if positive.ndim != 1 or negative.ndim != 2 or len(positive) != len(negative):
        raise InputError(
            f"found scores of shapes {positive.shape} and {negative.shape}; "
            "expected [scored] and [scored, per_edge]"
        )
    if np.isnan(positive).any() or np.isnan(negative).any():
        raise InputError("found a score that is NaN; expected numbers")
    limits = positive[:, None]
    wins = (negative < limits) / 2 + (negative <= limits) / 2
    count, per_edge = wins.shape
    mean, error, interval = mean_with_error(wins.mean(axis=1), seed)
    sampling = None
    if count and per_edge > 1:
        sampling = float(np.sqrt(wins.var(axis=1, ddof=1).sum() / per_edge) / count)
    return Figures(
        auc=mean,
        std_error=error,
        interval=interval,
        sampling_error=sampling,
        negatives=per_edge,
        draws=_draws(wins, seed),
    )


def _draws(wins: npt.NDArray[np.float64], seed: int) -> Draws:
    """Picks one negative for each edge, `DRAWS` times."""
    count, per_edge = wins.shape
    if not count:
        return Draws(None, None)
    rng = np.random.default_rng(seed)
    picked = rng.integers(per_edge, size=(DRAWS, count))
    figures = wins[np.arange(count), picked].mean(axis=1)
    return Draws(float(figures.mean()), float(figures.std(ddof=1)))
