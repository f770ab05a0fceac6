"""Splits: upstream's to the byte, and the properties of the others."""

import hashlib
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cane_gane.data.network import TextualNetwork
from cane_gane.data.splits import RULES, Split, read_split, split_edges
from cane_gane.errors import InputError

RATIOS = ["0.15", "0.25", "0.35", "0.45", "0.55", "0.65", "0.75", "0.85", "0.95"]
EDGES = st.lists(
    st.tuples(st.integers(0, 12), st.integers(0, 12)), min_size=8, max_size=80
)


def network_of(edges):
    """A network without texts that has these edges."""
    return TextualNetwork([""] * (np.max(edges) + 1), np.array(edges))


def pairs_of(edges):
    return {frozenset(edge) for edge in edges.tolist()}


@pytest.mark.parametrize("name", ["cora", "HepTh", "zhihu"])
@pytest.mark.parametrize("ratio", RATIOS)
def test_upstream_files_are_upstreams_to_the_byte(
    golden, published_edges, tmp_path, name, ratio
):
    network_of(published_edges(name)).split(float(ratio)).write(tmp_path)
    facts = golden["split_python_random_seed_1"][name][ratio]
    for file, key in (("graph.txt", "train_sha256"), ("test_graph.txt", "test_sha256")):
        digest = hashlib.sha256((tmp_path / file).read_bytes()).hexdigest()
        assert digest == facts[key], file


@given(EDGES.filter(lambda edges: len(edges) > 2), st.integers(0, 5))
def test_upstream_agrees_with_a_plain_loop_when_lines_repeat(edges, seed):
    lines = [f"{a}\t{b}" for a, b in edges * 20]
    count = len(lines) // 2 - len(lines) // 2 % 64
    chosen = random.Random(seed).sample(lines, count)
    rest = [line for line in lines if line not in chosen]
    if not chosen or not rest:
        return
    train, test = split_edges(np.array(edges * 20), 0.5, "upstream", seed)
    assert [f"{a}\t{b}" for a, b in train] == chosen
    assert [f"{a}\t{b}" for a, b in test] == rest


def try_split(edges, ratio, rule):
    try:
        return network_of(edges).split(ratio, rule)
    except InputError:
        return None  # one side would be empty


@pytest.mark.parametrize("rule", ["strict", "cover"])
@given(EDGES, st.floats(0.05, 0.95))
def test_no_pair_is_on_both_sides(rule, edges, ratio):
    if split := try_split(edges, ratio, rule):
        assert not pairs_of(split.train) & pairs_of(split.test)


@pytest.mark.parametrize("rule", ["strict", "cover"])
@given(EDGES, st.floats(0.05, 0.95))
def test_every_distinct_edge_but_self_loops_is_on_one_side(rule, edges, ratio):
    if split := try_split(edges, ratio, rule):
        both = sorted(map(tuple, np.concatenate([split.train, split.test]).tolist()))
        assert both == sorted({(a, b) for a, b in edges if a != b})
        assert split.left_out == len(edges) - len(both)


@pytest.mark.parametrize("rule", ["strict", "cover"])
@given(EDGES, st.floats(0.05, 0.95))
def test_the_ratio_is_that_of_pairs(rule, edges, ratio):
    if split := try_split(edges, ratio, rule):
        total = len(pairs_of(split.train)) + len(pairs_of(split.test))
        assert len(pairs_of(split.train)) == int(total * ratio)


@given(EDGES, st.floats(0.05, 0.95))
def test_unseen_are_the_nodes_with_test_edges_only(edges, ratio):
    if split := try_split(edges, ratio, "strict"):
        seen = set(split.train.ravel().tolist())
        assert set(split.unseen.tolist()) == set(split.test.ravel().tolist()) - seen


def test_cover_keeps_every_node_where_the_ratio_allows(published_edges):
    split = network_of(published_edges("cora")).split(0.55, "cover")
    assert not len(split.unseen)


def test_cover_needs_no_more_pairs_than_a_star_has():
    star = np.array([[0, leaf] for leaf in range(1, 30)] + [[1, 2], [3, 4], [5, 6]])
    # 29 leaves: three pairs of leaves, 23 single leaves, and one for the centre.
    split = network_of(star).split(27 / 32, "cover")
    assert not len(split.unseen)


def test_cover_says_which_nodes_it_could_not_keep(published_edges):
    network = network_of(published_edges("cora"))
    split, strict = (network.split(0.15, rule) for rule in ("cover", "strict"))
    assert 0 < len(split.unseen) < len(strict.unseen)


@pytest.mark.parametrize("rule", RULES)
def test_the_seed_decides(published_edges, rule):
    edges = published_edges("HepTh")
    first, again, other = (
        split_edges(edges, 0.5, rule, seed)[0].tolist() for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other


@pytest.mark.parametrize("ratio", [0, 1, -1, float("nan")])
def test_a_ratio_outside_is_refused(ratio):
    with pytest.raises(InputError, match=r"found ratio .*; expected a number between"):
        split_edges(np.array([[0, 1], [1, 2]]), ratio)


@pytest.mark.parametrize("rule", RULES)
def test_a_negative_seed_is_refused(rule):
    with pytest.raises(InputError, match="found seed -1; expected 0 or more"):
        split_edges(np.array([[0, 1], [1, 2]]), 0.5, rule, seed=-1)


def test_an_unknown_rule_is_refused():
    with pytest.raises(
        InputError, match="found split rule 'x'; expected one of strict"
    ):
        split_edges(np.array([[0, 1], [1, 2]]), 0.5, "x")


def test_a_network_too_small_for_the_ratio_is_refused():
    with pytest.raises(InputError, match="into 0 for training and 2 for test"):
        split_edges(np.array([[0, 1], [1, 2]]), 0.4)


@pytest.mark.parametrize(
    ("edges", "rule", "advice"),
    [
        ([[0, 1], [1, 2]], "upstream", "another ratio, or the rule 'strict'$"),
        ([[0, 1], [1, 2]], "strict", "choose another ratio$"),
        ([[0, 0], [1, 1]], "strict", "has 0 pairs of joined nodes, and needs two$"),
        ([[0, 1], [1, 0]], "upstream", "has 1 pairs of joined nodes, and needs two$"),
    ],
)
def test_a_refused_split_is_advised_what_would_help(edges, rule, advice):
    with pytest.raises(InputError, match=advice):
        split_edges(np.array(edges), 0.4, rule)


def test_what_is_written_is_read_back(tmp_path):
    network = network_of(np.random.default_rng(0).integers(30, size=(90, 2)))
    split = network.split(0.5, "strict", seed=2)
    split.write(tmp_path)
    again = read_split(tmp_path, network)
    assert again.train.tolist() == split.train.tolist()
    assert again.test.tolist() == split.test.tolist()
    assert again.left_out == split.left_out
    assert again.unseen.tolist() == split.unseen.tolist()


def test_a_split_of_another_network_is_refused(tmp_path):
    edges = np.array([[0, 1], [1, 2], [2, 3], [3, 4]])
    network_of(edges).split(0.5, "strict").write(tmp_path)
    with pytest.raises(InputError, match=r"1 edges that the data set lacks, .* 2 3"):
        read_split(tmp_path, network_of(edges[[0, 1, 3]]))


def test_a_split_without_test_edges_is_read_back(tmp_path):
    network = network_of([[0, 1], [1, 2]])
    Split(network, network.edges, network.edges[:0]).write(tmp_path)
    again = read_split(tmp_path, network)
    assert again.train.tolist() == network.edges.tolist()
    assert again.test.shape == (0, 2)


def test_a_split_without_its_second_file_is_refused(tmp_path):
    network = network_of([[0, 1], [1, 2]])
    (tmp_path / "graph.txt").write_text("0 1\n")
    with pytest.raises(InputError, match=r"test_graph\.txt: found no such file"):
        read_split(tmp_path, network)
