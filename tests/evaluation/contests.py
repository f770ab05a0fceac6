"""Both protocols of a few edges."""

import numpy as np

from cane_gane.evaluation.protocols import strict_contest, upstream_contest


def contests(train, test, node_count, edges=None):
    """Returns the contests by key; without `edges` the network has no others."""
    train, test = np.asarray(train), np.asarray(test)
    edges = np.concatenate([train, test]) if edges is None else edges
    return {
        "upstream": upstream_contest(train, test, node_count),
        "strict": strict_contest(edges, train, test, node_count),
    }
