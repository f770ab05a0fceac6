"""A score under every protocol: contests of a split, and what is measured there."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from cane_gane.data.splits import Split
from cane_gane.evaluation.fitted import Fitted, RowFitted
from cane_gane.evaluation.hard import HardContest
from cane_gane.evaluation.outcomes import Outcomes, only_places, places_among
from cane_gane.evaluation.protocols import Contest, Integers, Protocol
from cane_gane.evaluation.ranking import one_pass
from cane_gane.evaluation.results import Figures, Roc
from cane_gane.evaluation.sampled import Sample
from cane_gane.evaluation.shortlist import shortlist_hard, shortlist_places

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


Measures = Mapping[str, Measured]  # of a score, by protocol


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
