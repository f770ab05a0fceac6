"""One evaluation for any method: by hand, within the budget, and what is refused."""

import dataclasses
import json

import numpy as np
import pytest

from cane_gane.data.network import TextualNetwork
from cane_gane.data.splits import Split
from cane_gane.errors import InputError
from cane_gane.evaluation.classification import classify_nodes
from cane_gane.evaluation.evaluate import evaluate
from cane_gane.evaluation.fitted import Fitted, SparseFitted, VectorFitted
from cane_gane.evaluation.protocols import (
    PROTOCOLS,
    Protocol,
    strict_contest,
    upstream_contest,
    without_self_loops,
)
from cane_gane.evaluation.ranking import ranked_figures
from cane_gane.evaluation.results import Figures, to_json
from cane_gane.evaluation.sampled import Sample
from cane_gane.evaluation.show import summary
from cane_gane.progress import Stopwatch

NODES = 60
VECTORS = np.random.default_rng(1).normal(size=(NODES, 6))
LABELS = [(f"kind{node % 3}",) for node in range(NODES)]


class Pairs(Fitted):
    """A method that scores pairs alone: inner products, as VectorFitted's."""

    def __init__(self, vectors=VECTORS, parts=()):
        self._vectors = vectors
        self.parts = dict(parts)
        self.asked = []

    @property
    def vectors(self):
        return self._vectors

    def score(self, pairs):
        self.asked.append(len(pairs))
        return (self._vectors[pairs[:, 0]] * self._vectors[pairs[:, 1]]).sum(axis=1)


def make_split(labels=None, nodes=NODES, edges=300):
    rng = np.random.default_rng(0)
    network = TextualNetwork(
        ["word"] * nodes, rng.integers(nodes, size=(edges, 2)), labels
    )
    return network.split(0.6)


def contests_of(split):
    network = split.network
    return {
        "upstream": upstream_contest(split.train, split.test, network.node_count),
        "strict": strict_contest(
            network.edges, split.train, split.test, network.node_count
        ),
    }


def only_figures(found):
    """Returns what a baseline or model has of plain figures."""
    names = [field.name for field in dataclasses.fields(Figures)]
    return Figures(**{name: getattr(found, name) for name in names})


@pytest.fixture(scope="module")
def split():
    return make_split()


@pytest.fixture(scope="module")
def baselines():
    return {"first": SparseFitted(VECTORS[:, :1]), "last": VectorFitted(VECTORS[:, 5:])}


@pytest.fixture(scope="module")
def found(split, baselines):
    return evaluate(VectorFitted(VECTORS), split, baselines, seed=3)


@pytest.mark.parametrize("name", ["upstream", "strict"])
def test_vectors_have_the_figures_of_a_ranking_by_hand(found, split, name):
    own = found.link_prediction[name]
    rows = VectorFitted(VECTORS).score_rows
    contest = contests_of(split)[name]
    by_hand = ranked_figures(rows, contest, ranks=name == "strict", seed=3)
    assert only_figures(own) == by_hand
    assert (own.score, own.vectors, list(own.roc)) == ("vectors", {}, ["model"])
    assert (own.mrr is None) == (name == "upstream")


@pytest.mark.parametrize("name", ["upstream", "strict"])
@pytest.mark.parametrize(("key", "columns"), [("first", [0]), ("last", [5])])
def test_baselines_are_measured_like_vectors(found, split, key, columns, name):
    own = found.baselines[name][key]
    alone = evaluate(VectorFitted(VECTORS[:, columns]), split, {}, seed=3)
    assert only_figures(own) == only_figures(alone.link_prediction[name])
    assert own.roc == alone.link_prediction[name].roc["model"]
    assert alone.baselines == {"upstream": {}, "strict": {}}


def test_the_result_is_ready_for_json(found):
    assert json.loads(json.dumps(to_json(found))) == to_json(found)


def test_the_seed_decides(found, split, baselines):
    fitted = VectorFitted(VECTORS)
    assert evaluate(fitted, split, baselines, seed=3) == found
    assert evaluate(fitted, split, baselines, seed=4) != found


def test_labels_are_classified_from_the_vectors():
    found = evaluate(VectorFitted(VECTORS), make_split(LABELS), {}, seed=3)
    assert found.node_classification == classify_nodes(VECTORS, LABELS, seed=3)


@pytest.mark.parametrize("labels", [None, [("one",)] * NODES, [()] * NODES])
def test_without_labels_to_tell_apart_nothing_is_classified(labels):
    found = evaluate(VectorFitted(VECTORS), make_split(labels), {})
    assert found.node_classification is None


def test_a_split_without_test_edges_is_refused(split):
    whole = Split(split.network, split.network.edges, split.test[:0])
    with pytest.raises(
        InputError, match=r"found no test edge.* network\.split\(0\.9\)"
    ):
        evaluate(VectorFitted(VECTORS), whole, {})


def lacking(node):
    vectors = VECTORS.copy()
    vectors[node] = np.nan
    return VectorFitted(vectors)


def test_vectors_of_another_split_are_refused(split):
    node = int(contests_of(split)["upstream"].pool[4])
    message = rf"no vector for 1 nodes with a training edge, the first of them {node};"
    with pytest.raises(InputError, match=message):
        evaluate(lacking(node), split, {})


def test_a_protocol_that_skips_no_node_needs_no_vector_of_each(split):
    node = int(contests_of(split)["upstream"].pool[4])
    strict = {"strict": PROTOCOLS["strict"]}
    found = evaluate(lacking(node), split, {}, protocols=strict)
    zeros = VECTORS.copy()
    zeros[node] = 0
    assert found == evaluate(VectorFitted(zeros), split, {}, protocols=strict)


@pytest.mark.parametrize("count", [NODES - 1, NODES + 1])
@pytest.mark.parametrize("name", ["upstream", "strict"])
def test_vectors_of_another_network_are_refused(split, count, name):
    fitted = VectorFitted(np.ones((count, 2)))
    protocols = {name: PROTOCOLS[name]}
    with pytest.raises(InputError, match=f"found {count} vectors; expected {NODES}"):
        evaluate(fitted, split, {}, protocols=protocols)


@pytest.mark.parametrize("name", ["upstream", "strict"])
def test_a_method_that_scores_pairs_is_sampled(split, name):
    own = evaluate(Pairs(), split, {}, seed=3).link_prediction[name]
    contest = contests_of(split)[name]
    by_hand, roc = Sample.draw(contest, 3).figures(Pairs().score, 3)
    assert only_figures(own) == by_hand
    assert own.roc == {"model": roc}
    assert (own.score, own.mrr) == ("pairs", None)
    exact = ranked_figures(VectorFitted(VECTORS).score_rows, contest).auc
    assert abs(own.auc - exact) <= 4 * own.sampling_error


def test_a_method_that_scores_pairs_stays_within_the_budget():
    split = make_split(nodes=600, edges=60_000)
    fitted = Pairs(np.random.default_rng(2).normal(size=(600, 3)))
    found = evaluate(fitted, split, {}).link_prediction
    assert len(fitted.asked) == len(found) == 2
    assert max(fitted.asked) <= 20_000
    for name, contest in contests_of(split).items():
        assert found[name].scored == len(contest.scored) > 10_000
        assert found[name].sampled_edges == 10_000


def test_a_baseline_may_score_pairs_alone(split):
    found = evaluate(VectorFitted(VECTORS), split, {"pairs": Pairs()}, seed=3)
    model = evaluate(Pairs(), split, {}, seed=3).link_prediction
    for name, own in found.baselines.items():
        assert only_figures(own["pairs"]) == only_figures(model[name])
        assert own["pairs"].roc == model[name].roc["model"]


def test_the_parts_of_vectors_are_measured_each_on_its_own(split):
    parts = {"structure": slice(0, 2), "text": slice(2, 6)}
    found = evaluate(Pairs(parts=parts), split, {}, seed=3).link_prediction
    for name, own in found.items():
        assert list(own.vectors) == ["structure", "text", "both"]
        for kind, columns in {**parts, "both": slice(0, 6)}.items():
            fitted = VectorFitted(VECTORS[:, columns])
            alone = evaluate(fitted, split, {}, seed=3).link_prediction[name]
            assert own.vectors[kind] == only_figures(alone)
        assert own.roc["vectors"] == alone.roc["model"]


def test_the_time_of_each_part_is_taken(baselines):
    clock = Stopwatch()
    fitted = Pairs(parts={"text": slice(0, 2)})
    evaluate(fitted, make_split(LABELS), baselines, clock=clock)
    parts = {"score pairs", "rank by vectors", "baselines", "classify nodes"}
    assert set(clock.seconds) == parts


def test_a_protocol_that_is_registered_is_measured(monkeypatch, split, baselines):
    def contest(split):
        return without_self_loops(contests_of(split)["upstream"])

    added = Protocol("no_loops", "no self-loops", "Without self-loops.", contest)
    monkeypatch.setitem(PROTOCOLS, "no_loops", added)
    found = evaluate(VectorFitted(VECTORS), split, baselines)
    own = found.link_prediction["no_loops"]
    assert own.self_loops == 0 < found.link_prediction["upstream"].self_loops
    assert own.mrr is not None
    assert list(found.baselines["no_loops"]) == list(baselines)
    assert summary(found).splitlines()[0].endswith("no self-loops")
