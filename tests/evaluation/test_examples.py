"""Examples of a report: what is put together, and the map."""

import numpy as np

from cane_gane.data.network import TextualNetwork
from cane_gane.data.splits import Split
from cane_gane.evaluation.examples import (
    begin_map,
    find_examples,
    node_map,
    with_names,
)
from cane_gane.evaluation.fitted import VectorFitted
from cane_gane.evaluation.results import NodeMap
from cane_gane.progress import Stopwatch
from tests.evaluation.stub import NETWORK, unasked


def test_the_map_keeps_clusters_together_and_skips_nodes_without_a_vector():
    rng = np.random.default_rng(0)
    centres = 10 * np.eye(3)
    vectors = np.repeat(centres, 20, axis=0) + rng.normal(0, 0.1, (60, 3))
    vectors[7] = np.nan
    labels = [(str(node // 20),) for node in range(60)]
    chart = node_map(vectors, labels, seed=1)
    assert chart.nodes == [node for node in range(60) if node != 7]
    places = np.stack([chart.x, chart.y], 1)
    own = np.array(chart.labels)
    distances = np.linalg.norm(places[:, None] - places, axis=2)
    np.fill_diagonal(distances, np.inf)
    assert (own[distances.argmin(1)] == own).all()


def test_the_map_comes_out_the_same_again():
    vectors = np.random.default_rng(0).normal(size=(30, 5))
    first, again = (node_map(vectors, None, 1) for _ in range(2))
    assert first == again
    assert first.labels is None


def test_a_few_nodes_have_no_map():
    assert node_map(np.ones((4, 2)), None, 1) is None


def test_a_map_has_the_names_the_degrees_and_the_first_words_of_its_nodes():
    texts = ["red  fox\n" + "word " * 100, "語" * 100, "", "sea"]
    edges = np.array([[0, 1], [2, 1], [1, 3]])
    network = TextualNetwork(texts, edges, names=["a", "b", "c", "d"])
    chart = with_names(NodeMap([0, 1, 3], [0.0] * 3, [0.0] * 3, None), network)
    assert chart.names == ["a", "b", "d"]
    assert chart.degrees == [1, 3, 1]
    first, second, third = chart.texts
    assert first.startswith("red fox word word")
    assert first.endswith("word …")
    assert second == "語" * 53 + " …"  # of three bytes each
    assert third == "sea"
    assert max(len(own.encode()) for own in chart.texts) <= 164


def test_a_method_that_reads_no_text_has_missing_edges_without_words():
    split = Split(NETWORK, NETWORK.edges[:1], NETWORK.edges[1:])
    vectors = np.array([[1.0, 0.0], [0.5, 0.0], [0.0, 3.0], [2.0, 1.0]])
    clock = Stopwatch()
    chart = begin_map(vectors, split.network, 1)
    found = find_examples(VectorFitted(vectors), split, chart, clock, unasked)
    assert found.matched == []
    assert found.map is None  # four nodes are too few
    edges = [(edge.source, edge.target, edge.score) for edge in found.missing_edges]
    assert edges == [(2, 3, 3.0), (0, 3, 2.0), (0, 2, 0.0)]  # 3 is in two of them
    assert [edge.source for edge in found.all_missing] == [2, 0, 1, 0]
    assert [edge.words for edge in found.missing_edges] == [[]] * 3
    assert set(clock.seconds) == {"find missing edges", "draw the map (t-SNE)"}


def test_vectors_that_are_all_alike_have_no_map():
    """Such as those of a network without texts; t-SNE itself would crash on them."""
    assert node_map(np.ones((80, 3)), None, 1) is None
    assert node_map(np.zeros((80, 3)), None, 1) is None
