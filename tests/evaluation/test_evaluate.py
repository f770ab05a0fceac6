"""One evaluation for any method: by hand, within the budget, and what is refused."""

import dataclasses
import json

import numpy as np
import pytest

from cane_gane.data.network import TextualNetwork
from cane_gane.data.splits import Split
from cane_gane.errors import InputError
from cane_gane.evaluation import contests as module
from cane_gane.evaluation import fitted as fitted_module
from cane_gane.evaluation.classification import classify_nodes
from cane_gane.evaluation.contests import some_sources
from cane_gane.evaluation.evaluate import evaluate
from cane_gane.evaluation.fitted import Fitted, SparseFitted, VectorFitted
from cane_gane.evaluation.outcomes import differences
from cane_gane.evaluation.protocols import (
    PROTOCOLS,
    Protocol,
    all_edges_contest,
    strict_contest,
    upstream_contest,
    without_self_loops,
)
from cane_gane.evaluation.ranking import rank_targets
from cane_gane.evaluation.results import Figures, to_json
from cane_gane.evaluation.sampled import Sample
from cane_gane.evaluation.shortlist import shortlist_hard, shortlist_places
from cane_gane.evaluation.show import summary
from cane_gane.progress import Stopwatch
from tests.evaluation.contests import ranked_figures

NODES = 60
VECTORS = np.random.default_rng(1).normal(size=(NODES, 6))
LABELS = [(f"kind{node % 3}",) for node in range(NODES)]
RANKED = {"upstream": False, "strict": True, "all_edges": False}


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
        "all_edges": all_edges_contest(network.edges, split.train, network.node_count),
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


@pytest.mark.parametrize("name", RANKED)
def test_vectors_have_the_figures_of_a_ranking_by_hand(found, split, name):
    own = found.link_prediction[name]
    contest = contests_of(split)[name]
    by_hand = ranked_figures(VectorFitted(VECTORS), contest, ranks=RANKED[name], seed=3)
    assert only_figures(own) == by_hand
    assert (own.score, own.vectors, list(own.roc)) == ("vectors", {}, ["model"])
    assert (own.mrr is not None) == RANKED[name]


def places_by_loop(contest, vectors):
    """The place of each edge among its hard negatives, of both ends."""
    places = []
    for (source, target), row in zip(contest.scored, contest.negatives, strict=True):
        own = vectors[source] @ vectors[target]
        others = [vectors[u] @ vectors[v] for u, v in row.tolist() if u >= 0]
        places.append(1 + sum(other > own for other in others))
    return np.array(places)


def test_hard_negatives_give_places_by_hand_and_no_auc(found, split):
    own = found.link_prediction["hard"]
    contest = PROTOCOLS["hard"].contest(split)
    assert not contest.filled.all()
    places = places_by_loop(contest, VECTORS)
    assert own.mrr == pytest.approx((1 / places).mean())
    assert own.hits_at_10 == pytest.approx((places <= 10).mean())
    assert (own.auc, own.draws.mean, own.roc) == (None, None, {})
    assert (own.scored, own.edges) == (len(contest.scored), len(split.test))


def test_hard_negatives_alone_are_measured_in_blocks(found, split, monkeypatch):
    monkeypatch.setattr("cane_gane.evaluation.fitted.BLOCK_CELLS", 3 * NODES)
    fitted, most = VectorFitted(VECTORS), []
    rows = fitted.score_rows
    monkeypatch.setattr(
        fitted, "score_rows", lambda own: most.append(len(own)) or rows(own)
    )
    protocols = {"hard": PROTOCOLS["hard"]}
    alone = evaluate(fitted, split, {}, seed=3, protocols=protocols)
    assert max(most) == 3
    assert alone.link_prediction["hard"] == found.link_prediction["hard"]


def test_the_outcomes_of_each_edge_go_along_but_not_into_json(found, split):
    assert set(found.outcomes) == set(PROTOCOLS)
    for name, contest in contests_of(split).items():
        edges, own = found.outcomes[name]
        assert edges.tolist() == contest.scored.tolist()
        exact = rank_targets(VectorFitted(VECTORS), contest)
        assert own.shares.tolist() == exact.shares.tolist()
    assert "outcomes" not in to_json(found)


def test_the_difference_from_a_baseline_is_on_the_same_edges(found, split):
    for name, contest in contests_of(split).items():
        both = [
            rank_targets(VectorFitted(vectors), contest, ranks=RANKED[name])
            for vectors in (VECTORS, VECTORS[:, 5:])
        ]
        own = found.baselines[name]["last"]
        assert own.difference == differences(*both, seed=3)
        gap = found.link_prediction[name].auc - own.auc
        assert own.difference["auc"].mean == pytest.approx(gap)
    assert set(found.baselines["hard"]["last"].difference) == {"mrr", "hits_at_10"}


@pytest.mark.parametrize("name", PROTOCOLS)
@pytest.mark.parametrize(("key", "columns"), [("first", [0]), ("last", [5])])
def test_baselines_are_measured_like_vectors(found, split, key, columns, name):
    own = found.baselines[name][key]
    alone = evaluate(VectorFitted(VECTORS[:, columns]), split, {}, seed=3)
    assert only_figures(own) == only_figures(alone.link_prediction[name])
    assert own.roc == alone.link_prediction[name].roc.get("model")
    assert alone.baselines == {protocol: {} for protocol in PROTOCOLS}


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


@pytest.mark.parametrize("name", RANKED)
def test_the_auc_of_a_method_that_scores_pairs_is_sampled(split, name):
    own = evaluate(Pairs(), split, {}, seed=3).link_prediction[name]
    contest = contests_of(split)[name]
    outcomes, roc = Sample.draw(contest, 3).outcomes(Pairs().score, 3)
    by_hand = outcomes.figures(contest.scored[:, 0], contest.counts(), seed=3)
    for field in ("auc", "std_error", "interval", "draws", "sampling_error"):
        assert getattr(own, field) == getattr(by_hand, field)
    for field in ("scored", "edges", "self_loops", "reversed", "negatives"):
        assert getattr(own, field) == getattr(by_hand, field)
    assert own.roc == {"model": roc}
    assert own.score == "pairs"
    exact = ranked_figures(VectorFitted(VECTORS), contest).auc
    assert abs(own.auc - exact) <= 4 * own.sampling_error


def test_a_method_that_scores_pairs_has_the_places_of_a_shortlist(split):
    found = evaluate(Pairs(), split, {}, seed=3)
    contest, first_stage = contests_of(split)["strict"], VectorFitted(VECTORS)
    two_stages = shortlist_places(Pairs(), first_stage, contest, 3)
    own = found.link_prediction["strict"]
    exact = ranked_figures(first_stage, contest)
    for field in ("mrr", "hits_at_1", "hits_at_10", "hits_at_50", "average_precision"):
        assert getattr(own, field) == pytest.approx(getattr(exact, field))
    assert own.ranked_edges == len(contest.scored)
    assert own.ranked_pairs == two_stages.notes["ranked_pairs"]
    assert found.outcomes["strict"][1].places.tolist() == two_stages.places.tolist()
    assert found.link_prediction["upstream"].mrr is None
    hard = shortlist_hard(Pairs(), first_stage, PROTOCOLS["hard"].contest(split))
    assert found.outcomes["hard"][1].places.tolist() == hard.places.tolist()


def test_a_method_that_scores_pairs_stays_within_the_budget():
    split = make_split(nodes=600, edges=60_000)
    fitted = Pairs(np.random.default_rng(2).normal(size=(600, 3)))
    found = evaluate(fitted, split, {}).link_prediction
    # A sample for each of three protocols, a shortlist for two.
    assert len(fitted.asked) == len(found) + 1 == 5
    assert sorted(fitted.asked)[2] <= 8_000
    assert max(fitted.asked) <= 20_000
    for name, contest in contests_of(split).items():
        assert found[name].scored == len(contest.scored) > 10_000
        assert found[name].sampled_edges == 4_000
    assert found["strict"].ranked_edges < found["strict"].scored


@pytest.fixture
def ten_sources(monkeypatch):
    """A network of `NODES` nodes is large: ten sources of it are ranked."""
    monkeypatch.setattr(module, "MOST_CELLS", 10 * NODES)
    monkeypatch.setattr(module, "FEWEST_SOURCES", 1)


def test_of_a_large_network_some_sources_are_ranked(split, baselines, ten_sources):
    found = evaluate(VectorFitted(VECTORS), split, baselines, seed=3)
    chosen = {}
    for name, contest in contests_of(split).items():
        edges, _ = found.outcomes[name]
        chosen[name] = set(edges[:, 0].tolist())
        assert len(chosen[name]) == 10
        # All edges of a source are there, or none.
        kept = np.isin(contest.scored[:, 0], list(chosen[name]))
        assert edges.tolist() == contest.scored[kept].tolist()
        own = found.link_prediction[name]
        assert (own.scored, own.edges) == (len(edges), contest.edges)
        sources = len(np.unique(contest.scored[:, 0]))
        assert (own.sources, own.of_sources) == (10, sources)
        assert f"{name}: 10 of {sources} sources, drawn at random" in summary(found)
    assert len(chosen["strict"] & chosen["all_edges"]) > 5


def test_drawn_sources_have_the_outcomes_that_they_have_among_all(
    split, baselines, ten_sources, monkeypatch
):
    some = evaluate(VectorFitted(VECTORS), split, baselines, seed=3)
    monkeypatch.undo()
    whole = evaluate(VectorFitted(VECTORS), split, baselines, seed=3)
    for name in RANKED:
        edges, found = some.outcomes[name]
        every, all_found = whole.outcomes[name]
        kept = np.isin(every[:, 0], edges[:, 0])
        assert found.shares.tolist() == all_found.shares[kept].tolist()
        np.testing.assert_array_equal(found.places, all_found.places[kept])
        assert whole.link_prediction[name].of_sources is None
    strict = some.link_prediction["strict"]
    assert f"{100 * strict.mrr:.1f} ± {100 * strict.mrr_error:.1f}" in str(some)


def test_of_a_large_network_some_edges_are_enough(split, ten_sources, monkeypatch):
    contest = contests_of(split)["all_edges"]
    monkeypatch.setattr(module, "MOST_EDGES", 8)
    some = some_sources(contest, 1)
    last = np.unique(some.scored[:, 0], return_counts=True)[1].max()
    assert 8 <= len(some.scored) < 8 + last
    monkeypatch.setattr(module, "FEWEST_SOURCES", NODES)
    monkeypatch.setattr(module, "MOST_EDGES", len(contest.scored))
    assert some_sources(contest, 1) is contest


@pytest.mark.parametrize("kind", [VectorFitted, SparseFitted])
def test_hard_negatives_of_many_sources_are_scored_pair_by_pair(
    split, kind, monkeypatch
):
    exact = evaluate(kind(np.round(VECTORS)), split, {}, seed=3)
    for own in (module, fitted_module):
        monkeypatch.setattr(own, "MOST_CELLS", NODES)
    monkeypatch.setattr(kind, "_by_rows", None)
    found = evaluate(kind(np.round(VECTORS)), split, {}, seed=3)
    edges, own = found.outcomes["hard"]
    assert edges.tolist() == exact.outcomes["hard"][0].tolist()
    assert own.places.tolist() == exact.outcomes["hard"][1].places.tolist()


def test_sources_are_chosen_by_the_seed(split, ten_sources):
    contest = contests_of(split)["strict"]
    first, again, other = (some_sources(contest, seed).scored for seed in (1, 1, 2))
    assert first.tolist() == again.tolist() != other.tolist()


def test_a_baseline_may_score_pairs_alone(split):
    found = evaluate(VectorFitted(VECTORS), split, {"pairs": Pairs()}, seed=3)
    model = evaluate(Pairs(), split, {}, seed=3).link_prediction
    for name, own in found.baselines.items():
        assert only_figures(own["pairs"]) == only_figures(model[name])
        assert own["pairs"].roc == model[name].roc.get("model")


def test_the_parts_of_vectors_are_measured_each_on_its_own(split):
    parts = {"structure": slice(0, 2), "text": slice(2, 6)}
    found = evaluate(Pairs(parts=parts), split, {}, seed=3).link_prediction
    for name, own in found.items():
        assert list(own.vectors) == ["structure", "text", "both"]
        for kind, columns in {**parts, "both": slice(0, 6)}.items():
            fitted = VectorFitted(VECTORS[:, columns])
            alone = evaluate(fitted, split, {}, seed=3).link_prediction[name]
            assert own.vectors[kind] == only_figures(alone)
        assert own.roc.get("vectors") == alone.roc.get("model")


def test_the_time_of_each_part_is_taken(baselines):
    clock = Stopwatch()
    fitted = Pairs(parts={"text": slice(0, 2)})
    evaluate(fitted, make_split(LABELS), baselines, clock=clock)
    assert list(clock.seconds) == [
        "find negatives", "score pairs", "rank by vectors", "baselines",
        "classify nodes",
    ]  # fmt: skip


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
    assert summary(found).splitlines()[0].endswith("no_loops")
