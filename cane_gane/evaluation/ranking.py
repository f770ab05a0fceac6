"""How high targets rank among all their negatives, in one pass over the sources."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from cane_gane.evaluation.fitted import Floats, RowFitted, by_source
from cane_gane.evaluation.outcomes import NO_DRAWS, TIE_TOLERANCE, Outcomes
from cane_gane.evaluation.protocols import Contest, Integers
from cane_gane.evaluation.results import Draws
from cane_gane.progress import Progress

DRAWS = 20
_FEW = 100  # limits: for fewer, comparing all values is faster than sorting


def rank_targets(
    fitted: RowFitted, contest: Contest, *, ranks: bool = True, seed: int = 1
) -> Outcomes:
    """Ranks each scored edge among all its admissible negatives.

    Args:
        fitted: Scores sources with all nodes.
        contest: The scored edges and their negatives.
        ranks: Whether the contest can be ranked.
        seed: The seed of the draws.

    Returns:
        The outcomes, in the order of `contest.scored`; see `one_pass`.
    """
    unranked = () if ranks else ("",)
    return one_pass(fitted, {"": contest}, {}, unranked=unranked, seed=seed)[0][""]


def one_pass(
    fitted: RowFitted,
    contests: Mapping[str, Contest],
    pairs: Mapping[str, Integers],
    *,
    unranked: tuple[str, ...] = (),
    seed: int = 1,
    stage: str = "ranking test edges",
) -> tuple[dict[str, Outcomes], dict[str, Floats]]:
    """Ranks targets of several contests and scores pairs, each source scored once.

    - A share is the share of admissible negatives that score below the target, where
      ties count one half: the expectation of the draw that upstream prints.
    - A place is the rank, from 1, of one target among its admissible negatives, so that
      other neighbours do not matter; ties get the mean place.
    - A precision is the share of the source's scored targets among all nodes that score
      the same or more; its mean is scikit-learn's average precision.

    Args:
        fitted: Scores sources with all nodes.
        contests: Scored edges and their negatives, by name.
        pairs: Further pairs to score, `[..., 2]`, by name.
        unranked: The contests that cannot be ranked.
        seed: The seed of the draws.
        stage: The title of the progress line.

    Returns:
        The outcomes of each contest, and the scores of the pairs, `[...]`.
    """
    counts = {
        name: np.zeros((4, len(own.scored)), np.int64) for name, own in contests.items()
    }
    flat = {name: own.reshape(-1, 2) for name, own in pairs.items()}
    scores = {name: np.zeros(len(own)) for name, own in flat.items()}
    groups = {name: by_source(own.scored) for name, own in contests.items()}
    asked = {name: by_source(own) for name, own in flat.items()}
    sources = sorted(set().union(*groups.values(), *asked.values()))
    with Progress(stage, len(sources)) as progress:
        for source, row in fitted.in_blocks(np.array(sources, np.int64)):
            for name, contest in contests.items():
                if (edges := groups[name].get(source)) is not None:
                    counts[name][:, edges] = count_rivals(row, contest, source, edges)
            for name, own in asked.items():
                if (places := own.get(source)) is not None:
                    scores[name][places] = row[flat[name][places, 1]]
            progress.add()
    found = {
        name: outcomes_of(own, name not in unranked, seed)
        for name, own in counts.items()
    }
    shapes = {name: own.shape[:-1] for name, own in pairs.items()}
    return found, {name: own.reshape(shapes[name]) for name, own in scores.items()}


def count_rivals(row: Floats, contest: Contest, source: int, edges: Integers) -> Any:
    """Compares the targets of a source with its negatives and with each other.

    Args:
        row: The scores of the source with all nodes, `[nodes]`.
        contest: The scored edges and their negatives.
        source: The source.
        edges: The indices of its edges in `contest.scored`, `[edges]`.

    Returns:
        For each edge: negatives below the target, negatives that tie with it, all its
        negatives, and targets of the source that are not below it, `[4, edges]`.
    """
    targets, barred = contest.scored[edges, 1], contest.barred(source)
    slack = TIE_TOLERANCE * np.abs(row).max()
    every = len(contest.pool) == contest.node_count
    pool = row if every else row[contest.pool]
    # The negatives that the source does not admit are few: they are subtracted.
    below, not_above = (
        whole - part
        for whole, part in zip(
            _split(pool, row[targets], slack),
            _split(row[barred], row[targets], slack),
            strict=True,
        )
    )
    # A target in the pool counted itself as a tie.
    own = contest.in_pool[targets] & ~np.isin(targets, barred)
    lower_targets, _ = _split(row[targets], row[targets], slack)
    ties, negatives = not_above - below - own, len(pool) - len(barred) - own
    return np.stack([below, ties, negatives, len(targets) - lower_targets])


def _split(values: Floats, limits: Floats, slack: float) -> tuple[Integers, Integers]:
    """Counts the values below each limit, and those not above it."""
    if len(limits) < _FEW:
        low = [np.count_nonzero(values < limit) for limit in limits - slack]
        high = [np.count_nonzero(values <= limit) for limit in limits + slack]
        return np.array(low, np.int64), np.array(high, np.int64)
    ordered = np.sort(values)
    below = np.searchsorted(ordered, limits - slack, side="left")
    return below, np.searchsorted(ordered, limits + slack, side="right")


def outcomes_of(counts: Integers, ranked: bool, seed: int) -> Outcomes:
    """Returns the outcomes of edges.

    Args:
        counts: What `count_rivals` returned for each edge, `[4, scored]`.
        ranked: Whether the contest can be ranked.
        seed: The seed of the draws.
    """
    below, ties, negatives, targets = counts
    places = 1 + negatives - below - ties / 2
    return Outcomes(
        shares=(below + ties / 2) / negatives,
        places=places if ranked else np.full(len(places), np.nan),
        precisions=targets / (targets + negatives - below) if ranked else None,
        draws=_draws(below, ties, negatives, seed),
    )


def _draws(below: Integers, ties: Integers, negatives: Integers, seed: int) -> Draws:
    """Draws one negative for each edge, `DRAWS` times.

    A uniform draw from n negatives is a position in their order by score, so the ranks
    suffice and nothing is scored again.
    """
    if not len(negatives):
        return NO_DRAWS
    rng = np.random.default_rng(seed)
    drawn = rng.integers(negatives, size=(DRAWS, len(negatives)))
    wins = (drawn < below) / 2 + (drawn < below + ties) / 2
    figures = wins.mean(axis=1)
    return Draws(float(figures.mean()), float(figures.std(ddof=1)))
