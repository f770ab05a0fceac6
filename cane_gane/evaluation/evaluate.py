"""One evaluation for whatever can be scored: link prediction, baselines, labels."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from cane_gane.data.splits import Split
from cane_gane.errors import InputError
from cane_gane.evaluation.classification import can_classify, classify_nodes
from cane_gane.evaluation.fitted import Fitted, RowFitted, VectorFitted
from cane_gane.evaluation.hard import HardContest
from cane_gane.evaluation.outcomes import (
    Outcomes,
    differences,
    only_places,
    places_among,
)
from cane_gane.evaluation.protocols import PROTOCOLS, Contest, Integers, Protocol
from cane_gane.evaluation.ranking import one_pass
from cane_gane.evaluation.results import (
    BaselineFigures,
    Evaluation,
    Figures,
    ModelFigures,
    Roc,
)
from cane_gane.evaluation.sampled import Sample
from cane_gane.evaluation.shortlist import shortlist_hard, shortlist_places
from cane_gane.progress import Stopwatch

MOST_CELLS = 200_000_000  # scores of source and node that a ranking may take


@dataclass(frozen=True)
class Measured:
    """A score under one protocol.

    Attributes:
        outcomes: Edge by edge.
        roc: The ROC curve of sampled pairs, where there is a sample.
    """

    outcomes: Outcomes
    roc: Roc | None


@dataclass(frozen=True)
class Contests:
    """The contests of a split under every protocol, with the samples drawn from them.

    Attributes:
        protocols: The protocols, by key.
        whole: Contests against all negatives of a source.
        samples: Sampled pairs of each of them.
        hard: Contests against given negatives.
    """

    protocols: Mapping[str, Protocol]
    whole: Mapping[str, Contest]
    samples: Mapping[str, Sample]
    hard: Mapping[str, HardContest]

    @classmethod
    def of(cls, split: Split, protocols: Mapping[str, Protocol], seed: int) -> Contests:
        """Builds the contests; of a large network some sources only, by chance.

        Args:
            split: The split.
            protocols: The protocols, by key.
            seed: What the choice of sources and the samples depend on.
        """
        built = {name: own.contest(split) for name, own in protocols.items()}
        hard = {k: own for k, own in built.items() if isinstance(own, HardContest)}
        whole = {
            name: some_sources(own, seed)
            for name, own in built.items()
            if isinstance(own, Contest)
        }
        samples = {name: Sample.draw(own, seed) for name, own in whole.items()}
        return cls(protocols, whole, samples, hard)

    @property
    def unranked(self) -> tuple[str, ...]:
        """The protocols under which places make no sense."""
        return tuple(name for name, own in self.protocols.items() if not own.ranks)

    def measure(self, fitted: Fitted, seed: int) -> dict[str, Measured]:
        """Measures a score under every protocol."""
        if isinstance(fitted, RowFitted):
            return self._measure_rows(fitted, seed)
        return self._measure_pairs(fitted, seed)

    def _measure_rows(self, fitted: RowFitted, seed: int) -> dict[str, Measured]:
        """Measures a score with all nodes, each source scored once for everything."""
        pairs = {name: own.pairs for name, own in self.samples.items()}
        pairs |= {name: own.pairs for name, own in self.hard.items()}
        found, scores = one_pass(
            fitted, self.whole, pairs, unranked=self.unranked, seed=seed
        )
        measured = {
            name: Measured(own, self.samples[name].roc(scores[name]))
            for name, own in found.items()
        }
        for name, contest in self.hard.items():
            own, negative = scores[name][:, 0], scores[name][:, 1:]
            places = places_among(own, np.where(contest.filled, negative, -np.inf))
            measured[name] = Measured(only_places(places), None)
        return measured

    def _measure_pairs(self, fitted: Fitted, seed: int) -> dict[str, Measured]:
        """Measures a slow score: shares from samples, places from shortlists."""
        first_stage = fitted.first_stage
        measured = {}
        for name, sample in self.samples.items():
            outcomes, roc = sample.outcomes(fitted.score, seed)
            if self.protocols[name].ranks:
                ranked = shortlist_places(fitted, first_stage, self.whole[name], seed)
                outcomes = dataclasses.replace(
                    outcomes,
                    places=ranked.places,
                    precisions=ranked.precisions,
                    notes={**outcomes.notes, **ranked.notes},
                )
            measured[name] = Measured(outcomes, roc)
        for name, contest in self.hard.items():
            found = shortlist_hard(fitted, first_stage, contest)
            measured[name] = Measured(found, None)
        return measured

    def edges(self, name: str) -> Integers:
        """Returns the scored edges of a protocol, `[scored, 2]`."""
        return self._contest(name).scored

    def figures(self, name: str, outcomes: Outcomes, seed: int) -> Figures:
        """Returns the figures of a score under a protocol."""
        counts = self._contest(name).counts()
        return outcomes.figures(self.edges(name)[:, 0], counts, seed)

    def _contest(self, name: str) -> Contest | HardContest:
        return self.whole[name] if name in self.whole else self.hard[name]


def some_sources(contest: Contest, seed: int) -> Contest:
    """Returns the contest, with no more sources than `MOST_CELLS` allows.

    Nodes are chosen in one order for all contests of a network, which so share theirs.
    """
    sources = np.unique(contest.scored[:, 0])
    most = max(1, MOST_CELLS // max(1, contest.node_count))
    if len(sources) <= most:
        return contest
    order = np.random.default_rng(seed).permutation(contest.node_count)[sources]
    chosen = sources[np.argsort(order)[:most]]
    return contest.only(np.isin(contest.scored[:, 0], chosen))


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
        `link_prediction`, `baselines`, `outcomes` and, where there are labels,
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
    with clock("find negatives"):
        contests = Contests.of(split, protocols, seed)
    if isinstance(fitted, VectorFitted):
        _check_vectors(fitted, contests, split.network.node_count)
    with clock("score pairs"):
        own = contests.measure(fitted, seed)
    parts: dict[str, dict[str, Measured]] = {}
    with clock("rank by vectors"):
        kinds = {**fitted.parts, "both": slice(None)} if fitted.parts else {}
        for kind, columns in kinds.items():
            part = VectorFitted(fitted.vectors[:, columns])
            parts[kind] = contests.measure(part, seed)
    links = {
        name: _model_figures(name, own, parts, contests, fitted.score_name, seed)
        for name in protocols
    }
    with clock("baselines"):
        rivals: dict[str, dict[str, BaselineFigures]] = {name: {} for name in protocols}
        for key, rival in baselines.items():
            measured = contests.measure(rival, seed)
            for name, theirs in measured.items():
                rivals[name][key] = BaselineFigures(
                    **vars(contests.figures(name, theirs.outcomes, seed)),
                    roc=theirs.roc,
                    difference=differences(own[name].outcomes, theirs.outcomes, seed),
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
    own: Mapping[str, Measured],
    parts: Mapping[str, Mapping[str, Measured]],
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
