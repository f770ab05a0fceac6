"""Features of two nodes, beside networkx, scikit-learn and dense matrices."""

import networkx as nx
import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from cane_gane.data.network import TextualNetwork
from cane_gane.data.splits import Split
from cane_gane.evidence import likeness, walks
from cane_gane.evidence.features import FEATURES, Evidence
from cane_gane.evidence.likeness import Texts
from tests.evidence.networks import NODES, evidence_of, topics

NAMES = tuple(FEATURES)


@pytest.fixture(scope="module")
def split():
    return topics()


@pytest.fixture(scope="module")
def evidence(split):
    return evidence_of(split)


@pytest.fixture(scope="module")
def features(evidence):
    """Every feature of all pairs, by name."""
    rows = evidence.rows(np.arange(NODES), NAMES)
    return dict(zip(NAMES, np.moveaxis(rows, -1, 0), strict=True))


@pytest.fixture(scope="module")
def graph(split):
    graph = nx.Graph()
    graph.add_nodes_from(range(NODES))
    graph.add_edges_from((u, v) for u, v in split.train.tolist() if u != v)
    return graph


def unit(vectors):
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)


def dense(split, longest):
    """The texts' TF-IDF vectors, words of a single text included."""
    weigh = TfidfVectorizer(sublinear_tf=True, ngram_range=(1, longest))
    return weigh.fit_transform(split.network.texts).toarray()


def dense_letters(split):
    weigh = TfidfVectorizer(
        analyzer="char_wb", ngram_range=(4, 5), sublinear_tf=True, min_df=2
    )
    return weigh.fit_transform(split.network.texts).toarray()


def test_features_of_texts_are_cosines(split, features, graph):
    mean = unit(nx.to_numpy_array(graph))  # of the neighbours, up to a factor
    words, pairs, letters = dense(split, 1), dense(split, 2), dense_letters(split)
    near = unit(mean @ pairs)
    hops = [unit(own + unit(mean @ own)) for own in (words, pairs, letters)]
    for name, left, right in (
        ("words", words, words),
        ("word_pairs", pairs, pairs),
        ("words_one_hop", hops[0], hops[0]),
        ("pairs_one_hop", hops[1], hops[1]),
        ("letters", letters, letters),
        ("letters_one_hop", hops[2], hops[2]),
        ("neighbours", near, near),
    ):
        np.testing.assert_allclose(features[name], left @ right.T, atol=1e-5)
    across = pairs @ near.T + near @ pairs.T
    np.testing.assert_allclose(features["across"], across, atol=1e-5)


def test_features_of_edges_are_networkxs(split, features, graph):
    pairs = [(u, v) for u in range(NODES) for v in range(NODES) if u != v]
    for u, v, value in nx.adamic_adar_index(graph, pairs):
        assert features["adamic_adar"][u, v] == pytest.approx(np.log1p(value), rel=1e-5)
    degrees = np.array([graph.degree[node] for node in range(NODES)])
    ends = [v for u, v in split.train.tolist() if u != v]
    popularity = [np.log1p(ends.count(node)) for node in range(NODES)]
    begins = [u for u, v in split.train.tolist() if u != v]
    out_degree = [np.log1p(begins.count(node)) for node in range(NODES)]
    for name, column in (
        ("popularity", popularity),
        ("out_degree", out_degree),
        ("degree", np.log1p(degrees)),
        ("seen", degrees > 0),
    ):
        expected = np.broadcast_to(column, (NODES, NODES))
        np.testing.assert_allclose(features[name], expected, rtol=1e-6)
    assert not features["seen"].all()


def test_some_sources_have_the_rows_of_all(evidence, features):
    some = evidence.rows(np.array([70, 3]), NAMES)
    whole = np.stack(list(features.values()), axis=-1)
    np.testing.assert_allclose(some, whole[[70, 3]], rtol=1e-5, atol=1e-6)


def test_shared_words_weigh_by_the_square_of_their_idf(split, features):
    weigh = TfidfVectorizer(min_df=2).fit(split.network.texts)
    idf = dict(zip(weigh.get_feature_names_out(), weigh.idf_, strict=True))
    texts = [set(text.split()) for text in split.network.texts]
    for u, v in ((0, 3), (1, 7), (2, 4)):
        total = sum(idf.get(word, 0) ** 2 for word in texts[u] & texts[v])
        assert features["shared_words"][u, v] == pytest.approx(np.log1p(total), 1e-5)


def test_edges_of_the_nodes_most_alike_count(evidence, features, split):
    edges = {(u, v) for u, v in split.train.tolist() if u != v}
    alike = evidence.alike[0].toarray()
    for u, v in ((0, 3), (5, 8), (10, 40)):
        theirs = sum(alike[u, w] for w in range(NODES) if (w, v) in edges)
        assert features["similar_sources"][u, v] == pytest.approx(
            np.log(theirs + 1e-3), abs=1e-5
        )
        mine = sum(alike[v, w] for w in range(NODES) if {(u, w), (w, u)} & edges)
        assert features["similar_targets"][u, v] == pytest.approx(
            np.log(mine + 1e-3), abs=1e-5
        )


@pytest.mark.parametrize("name", NAMES)
def test_a_large_network_has_the_features_of_a_small_one(
    split, features, monkeypatch, name
):
    for module in (likeness, walks):
        monkeypatch.setattr(module, "WHOLE", 10)
    found = evidence_of(split).rows(np.arange(NODES), [name])[..., 0]
    np.testing.assert_allclose(found, features[name], rtol=1e-3, atol=1e-3)


def test_no_other_edge_is_looked_at(split, features):
    fewer = split.train[:40]
    found = Evidence(Texts(split.network.texts), fewer, NODES)
    network = TextualNetwork(split.network.texts, fewer)
    alone = evidence_of(Split(network, fewer, fewer[:0]))
    for left, right in zip(
        found.features(np.arange(9), NAMES), alone.features(np.arange(9), NAMES),
        strict=True,
    ):  # fmt: skip
        np.testing.assert_array_equal(left, right)
