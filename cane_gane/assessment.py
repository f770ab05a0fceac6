"""Evaluation of a trained model from its SavedModel: figures and embeddings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import tensorflow as tf

from cane_gane.evaluation.baselines import baseline_scorers
from cane_gane.evaluation.classification import classify_nodes
from cane_gane.evaluation.protocols import Protocol, make_protocols
from cane_gane.evaluation.ranking import link_prediction
from cane_gane.evaluation.sampled import sample_negatives, sampled_auc
from cane_gane.evaluation.scores import vector_scorer
from cane_gane.network import TextualNetwork
from cane_gane.splits import Edges, Split

Floats = npt.NDArray[np.float32]
PairScore = Callable[[Edges], Floats]

BUDGET = 40_000  # pairs that are scored for each protocol
BATCH = 4096


class Served:
    """A SavedModel of this package, with numpy in and out."""

    def __init__(self, path: Path) -> None:
        """Loads the SavedModel."""
        self._loaded = tf.saved_model.load(str(path))
        self._signatures = self._loaded.signatures

    def score_nodes(self, pairs: Edges) -> Floats:
        """Scores pairs of nodes, `[pairs, 2]`, by the model's own score, `[pairs]`."""
        return self._on_pairs("score_nodes", ("source", "target"), "score", pairs)

    def embed_nodes(self, pairs: Edges) -> Floats:
        """Embeds the first node of each pair in the context of the second."""
        return self._on_pairs("embed_nodes", ("nodes", "contexts"), "embedding", pairs)

    def _on_pairs(
        self, signature: str, names: tuple[str, str], output: str, pairs: Edges
    ) -> Floats:
        parts = []
        for start in range(0, len(pairs), BATCH):
            part = tf.constant(pairs[start : start + BATCH], tf.int64)
            given = {names[0]: part[:, 0], names[1]: part[:, 1]}
            parts.append(self._signatures[signature](**given)[output].numpy())
        return np.concatenate(parts)


def average_vectors(served: Served, train: Edges, node_count: int) -> Floats:
    """Averages each node's embeddings over its training edges.

    z_u = 1/d_u sum_v z_{u|v}, the neighbours v in both directions.

    Args:
        served: The model.
        train: Training edges, `[train, 2]`.
        node_count: The number of nodes.

    Returns:
        Structure, then text, `[nodes, 2d]`; NaN for a node without a training edge.
    """
    pairs = np.concatenate([train, train[:, ::-1]])
    vectors = served.embed_nodes(pairs)
    sums = np.zeros((node_count, vectors.shape[1]))
    np.add.at(sums, pairs[:, 0], vectors)
    degrees = np.bincount(pairs[:, 0], minlength=node_count)[:, None]
    with np.errstate(invalid="ignore"):
        means: Floats = (sums / degrees).astype(np.float32)
    return means


def pair_auc(
    score: PairScore, protocol: Protocol, seed: int, budget: int = BUDGET
) -> dict[str, Any]:
    """Estimates the AUC of a pair score within a budget of pairs to score."""
    per_edge = max(1, budget // max(1, len(protocol.scored)) - 1)
    negatives = sample_negatives(protocol, per_edge, seed)
    scores = score(np.concatenate([protocol.scored, negatives.reshape(-1, 2)]))
    count = len(protocol.scored)
    report = sampled_auc(scores[:count], scores[count:].reshape(count, -1), seed)
    return {**report, **protocol.counts()}


def assess(
    served: Served, network: TextualNetwork, split: Split, vectors: Floats, seed: int
) -> dict[str, Any]:
    """Computes every figure of a run.

    Args:
        served: The model.
        network: The network.
        split: Its training and test edges.
        vectors: What `average_vectors` gave, `[nodes, 2d]`.
        seed: What samples and draws hang on.

    Returns:
        The content of metrics.json, but for times; docs/evaluation.md lists it.
    """
    protocols = make_protocols(
        network.edges, split.train, split.test, network.node_count
    )
    half = vectors.shape[1] // 2
    named = {"structure": vectors[:, :half], "text": vectors[:, half:], "both": vectors}
    baselines = baseline_scorers(network.texts, split.train)
    report: dict[str, Any] = {"link_prediction": {}, "baselines": {}}
    for name, protocol in protocols.items():
        report["link_prediction"][name] = {
            **pair_auc(served.score_nodes, protocol, seed),
            "vectors": {
                kind: link_prediction(vector_scorer(part, protocol), protocol, seed)
                for kind, part in named.items()
            },
        }
        report["baselines"][name] = {
            kind: link_prediction(scorer, protocol, seed)
            for kind, scorer in baselines.items()
        }
    if network.labels is not None:
        filled = np.nan_to_num(vectors)
        report["node_classification"] = classify_nodes(
            filled, network.labels, seed=seed
        )
    return report
