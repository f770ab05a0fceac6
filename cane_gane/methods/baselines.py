"""Baselines: a model below one of them is not worth its training."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from cane_gane.data.graph import reach
from cane_gane.data.splits import Split
from cane_gane.data.tfidf import one_hop_vectors, tfidf_vectors
from cane_gane.evaluation.contests import Contests, Measures
from cane_gane.evaluation.fitted import Fitted, FunctionFitted, SparseFitted
from cane_gane.evaluation.protocols import PROTOCOLS
from cane_gane.evidence.features import Evidence
from cane_gane.evidence.likeness import texts_of
from cane_gane.methods.linear import fit_linear
from cane_gane.models.start.walks import log_walks, walk_step
from cane_gane.progress import Progress


@dataclass(frozen=True)
class Baseline:
    """A score to compare a method with.

    Attributes:
        key: Its name in metrics.json.
        title: Its name for readers.
        fit: Builds it from a split's training edges and texts; None for the method's
            own start.
        reads_texts: Whether it needs texts.
        most_nodes: The largest network it is built for; None without limit.
    """

    key: str
    title: str
    fit: Callable[[Evidence, Split], Fitted] | None
    reads_texts: bool = False
    most_nodes: int | None = None


def _tfidf(evidence: Evidence, split: Split) -> Fitted:
    """Cosine of the texts' TF-IDF vectors."""
    return SparseFitted(evidence.texts.common_words)


def _one_hop(evidence: Evidence, split: Split) -> Fitted:
    """Cosine of TF-IDF vectors with the mean of the neighbours' vectors added."""
    return SparseFitted(one_hop_vectors(evidence.texts.common_words, evidence.joined))


def _common(evidence: Evidence, split: Split) -> Fitted:
    """How many training neighbours two nodes share."""
    return SparseFitted(evidence.joined)


def _attachment(evidence: Evidence, split: Split) -> Fitted:
    """The product of their numbers of training neighbours."""
    return SparseFitted(sparse.csr_array(evidence.joined.sum(axis=1).reshape(-1, 1)))


def _pagerank(evidence: Evidence, split: Split) -> Fitted:
    """Personalised PageRank over the training edges."""

    def rows(sources: Any) -> Any:
        return reach(evidence.step, sources)

    def columns(targets: Any) -> Any:
        # Visits from u to v times u's degree are visits from v to u times v's degree.
        there = evidence.degrees[targets, None]
        return rows(targets) * there / np.maximum(evidence.degrees, 1)

    return FunctionFitted(rows, split.network.node_count, columns)


def _walks(evidence: Evidence, split: Split) -> Fitted:
    """Log of walks over training edges and similar texts, without factorisation."""
    own = tfidf_vectors(split.network.texts, longest=2)
    step = walk_step(own, evidence.joined)  # as for the start of node vectors

    def rows(sources: Any) -> Any:
        return log_walks(step, sources).T

    return FunctionFitted(rows, split.network.node_count, columns=rows)


def _linear(evidence: Evidence, split: Split) -> Fitted:
    """The features of `Evidence`, weighted by a fit on training edges."""
    return fit_linear(evidence, split)


BASELINES: dict[str, Baseline] = {
    baseline.key: baseline
    for baseline in (
        Baseline("start", "the model before training", None),
        Baseline(
            "linear", "linear ranker", _linear, reads_texts=True, most_nodes=10_000
        ),
        Baseline(
            "walks", "walks over edges and texts", _walks, reads_texts=True,
            most_nodes=20_000,
        ),
        Baseline(
            "tfidf_one_hop", "TF-IDF with training neighbours", _one_hop,
            reads_texts=True,
        ),
        Baseline("tfidf", "TF-IDF cosine", _tfidf, reads_texts=True),
        Baseline("pagerank", "personalised PageRank", _pagerank),
        Baseline("common_neighbours", "common neighbours", _common),
        Baseline("preferential_attachment", "preferential attachment", _attachment),
    )
}  # fmt: skip


def fit_baselines(split: Split, start: Fitted | None = None) -> dict[str, Fitted]:
    """Builds every baseline that is possible for a split, by key.

    No test edge is used.

    Args:
        split: The split.
        start: The method before training, if it has such a start.
    """
    network = split.network
    evidence = Evidence(texts_of(network.texts), split.train, network.node_count)
    found = {} if start is None else {"start": start}
    for key, baseline in BASELINES.items():
        if baseline.fit and _has_all(baseline, split) and key not in left_out(split):
            with Progress(f"baseline {key}"):
                found[key] = baseline.fit(evidence, split)
    return found


def left_out(split: Split) -> dict[str, str]:
    """Returns the baselines that a large network does not get, and why, by key."""
    nodes = split.network.node_count
    return {
        key: f"left out, as there are more than {own.most_nodes:,} nodes"
        for key, own in BASELINES.items()
        if own.most_nodes is not None
        and nodes > own.most_nodes
        and _has_all(own, split)
    }


def _has_all(baseline: Baseline, split: Split) -> bool:
    return split.network.has_texts or not baseline.reads_texts


def measure_baselines(split: Split, seed: int) -> dict[str, Measures]:
    """Builds every baseline of a split and measures it, by key.

    Args:
        split: The split.
        seed: The seed of samples and draws, as in `evaluate`.
    """
    contests = Contests.of(split, PROTOCOLS, seed)
    return {
        key: contests.measure(own, seed, key)
        for key, own in fit_baselines(split).items()
    }
