"""Every figure of a trained model, or of any vectors: scores, baselines, labels."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from cane_gane.evaluation.baselines import baseline_scorers
from cane_gane.evaluation.classification import can_classify, classify_nodes
from cane_gane.evaluation.protocols import Protocol, make_protocols
from cane_gane.evaluation.ranking import link_prediction
from cane_gane.evaluation.roc import roc_curve
from cane_gane.evaluation.sampled import sample_negatives, sampled_auc
from cane_gane.evaluation.scores import Scorer, score_pairs, vector_scorer
from cane_gane.network import TextualNetwork
from cane_gane.splits import Edges, Split
from cane_gane.stopwatch import Stopwatch

if TYPE_CHECKING:
    from cane_gane.served import Served

Floats = npt.NDArray[np.float32]
PairScore = Callable[[Edges], Floats]

BUDGET = 20_000  # pairs that are scored for each protocol


def pair_auc(
    score: PairScore, protocol: Protocol, seed: int, budget: int = BUDGET
) -> dict[str, Any]:
    """Estimates the AUC of a pair score within a budget of pairs to score."""
    negatives = sample_within(protocol, seed, budget)
    scores = score(np.concatenate([protocol.scored, negatives.reshape(-1, 2)]))
    count = len(protocol.scored)
    positive, negative = scores[:count], scores[count:].reshape(count, -1)
    report = sampled_auc(positive, negative, seed)
    return {
        "score": "pairs",
        **report,
        **protocol.counts(),
        "roc": {"model": roc_curve(positive, negative)},
    }


def sample_within(protocol: Protocol, seed: int, budget: int = BUDGET) -> Edges:
    """Draws as many negatives for each edge as the budget allows."""
    per_edge = max(1, budget // max(1, len(protocol.scored)) - 1)
    return sample_negatives(protocol, per_edge, seed)


def assess(
    served: Served,
    network: TextualNetwork,
    split: Split,
    vectors: Floats,
    seed: int,
    clock: Stopwatch,
) -> dict[str, Any]:
    """Computes every figure of a trained model.

    Args:
        served: The model.
        network: The network.
        split: Its training and test edges.
        vectors: What `average_vectors` gave, `[nodes, 2d]`.
        seed: What samples and draws hang on.
        clock: Times the parts.

    Returns:
        `link_prediction`, `baselines` and `node_classification` of metrics.json;
        docs/evaluation.md lists them.
    """
    protocols = make_protocols(
        network.edges, split.train, split.test, network.node_count
    )
    half = vectors.shape[1] // 2
    named = {"structure": vectors[:, :half], "text": vectors[:, half:], "both": vectors}
    links: dict[str, Any] = {}
    for name, protocol in protocols.items():
        with clock("score pairs"):
            links[name] = pair_auc(served.score_nodes, protocol, seed)
        with clock("rank by vectors"):
            scorers = {k: vector_scorer(part, protocol) for k, part in named.items()}
            links[name]["vectors"] = {
                kind: link_prediction(scorer, protocol, seed)
                for kind, scorer in scorers.items()
            }
            links[name]["roc"]["vectors"] = pooled_roc(scorers["both"], protocol, seed)
    return {
        "link_prediction": links,
        **assess_rest(
            protocols, split.train, vectors, network.texts, network.labels, seed, clock
        ),
    }


def assess_rest(
    protocols: Mapping[str, Protocol],
    train: Edges,
    vectors: npt.NDArray[np.floating],
    texts: Sequence[str] | None,
    labels: Sequence[tuple[str, ...]] | None,
    seed: int,
    clock: Stopwatch,
) -> dict[str, Any]:
    """Computes `baselines`, and `node_classification` where labels allow it.

    Args:
        protocols: The protocols, by name.
        train: Training edges, `[train, 2]`.
        vectors: The vector of each node, `[nodes, size]`.
        texts: The texts, where they are known.
        labels: The labels, where they are known.
        seed: What samples and draws hang on.
        clock: Times the parts.
    """
    report: dict[str, Any] = {"baselines": {}}
    with clock("baselines"):
        scorers = baseline_scorers(train, len(vectors), texts)
        for name, protocol in protocols.items():
            report["baselines"][name] = {
                kind: {
                    **link_prediction(scorer, protocol, seed),
                    "roc": pooled_roc(scorer, protocol, seed),
                }
                for kind, scorer in scorers.items()
            }
    if labels is not None and can_classify(labels):
        with clock("classify nodes"):
            report["node_classification"] = classify_nodes(vectors, labels, seed=seed)
    return report


def pooled_roc(scorer: Scorer, protocol: Protocol, seed: int) -> dict[str, Any]:
    """Returns the ROC curve on the pairs that `pair_auc` samples too."""
    negatives = sample_within(protocol, seed)
    return roc_curve(
        score_pairs(scorer, protocol.scored), score_pairs(scorer, negatives)
    )
