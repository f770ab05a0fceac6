"""Counts of a network against counts made by hand, and against upstream's facts."""

import numpy as np
import pytest

from cane_gane.data.network import TextualNetwork
from cane_gane.data.statistics import format_report, inspect_network


def test_counts_edges(small_network):
    assert inspect_network(small_network)["edges"] == {
        "lines": 6,
        "unique_pairs": 3,
        "self_loops": 1,
        "duplicates": 1,
        "reversed_pairs": 1,
        "isolated_nodes": 1,
    }


def test_weights_are_shown_where_edges_have_some():
    network = TextualNetwork(["a"] * 3, np.array([[0, 1], [1, 2]]), weights=[0.5, 4])
    report = inspect_network(network)
    found = {"mean": 2.25, "minimum": 0.5, "maximum": 4.0}
    assert report["edges"]["weights"] == found
    assert "  weights             2.25  mean weight, 0.5 to 4" in format_report(
        "", report
    )


def test_counts_words(small_network):
    texts = inspect_network(small_network, max_length=2)["texts"]
    assert texts["words"] == {"mean": 1.7, "median": 2.0, "minimum": 0, "maximum": 3}
    assert (texts["empty"], texts["cut"], texts["vocabulary"]) == (1, 1, 7)


def test_histogram_counts_every_text_once(small_network):
    assert inspect_network(small_network)["texts"]["histogram"] == {"0-10": 6}


def test_histogram_bins_hold_the_lengths_their_names_say():
    texts = [" ".join("x" * n) for n in (0, 1, 20, 21, 40, 150)]
    network = TextualNetwork(texts, np.array([[0, 1]]))
    histogram = inspect_network(network)["texts"]["histogram"]
    assert {k: v for k, v in histogram.items() if v} == {
        "0-20": 3,
        "21-40": 2,
        "141-160": 1,
    }


def test_counts_labels_from_most_to_fewest(small_network):
    labels = inspect_network(small_network)["labels"]
    assert labels["task"] == "single-label"
    assert labels["nodes_without"] == 2
    assert list(labels["counts"].items()) == [("a", 2), ("b", 2)]


def test_several_labels_on_a_node_make_it_multi_label(small_network):
    network = TextualNetwork(
        small_network.texts, small_network.edges, [("a", "b"), *[()] * 5]
    )
    labels = inspect_network(network)["labels"]
    assert (labels["task"], labels["nodes_with_several"]) == ("multi-label", 1)


@pytest.mark.parametrize(
    ("name", "loops", "reversed_pairs", "isolated"),
    [("cora", 230, 213, 66), ("HepTh", 0, 16, 0)],
)
def test_agrees_with_what_is_known_of_upstreams_data(
    published, name, loops, reversed_pairs, isolated
):
    edges = inspect_network(published(name))["edges"]
    assert edges["self_loops"] == loops
    assert edges["reversed_pairs"] == reversed_pairs
    assert edges["isolated_nodes"] == isolated


def test_table_shows_no_character_that_a_terminal_obeys():
    network = TextualNetwork(["a", "b"], np.array([[0, 1]]), ["\x1b[31m", "x"])
    assert r"\x1b[31m" in format_report("small", inspect_network(network))


def test_table_shows_every_count(small_network):
    table = format_report("small", inspect_network(small_network))
    for line in (
        "nodes                    6  1 without an edge",
        "  self-loops             1",
        "vocabulary               7  words, tokenizer clean",
        "labels                   2  single-label; 2 nodes without one",
    ):
        assert line in table.splitlines()
