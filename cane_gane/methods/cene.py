"""CENE (Sun et al. 2016): content-enhanced embedding, with texts as nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from threadpoolctl import threadpool_limits

from cane_gane.config import Settings, setting
from cane_gane.data.splits import Split
from cane_gane.data.tokens import CleanTokenizer
from cane_gane.evaluation.fitted import Fitted
from cane_gane.methods.method import Method
from cane_gane.methods.pair_loss import (
    Adam,
    Floats,
    Noise,
    logistic_gradients,
    small_table,
    with_negatives,
)
from cane_gane.progress import counted
from cane_gane.serving.table import VectorTable
from cane_gane.training.room import check_room


@dataclass(frozen=True)
class CeneSettings(Settings):
    """How nodes and words are trained."""

    dimension: int = setting(200, "length of node and word vectors", low=1, high=10_000)
    edge_weight: float = setting(
        0.1, "weight of edges between nodes; the rest is for texts (cene)",
        low=0, high=1,
    )  # fmt: skip
    negatives: int = setting(5, "negatives for each edge", low=1, high=10**4)
    epochs: int = setting(200, "passes over all edges and texts", low=1, high=10**6)
    learning_rate: float = setting(0.01, "first step size of Adam", low=0, high=1e3)


def word_shares(texts: Sequence[str]) -> Any:
    """Returns the share of each word in a text, `[nodes, words]`, sparse.

    Words are those of the clean tokenizer, in lower case, that occur in at least two
    texts.
    """
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.preprocessing import normalize

    counter = CountVectorizer(
        tokenizer=CleanTokenizer.split, token_pattern=None, min_df=2, dtype=np.float32
    )
    try:
        counts = counter.fit_transform(texts)
    except ValueError:  # no word is in two texts
        return sparse.csr_array((len(texts), 1), dtype=np.float32)
    return normalize(counts, norm="l1")


@threadpool_limits.wrap(limits=1)  # sums of several threads depend on their number
def joint_vectors(split: Split, settings: CeneSettings, seed: int) -> Floats:
    """Trains vectors of nodes and words on two kinds of edges.

    An edge joins two nodes, or a node with its text, whose vector is the mean of its
    words' vectors. Both kinds have a logistic loss against negatives: other nodes or
    other texts.

    Args:
        split: The split; its test edges are not used.
        settings: How it is trained.
        seed: The seed of the start and the negatives.

    Returns:
        Node vectors of length 1, `[nodes, dimension]`; NaN for a node without a
        training edge and without words.
    """
    count, rng = split.network.node_count, np.random.default_rng(seed)
    edges = np.concatenate([split.train, split.train[:, ::-1]])
    degrees = np.bincount(edges[:, 0], minlength=count)
    shares = word_shares(split.network.texts)
    back = sparse.csr_array(shares.T)
    written = np.diff(shares.indptr) > 0
    own_texts = np.repeat(np.flatnonzero(written)[:, None], 2, axis=1)
    nodes = small_table(count, settings.dimension, 0.005, rng)
    words = small_table(shares.shape[1], settings.dimension, 0.025, rng)
    rate, weight = settings.learning_rate, np.float32(settings.edge_weight)
    node_steps, word_steps = Adam(nodes, rate), Adam(words, rate)
    noise, other_texts = Noise(degrees), Noise(written if written.any() else degrees)
    for epoch in counted("CENE", settings.epochs):
        left = 1 - epoch / settings.epochs
        pairs = with_negatives(edges, settings.negatives, noise, rng)
        by_node = weight * np.add(*logistic_gradients(nodes, nodes, *pairs))
        if len(own_texts):
            pairs = with_negatives(own_texts, settings.negatives, other_texts, rng)
            by_own, by_text = logistic_gradients(nodes, shares @ words, *pairs)
            by_node += (1 - weight) * by_own
            word_steps.step((1 - weight) * (back @ by_text), left)
        node_steps.step(by_node, left)
    nodes[(degrees == 0) & ~written] = np.nan
    return nodes / np.maximum(np.linalg.norm(nodes, axis=1, keepdims=True), 1e-12)


def _memory(split: Split, settings: CeneSettings) -> float:
    """Returns the least number of bytes needed, without those of words."""
    nodes = split.network.node_count
    pairs = max(2 * len(split.train), nodes) * (1 + settings.negatives)
    return 4 * 4 * nodes * settings.dimension + pairs * (8.0 * settings.dimension + 20)


def _fit(split: Split, settings: CeneSettings, seed: int, _: Path | None) -> Fitted:
    check_room(partial(_memory, split), settings)
    return VectorTable(joint_vectors(split, settings, seed))


CENE = Method(
    "cene",
    "CENE",
    "texts as nodes of a second kind (Sun 2016)",
    fit=_fit,
    open=VectorTable.open,
    settings=CeneSettings,
    paper="cene",
)
