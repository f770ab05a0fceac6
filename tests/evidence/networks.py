"""A small network that tests of evidence and of rankers share."""

import numpy as np

from cane_gane.data.network import TextualNetwork
from cane_gane.evidence.features import Evidence
from cane_gane.evidence.likeness import Texts

TOPICS = ["graph edge node path", "matrix vector rank norm", "cell gene protein dna"]
NODES = 90


def topics():
    """Nodes of three topics, with edges inside a topic, loops and reversed edges."""
    rng = np.random.default_rng(5)
    texts = [
        " ".join(rng.choice(TOPICS[node % 3].split(), 3)) + f" common w{node // 2}"
        for node in range(NODES)
    ]
    ends = rng.integers(0, 29, size=(NODES - 1, 3)) * 3
    edges = np.array([(u, v + u % 3) for u, row in enumerate(ends) for v in row])
    network = TextualNetwork(texts, np.concatenate([edges, edges[:9, ::-1], [[4, 4]]]))
    return network.split(0.6, seed=1)


def evidence_of(split):
    texts = Texts(split.network.texts)
    return Evidence(texts, split.train, split.network.node_count)


def _star():
    return [[0, leaf] for leaf in range(1, 8)] + [[leaf, 0] for leaf in range(1, 8)]


def clique():
    return [[a, b] for a in range(6) for b in range(6) if a != b]


# Numbers of nodes, and training edges, of networks that have little to fit on.
ODD = [
    (5, []),
    (5, [[0, 1]]),
    (5, [[3, 3]]),
    (5, [[0, 1], [1, 0], [0, 1]]),
    (2, [[0, 1], [1, 0]] * 5),
    (9, _star()),
    (8, _star()),
    (6, clique()),
    (7, clique()),
    (400, _star()),
]
