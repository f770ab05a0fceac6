"""Protocols: upstream's counts on upstream's data, and who is a negative."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cane_gane.data.network import TextualNetwork
from cane_gane.data.splits import Split, split_edges
from cane_gane.errors import InputError
from cane_gane.evaluation.protocols import (
    PROTOCOLS,
    all_edges_contest,
    nothing_to_score,
    strict_contest,
    upstream_contest,
    without_neighbours,
    without_self_loops,
)
from tests.evaluation.contests import contests

RATIOS = ["0.15", "0.25", "0.35", "0.45", "0.55", "0.65", "0.75", "0.85", "0.95"]
NODES = 9
EDGES = st.lists(
    st.tuples(st.integers(0, NODES - 1), st.integers(0, NODES - 1)),
    min_size=1,
    max_size=20,
).map(np.array)


def build(train, test, node_count=NODES):
    return contests(train, test, node_count)


@pytest.mark.parametrize("name", ["cora", "HepTh", "zhihu"])
@pytest.mark.parametrize("ratio", RATIOS)
def test_upstream_scores_as_many_edges_as_upstream(
    golden, published_edges, name, ratio
):
    edges = published_edges(name)
    train, test = split_edges(edges, float(ratio), "upstream", seed=1)
    contest = contests(train, test, edges.max() + 100, edges)["upstream"]
    facts = golden["split_python_random_seed_1"][name][ratio]
    assert contest.counts() == {
        "scored": facts["scored"],
        "edges": facts["scored"] + facts["skipped"],
        "self_loops": facts["scored_self_loops"],
        "reversed": facts["scored_reverse_in_train"],
    }


@given(EDGES, EDGES)
def test_upstream_negatives_are_what_its_loop_would_draw(train, test):
    contest = build(train, test)["upstream"]
    embedded = set(train.ravel().tolist())
    drawable = [node for node in range(NODES) if node in test and node in embedded]
    for source, target in contest.scored.tolist():
        expected = [node for node in drawable if node != target]
        assert contest.negatives(source, target).tolist() == expected


def test_upstream_keeps_duplicates():
    contest = build([[0, 1], [2, 3]], [[0, 2], [0, 2]])["upstream"]
    assert contest.scored.tolist() == [[0, 2], [0, 2]]


def test_upstream_scores_nothing_where_there_is_no_negative():
    contest = build([[0, 1]], [[1, 1]])["upstream"]
    assert contest.counts()["scored"] == 0


@given(EDGES, EDGES)
def test_strict_negatives_are_the_other_nodes_that_are_no_neighbours(train, test):
    contest = build(train, test)["strict"]
    edges = {frozenset(edge) for edge in [*train.tolist(), *test.tolist()]}
    for source, target in contest.scored.tolist():
        expected = [
            node
            for node in range(NODES)
            if node != source and frozenset((source, node)) not in edges
        ]
        assert contest.negatives(source, target).tolist() == expected


@given(EDGES, EDGES)
def test_strict_scores_each_edge_that_training_does_not_give_away(train, test):
    contest = build(train, test)["strict"]
    known = {frozenset(edge) for edge in train.tolist()}
    hard = [e for e in map(tuple, test.tolist()) if frozenset(e) not in known]
    expected = [(a, b) for a, b in dict.fromkeys(hard) if a != b]
    lone = [e for e in expected if len(contest.negatives(*e))]
    assert [tuple(edge) for edge in contest.scored.tolist()] == lone


def test_strict_scores_nodes_without_a_training_edge():
    contest = build([[0, 1]], [[2, 3]])["strict"]
    assert contest.scored.tolist() == [[2, 3]]


def test_strict_leaves_out_a_source_without_negatives():
    star = build([[0, 1]], [[0, 2], [2, 0]], node_count=3)["strict"]
    assert star.scored.tolist() == [[2, 0]]


@given(EDGES, EDGES)
def test_strict_has_no_self_loops_and_no_reversed_edges(train, test):
    counts = build(train, test)["strict"].counts()
    assert (counts["self_loops"], counts["reversed"]) == (0, 0)


@pytest.mark.parametrize("name", ["upstream", "strict"])
@given(EDGES, EDGES, EDGES)
def test_without_neighbours_negatives_are_those_that_are_no_neighbours(
    name, train, test, edges
):
    whole = build(train, test)[name]
    fewer = without_neighbours(whole, edges)
    near = {frozenset(edge) for edge in edges.tolist()}
    expected = {
        (source, target): [
            node
            for node in whole.negatives(source, target).tolist()
            if node != source and frozenset((source, node)) not in near
        ]
        for source, target in whole.scored.tolist()
    }
    found = {
        (source, target): fewer.negatives(source, target).tolist()
        for source, target in fewer.scored.tolist()
    }
    assert found == {edge: left for edge, left in expected.items() if left}
    known = set(map(tuple, train.tolist()))
    pairs = fewer.scored.tolist()
    backward = [u != v and (v, u) in known for u, v in pairs]
    counts = fewer.counts()
    assert counts["self_loops"] == sum(u == v for u, v in pairs)
    assert counts["reversed"] == sum(backward)


@given(EDGES, EDGES)
def test_without_self_loops_the_negatives_stay(train, test):
    whole = build(train, test)["upstream"]
    fewer = without_self_loops(whole)
    kept = [edge for edge in whole.scored.tolist() if edge[0] != edge[1]]
    assert fewer.scored.tolist() == kept
    assert fewer.counts()["edges"] == len(test)
    for edge in kept:
        assert fewer.negatives(*edge).tolist() == whole.negatives(*edge).tolist()


def test_all_edges_scores_by_hand():
    train = np.array([[0, 1], [1, 2], [3, 3]])
    edges = np.array([[0, 1], [1, 2], [3, 3], [2, 0], [1, 0], [4, 0], [2, 0]])
    contest = all_edges_contest(edges, train, NODES)
    # Node 4 has no training edge; what is trained on and what is twice there counts.
    assert contest.scored.tolist() == np.delete(edges, 5, axis=0).tolist()
    assert contest.counts() == {
        "scored": 6, "edges": 7, "self_loops": 1, "reversed": 1,
    }  # fmt: skip
    assert contest.negatives(0, 1).tolist() == [0, 2, 3]
    assert contest.negatives(3, 3).tolist() == [0, 1, 2]


@given(EDGES, EDGES)
def test_all_edges_negatives_are_all_nodes_with_a_training_edge(train, test):
    contest = all_edges_contest(np.concatenate([train, test]), train, NODES)
    seen = sorted(set(train.ravel().tolist()))
    every = [*train.tolist(), *test.tolist()]
    scored = [[u, v] for u, v in every if u in seen and v in seen and len(seen) > 1]
    assert contest.scored.tolist() == scored
    for source, target in scored:
        expected = [node for node in seen if node != target]
        assert contest.negatives(source, target).tolist() == expected


def test_all_edges_alone_is_no_test_of_prediction():
    names = [name for name, own in PROTOCOLS.items() if not own.predicts]
    assert names == ["all_edges"]


@pytest.mark.parametrize("name", ["upstream", "strict", "all_edges"])
def test_a_registered_protocol_builds_the_contest_of_its_name(name):
    train, test = np.array([[0, 1], [2, 3], [3, 1]]), np.array([[0, 2], [1, 3], [4, 4]])
    # An edge of the network that is in neither set.
    edges = np.concatenate([train, test, [[0, 5]]])
    split = Split(TextualNetwork([""] * NODES, edges), train, test)
    found = PROTOCOLS[name].contest(split)
    expected = {
        **contests(train, test, NODES, edges),
        "all_edges": all_edges_contest(edges, train, NODES),
    }[name]
    assert PROTOCOLS[name].key == name
    assert found.counts() == expected.counts()
    for edge in expected.scored.tolist():
        assert found.negatives(*edge).tolist() == expected.negatives(*edge).tolist()


OUTSIDE = np.array([[0, 9]])


@pytest.mark.parametrize(
    "build_outside",
    [
        lambda inside: upstream_contest(inside, OUTSIDE, NODES),
        lambda inside: upstream_contest(OUTSIDE, inside, NODES),
        lambda inside: strict_contest(inside, inside, OUTSIDE, NODES),
        lambda inside: strict_contest(inside, OUTSIDE, inside, NODES),
        lambda inside: strict_contest(OUTSIDE, inside, inside, NODES),
        lambda inside: all_edges_contest(OUTSIDE, inside, NODES),
        lambda inside: all_edges_contest(inside, OUTSIDE, NODES),
    ],
)
def test_an_edge_out_of_the_network_is_refused(build_outside):
    with pytest.raises(InputError, match=r"found node ids 0 to 9 .* expected 0 to 8"):
        build_outside(np.array([[0, 1]]))


STAR = [(0, node) for node in range(1, 9)]
CLIQUE = [(a, b) for a in range(5) for b in range(a)]
RING = [(node, (node + 1) % 9) for node in range(9)]


@pytest.mark.parametrize(
    ("edges", "empty"),
    [
        (STAR, ["upstream's protocol", "strict protocol"]),
        (CLIQUE, ["strict protocol"]),
        ([(node, node + 1) for node in range(0, 9, 2)], ["upstream's protocol"]),
        (RING + STAR, []),
    ],
    ids=["star", "clique", "pairs", "wheel"],
)
def test_a_protocol_without_an_edge_is_known_before_training(edges, empty):
    network = TextualNetwork([""] * (np.max(edges) + 1), np.array(edges))
    lines = nothing_to_score(network.split(0.5, "strict"))
    assert len(lines) == len(empty)
    for line, title in zip(lines, empty, strict=True):
        assert line.startswith(f"nothing to score in {title}: found none of ")
        assert "expected a test edge" in line
