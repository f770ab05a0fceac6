"""How far answers can be trusted: recall of candidates, reliable probabilities."""

from __future__ import annotations

import dataclasses

import numpy as np

from cane_gane.data.graph import directed
from cane_gane.evaluation.results import Bin, Evaluation, FirstStage, Reliability
from cane_gane.progress import followed
from cane_gane.serving.answers import Answers
from cane_gane.serving.vector_answers import VectorAnswers

TOP = 10  # best nodes of a source that the first stage should name
BUDGET = 8_000  # pairs to score to find them
WIDER = 1_000  # nodes by exact inner products, if all would exceed the budget
SOURCES, SUGGESTED = 400, 12  # nodes, and candidates of each, to check
_EDGES = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0)


def with_trust(found: Evaluation, answers: Answers, seed: int) -> Evaluation:
    """Returns results with both measures of the answers added."""
    assert isinstance(answers, VectorAnswers)
    return dataclasses.replace(
        found,
        first_stage=first_stage(answers, seed),
        reliability=reliability(answers, seed),
    )


def first_stage(answers: VectorAnswers, seed: int) -> FirstStage | None:
    """Measures how many of the best nodes the first stage names.

    Some nodes are scored with all others; in a large network, with many more than the
    first stage names.

    Args:
        answers: The answers of a run.
        seed: The seed of the choice of nodes.

    Returns:
        The share; None if no node has another to be joined to.
    """
    count = answers.network.node_count
    large = count > BUDGET
    asked = BUDGET // WIDER if large else max(1, BUDGET // count)
    nodes = np.random.default_rng(seed).permutation(count)[:asked]
    stage = answers.fitted.first_stage
    named, best, sizes = 0, 0, []
    for node in followed("recall of candidates", nodes.tolist()):
        others = answers.strangers(node)
        if large:
            row = stage.score_rows(np.array([node]))[0, others]
            others = others[np.argsort(-row, kind="stable")[:WIDER]]
        scores = answers.fitted.score(answers.pairs_of(node, others))
        order = np.argsort(-scores, kind="stable")[:TOP]
        candidates = answers.candidates(node)
        named += int(np.isin(others[order], candidates).sum())
        best += len(order)
        sizes.append(len(candidates))
    if not best:
        return None
    among = WIDER if large else None
    return FirstStage(named / best, TOP, len(nodes), float(np.mean(sizes)), among)


def reliability(answers: VectorAnswers, seed: int) -> Reliability | None:
    """Compares predicted probabilities with how often candidates are test edges.

    Args:
        answers: The answers of a run with test edges.
        seed: The seed of the choice of nodes.

    Returns:
        Predicted and observed shares; None if there are no probabilities.
    """
    split, count = answers.split, answers.network.node_count
    if not len(split.test):
        return None
    missing = len(split.test) / (len(split.test) + len(split.train))
    nodes = np.random.default_rng(seed).permutation(count)[:SOURCES]
    best = [
        answers.rough(node, SUGGESTED)
        for node in followed("candidates to check", nodes.tolist())
    ]
    pairs = np.concatenate(best)
    said = answers.probabilities(pairs, answers.fitted.score(pairs), missing)
    if said is None:
        return None
    tests = directed(split.test, count)
    true = np.asarray(tests[pairs[:, 0], pairs[:, 1]]).ravel() > 0
    places = np.clip(np.digitize(said, _EDGES) - 1, 0, len(_EDGES) - 2)
    bins = [
        Bin(float(said[own].mean()), float(true[own].mean()), int(own.sum()))
        for own in (places == place for place in range(len(_EDGES) - 1))
        if own.any()
    ]
    error = sum(own.count * abs(own.said - own.true) for own in bins) / len(pairs)
    return Reliability(bins, float(error), len(pairs), int(true.sum()), missing)
