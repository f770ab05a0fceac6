"""A stand-in for a model, for tests of what reports show."""

import numpy as np

from cane_gane.data.network import TextualNetwork
from cane_gane.evaluation.fitted import Fitted
from cane_gane.evaluation.matching import Match


class Stub(Fitted):
    """Stands in for a model: later nodes score higher, all words match alike."""

    reads_texts = True

    def __init__(self, vectors=None):
        self._vectors = vectors

    @property
    def vectors(self):
        return self._vectors

    def score(self, pairs):
        return pairs.sum(axis=1).astype(np.float32)

    def match(self, sources, targets):
        texts = zip(sources, targets, strict=True)
        pairs = [(source.split(), target.split()) for source, target in texts]
        return [Match.cut(a, b, np.ones((len(a), len(b))), None) for a, b in pairs]


def unasked(vectors, count):
    """Stands in for an index that is not needed."""
    raise AssertionError("an index is for large networks")


NETWORK = TextualNetwork(
    ["red fox", "red sea", "blue sea", "Red fox"],
    np.array([[0, 1], [2, 1]]),
    names=["a", "b", "c", "d"],
)
