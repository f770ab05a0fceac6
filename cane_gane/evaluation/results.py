"""The results of an evaluation: small frozen records, and the one way to JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any, TypeVar

import cattrs

from cane_gane.errors import InputError, fault
from cane_gane.evaluation.show import html_summary, summary

Record = TypeVar("Record")


@dataclass(frozen=True)
class Draws:
    """Mean and standard deviation of upstream's draws, one negative for each edge."""

    mean: float | None
    std: float | None


@dataclass(frozen=True)
class Difference:
    """How much one score is above another on the same edges, with a 95 % interval."""

    mean: float
    interval: tuple[float, float]

    @property
    def sign(self) -> int:
        """1 or -1 where the interval excludes 0, else 0."""
        return int(self.interval[0] > 0) - int(self.interval[1] < 0)


@dataclass(frozen=True)
class Roc:
    """A ROC curve: rates from 0 to 1, and the area; None where there is no pair."""

    false_positives: Sequence[float] | None
    true_positives: Sequence[float] | None
    area: float | None


@dataclass(frozen=True, kw_only=True)
class Figures:
    """One score under one protocol. docs/evaluation.md defines each figure.

    Attributes:
        auc: The share of negatives below a target, ties as one half.
        std_error: The standard error of `auc`, the edges taken as a sample.
        interval: Its 95 % interval, by the bootstrap.
        scored: How many edges are scored.
        edges: How many test edges there are.
        self_loops: How many of the scored are self-loops.
        reversed: How many of the scored have their reverse in training.
        draws: What upstream's draws would print.
        mrr: The mean of 1 / place of a target among its negatives.
        hits_at_1: The share of targets on the first place.
        hits_at_10: The share of targets on places up to 10.
        hits_at_50: The share of targets on places up to 50.
        average_precision: The mean over sources of their average precision.
        sampling_error: The error of `auc` that is due to sampled negatives.
        negatives: How many negatives were sampled for each edge.
        sampled_edges: How many of the scored edges were sampled, where not all were.
        ranked_edges: How many of them were ranked by a score that is slow.
        ranked_pairs: How many pairs were scored for that.
        missed: The share of their targets that the first stage left out.
        sources: How many sources were drawn at random, of a large network; errors and
            intervals are then those of this draw.
        of_sources: How many they were drawn from.
        mrr_error: The standard error of `mrr`, where not all sources were ranked.
    """

    auc: float | None
    std_error: float | None
    interval: tuple[float, float] | None
    scored: int = 0
    edges: int = 0
    self_loops: int = 0
    reversed: int = 0
    draws: Draws = Draws(None, None)
    mrr: float | None = None
    hits_at_1: float | None = None
    hits_at_10: float | None = None
    hits_at_50: float | None = None
    average_precision: float | None = None
    sampling_error: float | None = None
    negatives: int | None = None
    sampled_edges: int | None = None
    ranked_edges: int | None = None
    ranked_pairs: int | None = None
    missed: float | None = None
    sources: int | None = None
    of_sources: int | None = None
    mrr_error: float | None = None


@dataclass(frozen=True, kw_only=True)
class BaselineFigures(Figures):
    """A baseline under one protocol.

    Attributes:
        roc: Its ROC curve.
        difference: How much the method is above it, by figure.
    """

    roc: Roc | None = None
    difference: Mapping[str, Difference] | None = None


@dataclass(frozen=True, kw_only=True)
class ModelFigures(Figures):
    """A fitted method under one protocol.

    Attributes:
        score: What is scored: `pairs`, `vectors`, or a file's name.
        vectors: Figures of the inner products of its vectors, by part.
        roc: ROC curves of `model` and, where it has vectors beside, of `vectors`.
    """

    score: str = "pairs"
    vectors: Mapping[str, Figures] = field(default_factory=dict)
    roc: Mapping[str, Roc] = field(default_factory=dict)


@dataclass(frozen=True)
class Found:
    """Known-item search: the share of items found first, and among the first ten."""

    top1: float
    top10: float


@dataclass(frozen=True)
class Search:
    """Known-item search by the method's text score, and by TF-IDF.

    Attributes:
        queries: How many nodes were searched for.
        top1: The share that came first.
        top10: The share among the first ten.
        tfidf: The same by TF-IDF.
        among: How many nodes were searched through; None for all.
    """

    queries: int
    top1: float
    top10: float
    tfidf: Found
    among: int | None = None


@dataclass(frozen=True)
class Labels:
    """How well a share of the labels gives the others.

    Attributes:
        macro_f1: The mean over draws of Macro-F1.
        micro_f1: The same of Micro-F1.
        std: The standard deviations under the same two names.
        train: Labelled nodes to train on.
        test: Labelled nodes to test on.
        unlabelled: Nodes left out.
        sampled: How many labelled nodes were drawn at random, where not all are used.
    """

    macro_f1: float
    micro_f1: float | None = None
    std: Mapping[str, float] | None = None
    train: int = 0
    test: int = 0
    unlabelled: int = 0
    sampled: int | None = None


@dataclass(frozen=True)
class Timing:
    """What a run cost.

    Attributes:
        train: Seconds to train.
        evaluate: Seconds to evaluate.
        parts: Seconds of each part.
        memory: The most memory of the process up to the end of training, in bytes.
    """

    train: float | None
    evaluate: float | None
    parts: Mapping[str, float] | None = None
    memory: int | None = None


@dataclass(frozen=True, kw_only=True)
class Matching:
    """How sparsely the words of a pair are matched.

    Attributes:
        source: The first node.
        target: The second.
        score: The model's score of them.
        entries: How many entries an optimal plan needs at the most.
        plan_share: The share of the plan's weight in that many entries.
        attention_share: The same of WANE's attention, where it is known.
        on_padding: The share of the plan's weight on padding.
    """

    source: int
    target: int
    score: float
    entries: int
    plan_share: float
    attention_share: float | None
    on_padding: float


@dataclass(frozen=True, kw_only=True)
class MatchedPair(Matching):
    """The same with the words and their weights, for a heat map.

    Attributes:
        names: The names of both nodes.
        source_words: The words of the first text.
        target_words: Those of the second.
        plan: The weights of the first words of both.
        attention: The same by WANE's attention, where it is known.
        words: The matched words that say most: source word, target word, weight.
        equal_words: How many different words both texts have.
    """

    names: Sequence[str]
    source_words: Sequence[str]
    target_words: Sequence[str]
    plan: Sequence[Sequence[float]]
    attention: Sequence[Sequence[float]] | None
    words: Sequence[tuple[str, str, float]] | None = None
    equal_words: int | None = None


@dataclass(frozen=True, kw_only=True)
class ScoredEdge:
    """A pair without an edge, its score and, where there is one, its probability."""

    source: int
    target: int
    score: float
    probability: float | None = None


@dataclass(frozen=True, kw_only=True)
class MissingEdge(ScoredEdge):
    """The same with what a reader sees of it.

    Attributes:
        names: The names of both nodes.
        texts: Their texts.
        words: Matched words: source word, target word, weight.
    """

    names: Sequence[str]
    texts: Sequence[str]
    words: Sequence[tuple[str, str, float]]


@dataclass(frozen=True)
class NodeMap:
    """Nodes in the plane.

    Attributes:
        nodes: Their ids.
        x: Their places.
        y: The same.
        labels: None without labels, an entry None for a node without one.
        names: What they are called.
        texts: The first words of their texts.
        degrees: How many edges they have.
    """

    nodes: Sequence[int]
    x: Sequence[float]
    y: Sequence[float]
    labels: Sequence[str | None] | None
    names: Sequence[str] | None = None
    texts: Sequence[str] | None = None
    degrees: Sequence[int] | None = None


@dataclass(frozen=True)
class Examples:
    """What a report shows of single nodes: the content of examples.json.

    Attributes:
        pair: The one pair that earlier versions showed.
        missing_edges: Those that are shown.
        map: Nodes in the plane.
        pairs: Pairs of texts whose words are matched.
        all_missing: All missing edges, which are no part of examples.json.
    """

    pair: MatchedPair | None = None
    missing_edges: Sequence[MissingEdge] = ()
    map: NodeMap | None = None
    pairs: Sequence[MatchedPair] | None = None
    all_missing: Sequence[ScoredEdge] = field(default=(), metadata={"json": False})

    @property
    def matched(self) -> Sequence[MatchedPair]:
        """The pairs to show, of whichever version."""
        return self.pairs or [own for own in (self.pair,) if own]


@dataclass(frozen=True)
class FirstStage:
    """What the first stage of `recommend` names.

    Attributes:
        recall: The share of the best nodes of a source that it names.
        top: How many of the best count.
        sources: Of how many sources.
        candidates: How many nodes it names of one, on average.
        among: The best are those among so many of the largest inner products; None
            where they are those among all nodes.
    """

    recall: float
    top: int
    sources: int
    candidates: float
    among: int | None = None


@dataclass(frozen=True)
class Bin:
    """Candidates of similar probability.

    Attributes:
        said: Their mean probability.
        true: The share of them that are test edges, in that direction.
        count: How many they are.
    """

    said: float
    true: float
    count: int


@dataclass(frozen=True)
class Reliability:
    """Probabilities beside what came true.

    Attributes:
        bins: By probability.
        error: The mean difference of both, by bins.
        pairs: How many candidates there are.
        edges: How many of them are test edges.
        missing: The share of all edges that are test edges.
    """

    bins: Sequence[Bin]
    error: float
    pairs: int
    edges: int
    missing: float


@dataclass(frozen=True)
class Checked:
    """What another run, with test edges, measured.

    Attributes:
        run: The name of its folder.
        ratio: Its share of the edges for training.
        link_prediction: Its figures, by protocol.
        baselines: Those of its baselines.
    """

    run: str
    ratio: float
    link_prediction: Mapping[str, ModelFigures]
    baselines: Mapping[str, Mapping[str, BaselineFigures]]


@dataclass(frozen=True)
class Evaluation:
    """All results of a fitted method: the content of metrics.json.

    Attributes:
        link_prediction: The method's own figures, by protocol.
        baselines: Those of baselines that learn nothing, by protocol and name.
        node_classification: By the share of labels to train on, where there are labels.
        search: Known-item search, where the method reads texts.
        matching: How a test pair is matched, where the method matches words.
        missing_edges: The pairs without an edge that the report shows.
        data: What `inspect` shows of the network.
        best_epoch: The epoch whose values the model has.
        time: How long it took.
        printed_auc: What upstream's own program printed, for a run of it.
        first_stage: What the first stage of `recommend` names.
        reliability: What probabilities are worth, where the method has some.
        evaluated: Whether there was something to evaluate on: not after training on
            all edges, which has no figures.
        check: What a run with test edges measured instead, where that was asked for.
        left_out: The baselines that a large network is without, and why, by name.
        outcomes: The method's scored edges and outcomes by protocol, to compare it
            with another on the same edges; they are not part of metrics.json.
    """

    link_prediction: Mapping[str, ModelFigures]
    baselines: Mapping[str, Mapping[str, BaselineFigures]]
    node_classification: Mapping[str, Labels] | None = None
    search: Search | None = None
    matching: Matching | None = None
    missing_edges: Sequence[ScoredEdge] | None = None
    data: Mapping[str, Any] | None = None
    best_epoch: int | None = None
    time: Timing = Timing(None, None)
    printed_auc: float | None = None
    first_stage: FirstStage | None = None
    reliability: Reliability | None = None
    evaluated: bool = True
    check: Checked | None = None
    left_out: Mapping[str, str] | None = None
    outcomes: Mapping[str, Any] = field(
        default_factory=dict, repr=False, compare=False, metadata={"json": False}
    )

    def __post_init__(self) -> None:
        if self.evaluated and not self.link_prediction:
            raise InputError("found figures of no protocol; expected at least one")

    def __str__(self) -> str:
        return summary(self)

    def _repr_html_(self) -> str:
        return html_summary(self)


_CONVERTER = cattrs.Converter()


def to_json(value: Any) -> Any:
    """Returns a record as what JSON holds; an optional field that is None is absent.

    Args:
        value: An `Evaluation`, `Examples` or a part of one.
    """
    if is_dataclass(value):
        kept = [own for own in fields(value) if own.metadata.get("json", True)]
        own = {field.name: getattr(value, field.name) for field in kept}
        optional = {field.name for field in kept if field.default is None}
        return {
            name: to_json(part)
            for name, part in own.items()
            if part is not None or name not in optional
        }
    if isinstance(value, Mapping):
        return {key: to_json(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_json(part) for part in value]
    return value


def from_json(kind: type[Record], content: Any, path: Path) -> Record:
    """Builds a record from what a JSON file holds.

    Args:
        kind: The type of the record.
        content: The content of the file; keys that are unknown are passed over.
        path: The file, for the message.

    Returns:
        The record.

    Raises:
        InputError: A key is missing, or a value is of another kind.
    """
    expected = "what a run wrote there: bash run.sh evaluate RUN writes it again"
    if not isinstance(content, dict):
        raise fault(path, None, "no JSON object", expected)
    try:
        return _CONVERTER.structure(content, kind)
    except cattrs.BaseValidationError as error:
        found = cattrs.transform_error(error, format_exception=_what)[0]
        raise fault(path, None, found, expected) from None


def _what(error: BaseException, kind: type | None) -> str:
    return "no value" if isinstance(error, KeyError) else "a value of another kind"


def plain(record: Matching | ScoredEdge, kind: type[Record]) -> Record:
    """Returns a record as one of the simpler type that it extends."""
    return kind(**{own.name: getattr(record, own.name) for own in fields(kind)})  # type: ignore[arg-type]
