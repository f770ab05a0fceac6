"""Both protocols of a few edges, and the figures of a score in a contest."""

import numpy as np

from cane_gane.evaluation.protocols import strict_contest, upstream_contest
from cane_gane.evaluation.ranking import rank_targets


def contests(train, test, node_count, edges=None):
    """Returns the contests by key; without `edges` the network has no others."""
    train, test = np.asarray(train), np.asarray(test)
    edges = np.concatenate([train, test]) if edges is None else edges
    return {
        "upstream": upstream_contest(train, test, node_count),
        "strict": strict_contest(edges, train, test, node_count),
    }


def ranked_figures(fitted, contest, *, ranks=True, seed=1):
    """Returns the figures of a score against all negatives."""
    outcomes = rank_targets(fitted, contest, ranks=ranks, seed=seed)
    return outcomes.figures(contest.scored[:, 0], contest.counts(), seed)
