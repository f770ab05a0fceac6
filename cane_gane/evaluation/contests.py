"""Measures a score under every protocol, on the contests of a split."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from cane_gane.data.splits import Split
from cane_gane.evaluation.fitted import MOST_CELLS, Fitted, RowFitted
from cane_gane.evaluation.hard import HardContest
from cane_gane.evaluation.outcomes import Outcomes, only_places, places_among
from cane_gane.evaluation.protocols import Contest, Integers, Protocol
from cane_gane.evaluation.ranking import one_pass
from cane_gane.evaluation.results import Figures, Roc
from cane_gane.evaluation.sampled import Sample
from cane_gane.evaluation.shortlist import shortlist_hard, shortlist_places

# Sources to rank, at least, if all sources need more than `MOST_CELLS` scores.
FEWEST_SOURCES = 300
MOST_EDGES = 4_000


@dataclass(frozen=True)
class Measured:
    """A score under one protocol.

    Attributes:
        outcomes: The outcome of each edge.
        roc: The ROC curve of sampled pairs, if there is a sample.
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
        samples: Sampled pairs of each contest in `whole`.
        hard: Contests against given negatives.
    """

    protocols: Mapping[str, Protocol]
    whole: Mapping[str, Contest]
    samples: Mapping[str, Sample]
    hard: Mapping[str, HardContest]

    @classmethod
    def of(cls, split: Split, protocols: Mapping[str, Protocol], seed: int) -> Contests:
        """Builds the contests; in a large network, for randomly chosen sources only.

        Args:
            split: The split.
            protocols: The protocols, by key.
            seed: The seed of the choice of sources and of the samples.
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
        """The protocols whose contests cannot be ranked."""
        return tuple(name for name, own in self.protocols.items() if not own.ranks)

    def measure(
        self, fitted: Fitted, seed: int, title: str = "vectors"
    ) -> dict[str, Measured]:
        """Measures a score under every protocol.

        Args:
            fitted: The score.
            seed: The seed of the draws.
            title: The name of the score in progress messages.
        """
        if isinstance(fitted, RowFitted):
            return self._measure_rows(fitted, seed, f"ranking by {title}")
        return self._measure_pairs(fitted, seed)

    def _measure_rows(
        self, fitted: RowFitted, seed: int, stage: str
    ) -> dict[str, Measured]:
        """Measures a cheap score; each source is scored once for all protocols."""
        pairs = {name: own.pairs for name, own in self.samples.items()}
        hard = {name: own.pairs for name, own in self.hard.items()}
        small = fitted.node_count**2 <= MOST_CELLS
        found, scores = one_pass(
            fitted,
            self.whole,
            {**pairs, **hard} if small else pairs,
            unranked=self.unranked,
            seed=seed,
            stage=stage,
        )
        if not small:  # they have too many sources
            scores |= {name: fitted.score(own) for name, own in hard.items()}
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
        drawn = self.drawn(name) is not None
        return outcomes.figures(self.edges(name)[:, 0], counts, seed, drawn=drawn)

    def drawn(self, name: str) -> Integers | None:
        """Returns the source of each scored edge, `[scored]`, if sources were drawn."""
        own = self.whole.get(name)
        return own.scored[:, 0] if own and own.of_sources is not None else None

    def _contest(self, name: str) -> Contest | HardContest:
        return self.whole[name] if name in self.whole else self.hard[name]


def some_sources(contest: Contest, seed: int) -> Contest:
    """Returns the contest, or in a large network one of randomly chosen sources.

    A source keeps all its edges, and their figures do not depend on other sources.
    There are as many sources as `MOST_CELLS` and `MOST_EDGES` allow. All contests of a
    network choose nodes in the same order and so share sources.
    """
    sources, edges = np.unique(contest.scored[:, 0], return_counts=True)
    if len(sources) * contest.node_count <= MOST_CELLS:
        return contest
    order = np.random.default_rng(seed).permutation(contest.node_count)[sources]
    order = np.argsort(order)
    most = max(FEWEST_SOURCES, MOST_CELLS // contest.node_count)
    enough = 1 + int((np.cumsum(edges[order]) < MOST_EDGES).sum())
    chosen = sources[order[: min(most, enough)]]
    if len(chosen) == len(sources):
        return contest
    fewer = contest.only(np.isin(contest.scored[:, 0], chosen))
    return dataclasses.replace(fewer, of_sources=len(sources))
