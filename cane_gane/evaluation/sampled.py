"""AUC from a fixed sample of negatives, for scores that are slow to compute."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from cane_gane.errors import InputError
from cane_gane.evaluation.outcomes import NO_DRAWS, Outcomes
from cane_gane.evaluation.protocols import Contest, Integers, Marks
from cane_gane.evaluation.ranking import DRAWS
from cane_gane.evaluation.results import Draws, Roc
from cane_gane.evaluation.roc import pooled_roc

BUDGET = 8_000  # pairs that are scored for each protocol
PairScore = Callable[[Integers], Any]


def sample_negatives(contest: Contest, per_edge: int, seed: int = 1) -> Integers:
    """Draws negatives for each scored edge, uniformly from the admissible ones.

    They are distinct if there are enough; else they are drawn with replacement.

    Args:
        contest: The scored edges and their negatives.
        per_edge: The number of negatives for each edge.
        seed: The seed of the sample.

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
    """Pairs that represent a whole contest, within a budget of pairs to score.

    Attributes:
        contest: The contest, with no more edges than half the budget.
        negatives: Sampled negatives of each of its edges, `[scored, per_edge, 2]`.
        chosen: Marks the edges of the whole contest that are in it, `[scored]`.
    """

    contest: Contest
    negatives: Integers
    chosen: Marks

    @classmethod
    def draw(cls, contest: Contest, seed: int, budget: int = BUDGET) -> Sample:
        """Draws as many negatives for each edge as the budget allows."""
        count, most = len(contest.scored), budget // 2
        chosen = np.ones(count, np.bool_)
        if count > most:
            chosen = np.random.default_rng(seed).permutation(count) < most
            contest = contest.only(chosen)
        per_edge = max(1, budget // max(1, len(contest.scored)) - 1)
        return cls(contest, sample_negatives(contest, per_edge, seed), chosen)

    def outcomes(self, score: PairScore, seed: int) -> tuple[Outcomes, Roc]:
        """Measures a pair score on these pairs.

        Args:
            score: Scores pairs, `[pairs, 2]`.
            seed: The seed of the draws.

        Returns:
            Outcomes of all edges of the whole contest, with NaN for those that are not
            in the sample. Shares are estimated from its negatives; `sampling_error` is
            the part of the mean's error that is due to them. Also the ROC curve of the
            same pairs.

        Raises:
            InputError: A score is NaN.
        """
        positive, negative = self.scores(score)
        found = sampled_outcomes(positive, negative, seed)
        shares = np.full(len(self.chosen), np.nan)
        shares[self.chosen] = found.shares
        notes = dict(found.notes)
        if not self.chosen.all():
            notes["sampled_edges"] = len(positive)
        unranked = np.full(len(shares), np.nan)
        whole = Outcomes(shares, unranked, draws=found.draws, notes=notes)
        return whole, pooled_roc(positive, negative)

    @property
    def pairs(self) -> Integers:
        """The edges, then their negatives, `[pairs, 2]`."""
        return np.concatenate([self.contest.scored, self.negatives.reshape(-1, 2)])

    def roc(self, scores: npt.NDArray[np.floating]) -> Roc:
        """Returns the ROC curve of the scores of `pairs`."""
        count = len(self.contest.scored)
        return pooled_roc(scores[:count], scores[count:])

    def scores(self, score: PairScore) -> tuple[Any, Any]:
        """Scores the edges, `[scored]`, and their negatives, `[scored, per_edge]`."""
        count, shape = len(self.contest.scored), self.negatives.shape[:2]
        scores = score(self.pairs)
        return scores[:count], scores[count:].reshape(shape)


def sampled_outcomes(
    positive_scores: npt.ArrayLike, negative_scores: npt.ArrayLike, seed: int = 1
) -> Outcomes:
    """Compares edges with sampled negatives.

    Args:
        positive_scores: The score of each scored edge, `[scored]`.
        negative_scores: The scores of its negatives, `[scored, per_edge]`.
        seed: The seed of the draws.

    Returns:
        The outcomes. They have no places, since ranks within a sample mean little.

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
    notes: dict[str, Any] = {"negatives": per_edge}
    if count and per_edge > 1:
        spread = wins.var(axis=1, ddof=1).sum() / per_edge
        notes["sampling_error"] = float(np.sqrt(spread) / count)
    unranked = np.full(count, np.nan)
    return Outcomes(wins.mean(axis=1), unranked, draws=_draws(wins, seed), notes=notes)


def _draws(wins: npt.NDArray[np.float64], seed: int) -> Draws:
    """Picks one negative for each edge, `DRAWS` times."""
    count, per_edge = wins.shape
    if not count:
        return NO_DRAWS
    rng = np.random.default_rng(seed)
    picked = rng.integers(per_edge, size=(DRAWS, count))
    figures = wins[np.arange(count), picked].mean(axis=1)
    return Draws(float(figures.mean()), float(figures.std(ddof=1)))
