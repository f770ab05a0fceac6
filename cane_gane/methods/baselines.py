"""Baselines that learn nothing: a model below one of them is not worth training."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from scipy import sparse

from cane_gane.data.graph import neighbours
from cane_gane.data.network import TextualNetwork
from cane_gane.data.splits import Split
from cane_gane.data.tfidf import one_hop_vectors, tfidf_vectors
from cane_gane.evaluation.fitted import Fitted, SparseFitted


@dataclass(frozen=True)
class Baseline:
    """A score that learns nothing.

    Attributes:
        key: The name that metrics.json has for it.
        title: What readers call it.
        fit: Builds it from a split's training edges and texts.
        reads_texts: Whether it needs texts.
    """

    key: str
    title: str
    fit: Callable[[Split], Fitted]
    reads_texts: bool = False


def _tfidf(split: Split) -> Fitted:
    """Cosine of the texts' TF-IDF vectors."""
    return SparseFitted(_own_words(split.network))


def _one_hop(split: Split) -> Fitted:
    """Cosine of these vectors after each is added to the mean of its neighbours'."""
    own = _own_words(split.network)
    return SparseFitted(one_hop_vectors(own, _neighbours(split)))


def _common(split: Split) -> Fitted:
    """How many training neighbours two nodes share."""
    return SparseFitted(_neighbours(split))


def _attachment(split: Split) -> Fitted:
    """The product of their numbers of training neighbours."""
    return SparseFitted(sparse.csr_array(_neighbours(split).sum(axis=1).reshape(-1, 1)))


@lru_cache(maxsize=1)
def _own_words(network: TextualNetwork) -> Any:
    return tfidf_vectors(network.texts)


def _neighbours(split: Split) -> Any:
    return neighbours(split.train, split.network.node_count)


BASELINES: dict[str, Baseline] = {
    baseline.key: baseline
    for baseline in (
        Baseline("tfidf", "TF-IDF cosine", _tfidf, reads_texts=True),
        Baseline(
            "tfidf_one_hop", "TF-IDF with training neighbours", _one_hop,
            reads_texts=True,
        ),
        Baseline("common_neighbours", "common neighbours", _common),
        Baseline("preferential_attachment", "preferential attachment", _attachment),
    )
}  # fmt: skip


def fit_baselines(split: Split) -> dict[str, Fitted]:
    """Builds every baseline that a split has what it needs for, by key.

    No test edge is looked at. Directions, duplicates and self-loops do not count.
    """
    return {
        key: baseline.fit(split)
        for key, baseline in BASELINES.items()
        if split.network.has_texts or not baseline.reads_texts
    }
