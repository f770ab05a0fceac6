"""Protocols: upstream's counts on upstream's data, and who is a negative."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cane_gane.errors import InputError
from cane_gane.evaluation.protocols import make_protocols, without_neighbours
from cane_gane.splits import split_edges

RATIOS = ["0.15", "0.25", "0.35", "0.45", "0.55", "0.65", "0.75", "0.85", "0.95"]
NODES = 9
EDGES = st.lists(
    st.tuples(st.integers(0, NODES - 1), st.integers(0, NODES - 1)),
    min_size=1,
    max_size=20,
).map(np.array)


def build(train, test, node_count=NODES):
    train, test = np.array(train), np.array(test)
    return make_protocols(np.concatenate([train, test]), train, test, node_count)


@pytest.mark.parametrize("name", ["cora", "HepTh", "zhihu"])
@pytest.mark.parametrize("ratio", RATIOS)
def test_upstream_scores_as_many_edges_as_upstream(
    golden, published_edges, name, ratio
):
    edges = published_edges(name)
    split = split_edges(edges, float(ratio), "upstream", seed=1)
    protocols = make_protocols(edges, split.train, split.test, edges.max() + 100)
    facts = golden["split_python_random_seed_1"][name][ratio]
    assert protocols["upstream"].counts() == {
        "scored": facts["scored"],
        "edges": facts["scored"] + facts["skipped"],
        "self_loops": facts["scored_self_loops"],
        "reversed": facts["scored_reverse_in_train"],
    }


@given(EDGES, EDGES)
def test_upstream_negatives_are_what_its_loop_would_draw(train, test):
    protocol = build(train, test)["upstream"]
    embedded = set(train.ravel().tolist())
    drawable = [node for node in range(NODES) if node in test and node in embedded]
    for source, target in protocol.scored.tolist():
        expected = [node for node in drawable if node != target]
        assert protocol.negatives(source, target).tolist() == expected


def test_upstream_keeps_duplicates():
    protocol = build([[0, 1], [2, 3]], [[0, 2], [0, 2]])["upstream"]
    assert protocol.scored.tolist() == [[0, 2], [0, 2]]


def test_upstream_scores_nothing_where_there_is_no_negative():
    protocol = build([[0, 1]], [[1, 1]])["upstream"]
    assert protocol.counts()["scored"] == 0


@given(EDGES, EDGES)
def test_strict_negatives_are_the_other_nodes_that_are_no_neighbours(train, test):
    protocol = build(train, test)["strict"]
    edges = {frozenset(edge) for edge in [*train.tolist(), *test.tolist()]}
    for source, target in protocol.scored.tolist():
        expected = [
            node
            for node in range(NODES)
            if node != source and frozenset((source, node)) not in edges
        ]
        assert protocol.negatives(source, target).tolist() == expected


@given(EDGES, EDGES)
def test_strict_scores_each_edge_that_training_does_not_give_away(train, test):
    protocol = build(train, test)["strict"]
    known = {frozenset(edge) for edge in train.tolist()}
    hard = [e for e in map(tuple, test.tolist()) if frozenset(e) not in known]
    expected = [(a, b) for a, b in dict.fromkeys(hard) if a != b]
    lone = [e for e in expected if len(protocol.negatives(*e))]
    assert [tuple(edge) for edge in protocol.scored.tolist()] == lone


def test_strict_scores_nodes_without_a_training_edge():
    protocol = build([[0, 1]], [[2, 3]])["strict"]
    assert protocol.scored.tolist() == [[2, 3]]


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


def test_an_edge_out_of_the_network_is_refused():
    with pytest.raises(InputError, match=r"found node ids 0 to 9 .* expected 0 to 8"):
        build([[0, 1]], [[0, 9]])
