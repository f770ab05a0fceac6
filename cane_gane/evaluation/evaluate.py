"""One evaluation for whatever can be scored: link prediction, baselines, labels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from cane_gane.data.splits import Split
from cane_gane.errors import InputError
from cane_gane.evaluation.classification import can_classify, classify_nodes
from cane_gane.evaluation.fitted import Fitted, VectorFitted
from cane_gane.evaluation.protocols import PROTOCOLS, Contest, Protocol
from cane_gane.evaluation.ranking import ranked_figures
from cane_gane.evaluation.results import (
    BaselineFigures,
    Evaluation,
    Figures,
    ModelFigures,
    Roc,
)
from cane_gane.evaluation.sampled import Sample
from cane_gane.progress import Stopwatch


def evaluate(
    fitted: Fitted,
    split: Split,
    baselines: Mapping[str, Fitted],
    seed: int = 1,
    clock: Stopwatch | None = None,
    protocols: Mapping[str, Protocol] = PROTOCOLS,
) -> Evaluation:
    """Measures a fitted method on a split's test edges, under every protocol.

    Args:
        fitted: The method.
        split: The split that it was fitted on.
        baselines: What it is compared with, by key.
        seed: What samples and draws depend on.
        clock: Times the parts.
        protocols: The protocols, by key.

    Returns:
        `link_prediction`, `baselines` and, where there are labels,
        `node_classification`; the rest is None.

    Raises:
        InputError: There is no test edge, or the vectors are of another split.
    """
    if not len(split.test):
        raise InputError(
            "found no test edge, as all edges were for training; expected a split "
            "with some: network.split(0.9)"
        )
    clock = clock or Stopwatch()
    links, rivals = {}, {}
    for name, protocol in protocols.items():
        contest = protocol.contest(split)
        sample = Sample.draw(contest, seed)
        links[name] = _model_figures(fitted, protocol, contest, sample, seed, clock)
        with clock("baselines"):
            rivals[name] = {
                key: _baseline_figures(own, protocol, contest, sample, seed)
                for key, own in baselines.items()
            }
    labels = split.network.labels
    classes = None
    if labels is not None and can_classify(labels):
        with clock("classify nodes"):
            classes = classify_nodes(fitted.vectors, labels, seed=seed)
    return Evaluation(links, rivals, classes)


def exact_figures(
    fitted: Fitted, protocol: Protocol, contest: Contest, seed: int
) -> Figures:
    """Measures a fitted method whose scores with all nodes are cheap."""
    return ranked_figures(fitted.score_rows, contest, ranks=protocol.ranks, seed=seed)


def _own_figures(
    fitted: Fitted, protocol: Protocol, contest: Contest, sample: Sample, seed: int
) -> tuple[Figures, Roc]:
    """Ranks all nodes where that is cheap; else the sample must do."""
    if fitted.score_rows(np.zeros(0, np.int64)) is None:
        return sample.figures(fitted.score, seed)
    return exact_figures(fitted, protocol, contest, seed), sample.roc(fitted.score)


def _baseline_figures(
    fitted: Fitted, protocol: Protocol, contest: Contest, sample: Sample, seed: int
) -> BaselineFigures:
    own, roc = _own_figures(fitted, protocol, contest, sample, seed)
    return BaselineFigures(**_fields(own), roc=roc)


def _model_figures(
    fitted: Fitted,
    protocol: Protocol,
    contest: Contest,
    sample: Sample,
    seed: int,
    clock: Stopwatch,
) -> ModelFigures:
    if isinstance(fitted, VectorFitted):
        _check_vectors(fitted, protocol, contest)
    rocs = {}
    with clock("score pairs"):
        own, rocs["model"] = _own_figures(fitted, protocol, contest, sample, seed)
    parts: dict[str, Figures] = {}
    if fitted.parts:
        with clock("rank by vectors"):
            named = {**fitted.parts, "both": slice(None)}
            for kind, columns in named.items():
                part = VectorFitted(fitted.vectors[:, columns])
                parts[kind] = exact_figures(part, protocol, contest, seed)
            rocs["vectors"] = sample.roc(part.score)
    return ModelFigures(
        **_fields(own), score=fitted.score_name, vectors=parts, roc=rocs
    )


def _check_vectors(fitted: VectorFitted, protocol: Protocol, contest: Contest) -> None:
    """Refuses vectors that belong to another network or another split."""
    found = len(fitted.missing)
    if found != contest.node_count:
        raise InputError(
            f"found {found} vectors; expected {contest.node_count}, one for each node"
        )
    lacking = contest.pool[fitted.missing[contest.pool]]
    if protocol.needs_vectors and len(lacking):
        raise InputError(
            f"found no vector for {len(lacking)} nodes with a training edge, the "
            f"first of them {lacking[0]}; expected vectors that were trained on "
            "this split"
        )


def _fields(figures: Figures) -> dict[str, Any]:
    return {**vars(figures)}
