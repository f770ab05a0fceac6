"""HeaRT's negatives beside a plain version of them, and what is never among them."""

import networkx as nx
import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from cane_gane.data.network import TextualNetwork
from cane_gane.data.splits import Split
from cane_gane.evaluation import hard
from cane_gane.evaluation.hard import hard_contest
from cane_gane.evaluation.protocols import PROTOCOLS

NODES = 40
WORDS = ["graph", "edge", "node", "path", "rank", "norm", "cell", "gene", "dna", "ion"]


@pytest.fixture(scope="module")
def split():
    """A connected random network with texts, loops and edges in both directions."""
    rng = np.random.default_rng(3)
    texts = [" ".join(rng.choice(WORDS, 3)) for _ in range(NODES)]
    ring = np.stack([np.arange(NODES), np.roll(np.arange(NODES), 1)], axis=1)
    edges = np.concatenate([ring, rng.integers(NODES, size=(60, 2)), ring[:5, ::-1]])
    train = np.concatenate([ring, edges[NODES : NODES + 20]])
    return Split(TextualNetwork(texts, edges), train, edges[NODES + 20 :])


def mean_rank(values, allowed):
    """Ranks from 1, the best first, ties at the mean of their ranks."""
    return {
        node: 1
        + sum(values[other] > values[node] for other in allowed)
        + (sum(values[other] == values[node] for other in allowed) - 1) / 2
        for node in allowed
    }


def nearest_by_loops(split, node, count):
    """HeaRT with networkx and scikit-learn, for a node."""
    graph = nx.Graph()
    graph.add_nodes_from(range(NODES))
    graph.add_edges_from((u, v) for u, v in split.train.tolist() if u != v)
    known = {frozenset(edge) for edge in split.network.edges.tolist()}
    allowed = [
        other
        for other in range(NODES)
        if other != node and frozenset((node, other)) not in known
    ]
    allocation = nx.resource_allocation_index(graph, [(node, v) for v in allowed])
    ranked = nx.pagerank(graph, 0.85, {node: 1}, max_iter=1000, tol=1e-12)
    vectors = TfidfVectorizer(sublinear_tf=True, min_df=2).fit_transform(
        split.network.texts
    )
    cosine = (vectors @ vectors[[node]].T).toarray().ravel()
    ranks = [
        mean_rank(values, allowed)
        for values in (
            {v: round(p, 9) for _, v, p in allocation},
            {v: round(p, 9) for v, p in ranked.items()},
            cosine.round(9),
        )
    ]
    means = {v: sum(own[v] for own in ranks) / 3 for v in allowed}
    return sorted(allowed, key=lambda v: (round(means[v], 6), v))[:count]


def test_negatives_are_those_of_a_plain_version(split):
    strict = PROTOCOLS["strict"].contest(split)
    contest = hard_contest(strict.scored, split, ends=7)
    assert contest.scored.tolist() == strict.scored.tolist()
    for (source, target), row in zip(contest.scored, contest.negatives, strict=True):
        sides = row.reshape(2, 7, 2)
        assert (sides[0, :, 0] == source).all()
        assert (sides[1, :, 1] == target).all()
        assert sides[0, :, 1].tolist() == nearest_by_loops(split, source, 7)
        assert sides[1, :, 0].tolist() == nearest_by_loops(split, target, 7)


def test_no_negative_is_an_edge_or_a_node_with_itself(split):
    contest = PROTOCOLS["hard"].contest(split)
    known = {frozenset(edge) for edge in split.network.edges.tolist()}
    pairs = contest.negatives[contest.filled].tolist()
    assert pairs
    for source, target in pairs:
        assert source != target
        assert frozenset((source, target)) not in known


def test_an_edge_of_the_split_that_the_network_lacks_is_no_negative(split):
    network = TextualNetwork(split.network.texts, split.train)
    contest = hard_contest(split.test, Split(network, split.train, split.test))
    known = {frozenset(edge) for edge in split.test.tolist()}
    pairs = contest.negatives[contest.filled].tolist()
    assert not known & set(map(frozenset, pairs))


def test_an_end_has_all_its_negatives_where_there_are_few(split):
    contest = PROTOCOLS["hard"].contest(split)
    strict = PROTOCOLS["strict"].contest(split)
    assert contest.negatives.shape[1:] == (500, 2)
    for (source, target), row in zip(contest.scored, contest.negatives, strict=True):
        for end, own in ((source, row[:250, 1]), (target, row[250:, 0])):
            left = own[own >= 0]
            assert sorted(left) == strict.candidates(end).tolist()
            assert (own[len(left) :] == -1).all()
    assert ((contest.negatives < 0).all(2) == (contest.negatives < 0).any(2)).all()


def test_no_test_edge_is_looked_at_but_to_leave_it_out(split):
    """The likeness of nodes is that of the training edges alone."""
    strict = PROTOCOLS["strict"].contest(split).scored
    whole = hard_contest(strict, split, ends=5)
    test = np.concatenate([split.test, [[2, 30]]])
    edges = np.concatenate([split.network.edges, [[2, 30]]])
    network = TextualNetwork(split.network.texts, edges)
    more = hard_contest(strict, Split(network, split.train, test), ends=5)
    far = ~np.isin(strict, [2, 30]).any(axis=1)
    assert far.any()
    assert more.negatives[far].tolist() == whole.negatives[far].tolist()


def test_of_many_edges_some_are_drawn_by_chance(split, monkeypatch):
    monkeypatch.setattr(hard, "EDGES", 5)
    strict = PROTOCOLS["strict"].contest(split).scored
    first, again, other = (hard_contest(strict, split, seed) for seed in (1, 1, 3))
    assert first.counts() == {"scored": 5, "edges": len(split.test)}
    assert first.scored.tolist() == again.scored.tolist() != other.scored.tolist()
    assert set(map(tuple, first.scored)) <= set(map(tuple, strict))


def test_blocks_do_not_change_the_negatives(split, monkeypatch):
    whole = PROTOCOLS["hard"].contest(split)
    monkeypatch.setattr(hard, "_BLOCK", 3)
    assert (PROTOCOLS["hard"].contest(split).negatives == whole.negatives).all()


def test_of_a_large_network_fewer_edges_are_scored(split, monkeypatch):
    strict = PROTOCOLS["strict"].contest(split).scored
    whole = hard_contest(strict, split)
    monkeypatch.setattr(hard, "MOST_CELLS", 6 * NODES)
    monkeypatch.setattr(hard, "FEWEST", 5)
    monkeypatch.setattr(hard, "_CELLS", 3 * NODES)
    some = hard_contest(strict, split)
    places = [whole.scored.tolist().index(edge) for edge in some.scored.tolist()]
    assert some.counts() == {"scored": 6, "edges": len(split.test)}
    assert (some.negatives == whole.negatives[places]).all()
    monkeypatch.setattr(hard, "FEWEST", 8)
    assert len(hard_contest(strict, split).scored) == 8


@pytest.mark.parametrize("texts", [[""] * NODES, ["word"] * NODES])
def test_texts_that_tell_nothing_leave_the_edges(split, texts):
    network = TextualNetwork(texts, split.network.edges)
    contest = PROTOCOLS["hard"].contest(Split(network, split.train, split.test))
    assert contest.filled.any(axis=1).all()
