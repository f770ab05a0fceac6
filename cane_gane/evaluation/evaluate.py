"""One evaluation for every method: link prediction, baselines, labels."""

from __future__ import annotations

from collections.abc import Mapping

from cane_gane.data.splits import Split
from cane_gane.errors import InputError
from cane_gane.evaluation.classification import can_classify, classify_nodes
from cane_gane.evaluation.contests import Contests, Measures
from cane_gane.evaluation.fitted import Fitted, VectorFitted
from cane_gane.evaluation.outcomes import differences
from cane_gane.evaluation.protocols import PROTOCOLS, Protocol
from cane_gane.evaluation.results import BaselineFigures, Evaluation, ModelFigures
from cane_gane.progress import Stopwatch


def evaluate(
    fitted: Fitted,
    split: Split,
    baselines: Mapping[str, Fitted | Measures],
    seed: int = 1,
    clock: Stopwatch | None = None,
    protocols: Mapping[str, Protocol] = PROTOCOLS,
) -> Evaluation:
    """Measures a fitted method on a split's test edges, under every protocol.

    Args:
        fitted: The method.
        split: The split that it was fitted on.
        baselines: The baselines to compare with, by key; some may be measured already,
            by `measure_baselines` with the same split and seed.
        seed: The seed of samples and draws.
        clock: Times the parts.
        protocols: The protocols, by key.

    Returns:
        `link_prediction`, `baselines`, `outcomes` and, if there are labels,
        `node_classification`; the rest is None.

    Raises:
        InputError: There is no test edge, or the vectors belong to another split.
    """
    if not len(split.test):
        raise InputError(
            "found no test edge, as all edges were for training; expected a split "
            "with some: network.split(0.9)"
        )
    clock = clock or Stopwatch()
    with clock("find negatives"):
        contests = Contests.of(split, protocols, seed)
    if isinstance(fitted, VectorFitted):
        _check_vectors(fitted, contests, split.network.node_count)
    with clock("score pairs"):
        own = contests.measure(fitted, seed)
    parts: dict[str, Measures] = {}
    with clock("rank by vectors"):
        kinds = {**fitted.parts, "both": slice(None)} if fitted.parts else {}
        for kind, columns in kinds.items():
            part = VectorFitted(fitted.vectors[:, columns])
            parts[kind] = contests.measure(part, seed, f"vectors ({kind})")
    links = {
        name: _model_figures(name, own, parts, contests, fitted.score_name, seed)
        for name in protocols
    }
    with clock("baselines"):
        rivals: dict[str, dict[str, BaselineFigures]] = {name: {} for name in protocols}
        for key, rival in baselines.items():
            measured = (
                contests.measure(rival, seed, key)
                if isinstance(rival, Fitted)
                else rival
            )
            for name, theirs in measured.items():
                rivals[name][key] = BaselineFigures(
                    **vars(contests.figures(name, theirs.outcomes, seed)),
                    roc=theirs.roc,
                    difference=differences(
                        own[name].outcomes, theirs.outcomes, seed, contests.drawn(name)
                    ),
                )
    labels = split.network.labels
    classes = None
    if labels is not None and can_classify(labels):
        with clock("classify nodes"):
            classes = classify_nodes(fitted.vectors, labels, seed=seed)
    outcomes = {
        name: (contests.edges(name), measured.outcomes)
        for name, measured in own.items()
    }
    return Evaluation(links, rivals, classes, outcomes=outcomes)


def _model_figures(
    name: str,
    own: Measures,
    parts: Mapping[str, Measures],
    contests: Contests,
    score: str,
    seed: int,
) -> ModelFigures:
    rocs = {"model": own[name].roc}
    if "both" in parts:
        rocs["vectors"] = parts["both"][name].roc
    return ModelFigures(
        **vars(contests.figures(name, own[name].outcomes, seed)),
        score=score,
        vectors={
            kind: contests.figures(name, measured[name].outcomes, seed)
            for kind, measured in parts.items()
        },
        roc={key: roc for key, roc in rocs.items() if roc is not None},
    )


def _check_vectors(fitted: VectorFitted, contests: Contests, nodes: int) -> None:
    """Refuses vectors that belong to another network or another split."""
    if fitted.node_count != nodes:
        raise InputError(
            f"found {fitted.node_count} vectors; expected {nodes}, one for each node"
        )
    for name, contest in contests.whole.items():
        lacking = contest.pool[fitted.missing[contest.pool]]
        if contests.protocols[name].needs_vectors and len(lacking):
            raise InputError(
                f"found no vector for {len(lacking)} nodes with a training edge, the "
                f"first of them {lacking[0]}; expected vectors that were trained on "
                "this split"
            )
