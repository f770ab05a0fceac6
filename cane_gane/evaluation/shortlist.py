"""The places of targets under a slow score: a shortlist, then the score itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from cane_gane.evaluation.fitted import Fitted, RowFitted, by_source
from cane_gane.evaluation.hard import HardContest
from cane_gane.evaluation.outcomes import Outcomes, only_places, places_among
from cane_gane.evaluation.protocols import Contest, Integers
from cane_gane.evaluation.ranking import count_rivals, outcomes_of
from cane_gane.progress import Progress

BUDGET = 20_000  # pairs to score
LONGEST = 100  # most candidates of a source to score, if not all are scored


def shortlist_places(
    fitted: Fitted,
    first_stage: RowFitted,
    contest: Contest,
    seed: int,
    budget: int = BUDGET,
) -> Outcomes:
    """Ranks the targets of some sources by a slow score.

    Where the budget allows, every admissible negative of every source is scored.
    Otherwise the first stage names the best candidates of a source, and the score ranks
    these. Each source has as many candidates as the budget allows for all sources; if
    that is fewer than the method asks for, only randomly drawn sources are ranked. A
    target that is not among the candidates keeps its place in the first stage.

    Args:
        fitted: The score.
        first_stage: Scores sources with all nodes.
        contest: The scored edges and their negatives.
        seed: The seed of the choice of sources.
        budget: How many pairs may be scored; at least one source is ranked.

    Returns:
        Outcomes with places and precisions, NaN for sources that were not drawn.
    """
    groups = by_source(contest.scored)
    fewest = fitted.shortlist.candidates
    sources, size = _affordable(contest, groups, fewest, seed, budget)
    counts = np.zeros((4, len(contest.scored)), np.int64)
    ranked, missed = np.zeros((2, len(contest.scored)), np.bool_)
    listed: dict[int, Integers] = {}
    with Progress("candidates", len(sources)) as progress:
        for source, row in first_stage.in_blocks(sources):
            edges, candidates = groups[source], contest.candidates(source)
            targets = contest.scored[edges, 1]
            ranked[edges] = True
            counts[:, edges] = count_rivals(row, contest, source, edges)
            best = candidates[np.argsort(-row[candidates], kind="stable")[:size]]
            if len(best) < len(candidates):
                missed[edges] = row[targets] < row[best].min()
            listed[source] = np.union1d(best, targets)
            progress.add()
    own = [_with(source, nodes) for source, nodes in listed.items()]
    pairs = np.concatenate([*own, contest.scored[:0]])
    scores = np.asarray(fitted.score(pairs), np.float64)
    first = 0
    for source, nodes in listed.items():
        edges, mine = groups[source], scores[first : first + len(nodes)]
        first += len(nodes)
        # Nodes that are not on the list score below all that are.
        row = np.full(contest.node_count, mine.min() - np.ptp(mine) - 1)
        row[nodes] = mine
        found = count_rivals(row, contest, source, edges)
        counts[:, edges] = np.where(missed[edges], counts[:, edges], found)
    measured = outcomes_of(counts[:, ranked], ranked=True, seed=seed)
    places, precisions = np.full((2, len(ranked)), np.nan)
    places[ranked], precisions[ranked] = measured.places, measured.precisions
    notes = _notes(int(ranked.sum()), len(scores), int(missed.sum()))
    return only_places(places, precisions, notes)


def shortlist_hard(
    fitted: Fitted, first_stage: RowFitted, contest: HardContest
) -> Outcomes:
    """Ranks edges among given negatives by a slow score, in the same two stages.

    Args:
        fitted: The score.
        first_stage: Scores sources with all nodes.
        contest: The edges and their negatives.

    Returns:
        Outcomes with places.
    """
    rough = np.asarray(first_stage.score(contest.pairs), np.float64)
    own, negative = rough[:, 0], np.where(contest.filled, rough[:, 1:], -np.inf)
    best = np.argsort(-negative, axis=1, kind="stable")[:, : fitted.shortlist.hard]
    # If the last of the best is missing (-inf), all negatives are listed.
    missed = own < np.take_along_axis(negative, best[:, -1:], axis=1)[:, 0]
    asked = np.take_along_axis(contest.filled, best, axis=1)
    listed = np.take_along_axis(contest.negatives, best[:, :, None], axis=1)
    pairs = np.concatenate([contest.scored, listed[asked]])
    scores = np.asarray(fitted.score(pairs), np.float64)
    rivals = np.full(asked.shape, -np.inf)
    rivals[asked] = scores[len(own) :]
    places = places_among(scores[: len(own)], rivals)
    places = np.where(missed, places_among(own, negative), places)
    return only_places(places, notes=_notes(len(own), len(scores), int(missed.sum())))


def _affordable(
    contest: Contest,
    groups: Mapping[int, Integers],
    fewest: int,
    seed: int,
    budget: int,
) -> tuple[Integers, int]:
    """Returns the sources to rank, ascending, and the length of their lists."""
    sources = np.array(list(groups), np.int64)
    targets = np.array([len(edges) for edges in groups.values()], np.int64)
    candidates = np.array([len(contest.candidates(u)) for u in groups], np.int64)
    if (candidates + targets).sum() <= budget:
        return sources, contest.node_count
    size = int(np.clip((budget - targets.sum()) // len(sources), fewest, LONGEST))
    order = np.random.default_rng(seed).permutation(len(sources))
    costs = (np.minimum(candidates, size) + targets)[order]
    count = max(1, int((np.cumsum(costs) <= budget).sum()))
    return np.sort(sources[order[:count]]), size


def _with(source: int, nodes: Integers) -> Integers:
    """Returns the pairs of a source with nodes, `[nodes, 2]`."""
    return np.stack([np.full(len(nodes), source), nodes], axis=1)


def _notes(edges: int, pairs: int, missed: int) -> dict[str, Any]:
    return {
        "ranked_edges": edges,
        "ranked_pairs": pairs,
        "missed": missed / max(1, edges),
    }
