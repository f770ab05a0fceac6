"""Node classification: how well a linear SVM reads labels from vectors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC

from cane_gane.data.vectors import Floats, fill_missing
from cane_gane.errors import InputError
from cane_gane.evaluation.protocols import Marks
from cane_gane.evaluation.results import Labels
from cane_gane.progress import Progress

RATIOS = (0.1, 0.3, 0.5, 0.7)
DRAWS = 10
MOST = 10_000  # labelled nodes; of more, this many are drawn


def classify_nodes(
    vectors: npt.ArrayLike,
    labels: Sequence[tuple[str, ...]],
    ratios: Sequence[float] = RATIOS,
    draws: int = DRAWS,
    seed: int = 1,
) -> dict[str, Labels]:
    """Trains linear SVMs on a share of the labelled nodes and tests on the rest.

    There is one SVM for each label, on vectors of length 1. If every node has one
    label, the label with the largest decision value is predicted. If some have several,
    all labels with a positive value are predicted, and at least the one with the
    largest: every labelled node has a label. The number of true labels is not given to
    the classifier.

    Args:
        vectors: The vector of each node, `[nodes, size]`; a row of NaN (no vector) is
            taken as zeros.
        labels: The labels of each node; nodes without one are left out, and of more
            than `MOST` labelled nodes, `MOST` are drawn at random.
        ratios: The shares of labelled nodes to train on.
        draws: How many random draws of the training nodes for each share.
        seed: The seed of the draws.

    Returns:
        The scores for each ratio, as text. The macro mean is over the labels that
        are true or predicted for a test node.

    Raises:
        InputError: There are not as many labels as vectors, or fewer than two
            labelled nodes or two different labels.
    """
    points = normalize(fill_missing(np.array(vectors, np.float64)))
    if len(points) != len(labels):
        raise InputError(
            f"found the labels of {len(labels)} nodes; expected {len(points)}, "
            "as many as vectors"
        )
    labelled = np.array([bool(own) for own in labels], np.bool_)
    marks = _mark([own for own in labels if own])
    points, sampled = points[labelled], None
    if len(points) > MOST:
        chosen = np.sort(np.random.default_rng(seed).permutation(len(points))[:MOST])
        points, marks, sampled = points[chosen], marks[chosen], MOST
        marks = marks[:, marks.any(axis=0)]
    report = {}
    for ratio in ratios:
        # Each ratio has its own stream, so that a single ratio gives the same figures.
        rng = np.random.default_rng([seed, round(ratio * 1000)])
        train = min(max(1, round(ratio * len(points))), len(points) - 1)
        with Progress(f"labels from {ratio:.0%} of the nodes", draws) as progress:
            found = []
            for _ in range(draws):
                found.append(_draw(points, marks, train, rng))
                progress.add()
        figures = np.array(found).reshape(-1, 2)
        macro, micro = figures.mean(axis=0).tolist()
        spread = figures.std(axis=0, ddof=min(1, draws - 1)).tolist()
        report[str(ratio)] = Labels(
            macro,
            micro,
            {"macro_f1": spread[0], "micro_f1": spread[1]},
            train,
            test=len(points) - train,
            unlabelled=int((~labelled).sum()),
            sampled=sampled,
        )
    return report


def can_classify(labels: Sequence[tuple[str, ...]] | None) -> bool:
    """Whether there are at least two labelled nodes and two different labels."""
    known = [own for own in labels or () if own]
    return len(known) > 1 and len({name for own in known for name in own}) > 1


def f1_scores(truth: Marks, predicted: Marks) -> tuple[float, float]:
    """Returns Macro-F1 and Micro-F1.

    Args:
        truth: Marks the true labels, `[nodes, labels]`.
        predicted: Marks the predicted labels, `[nodes, labels]`.

    Returns:
        The mean of F1 over the labels that are true or predicted somewhere, and
        F1 over all decisions; with one label for each node the latter is the
        accuracy.
    """
    hits = (truth & predicted).sum(axis=0)
    marked = truth.sum(axis=0) + predicted.sum(axis=0)
    met = marked > 0
    macro = (2 * hits[met] / marked[met]).mean()
    return float(macro), float(2 * hits.sum() / marked.sum())


def _mark(labels: Sequence[tuple[str, ...]]) -> Marks:
    """Marks the labels of each node, `[nodes, labels]`."""
    names = sorted({name for own in labels for name in own})
    if len(labels) < 2 or len(names) < 2:
        raise InputError(
            f"found {len(labels)} labelled nodes and {len(names)} different labels; "
            "expected at least two of each"
        )
    column_of = {name: column for column, name in enumerate(names)}
    marks = np.zeros((len(labels), len(names)), np.bool_)
    for row, own in zip(marks, labels, strict=True):
        row[[column_of[name] for name in own]] = True
    return marks


def _draw(
    points: Floats, marks: Marks, train: int, rng: np.random.Generator
) -> tuple[float, float]:
    """Trains on `train` random nodes; returns both scores on the others."""
    order = rng.permutation(len(points))
    chosen, rest = order[:train], order[train:]
    decisions = np.stack(
        [_decide(points[chosen], own[chosen], points[rest]) for own in marks.T], axis=1
    )
    best = decisions.argmax(axis=1)[:, None] == np.arange(marks.shape[1])
    several = (marks.sum(axis=1) > 1).any()
    predicted = best | (decisions > 0) if several else best
    return f1_scores(marks[rest], predicted)


def _decide(points: Floats, marks: Marks, asked: Floats) -> Floats:
    """Fits one label's SVM, `[train, size]`; returns its decision values, `[test]`."""
    if marks.all() or not marks.any():
        # No boundary to learn: the label is on all training nodes, or on none.
        return np.full(len(asked), np.inf if marks.all() else -np.inf)
    # The primal problem, because it converges in a few Newton steps.
    machine = LinearSVC(dual=False).fit(points, marks)
    return machine.decision_function(asked)
