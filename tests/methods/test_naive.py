"""The naive combination: half of a vector is DeepWalk's, the other the text's."""

import itertools

import numpy as np
import pytest
from sklearn.preprocessing import normalize

from cane_gane.data.network import TextualNetwork
from cane_gane.data.splits import Split
from cane_gane.methods.registry import find_method
from cane_gane.methods.skip_gram import WalkSettings, walk_vectors

ANIMALS = ["fox", "den", "cub", "wolf", "paw"]
WATERS = ["sea", "sand", "wave", "tide", "gull"]


@pytest.fixture(scope="module")
def split():
    """Texts on two topics, edges inside each, and two nodes without an edge."""
    rng = np.random.default_rng(1)
    topics = [*[ANIMALS] * 10, *[WATERS] * 10, ANIMALS]
    texts = [" ".join(rng.choice(words, 6)) for words in topics]
    pairs = itertools.combinations(range(20), 2)
    same = [(a, b) for a, b in pairs if a // 10 == b // 10 and (a + b) % 3 == 0]
    edges = np.array(same)
    return Split(TextualNetwork([*texts, ""], edges), edges, edges[:0])


@pytest.fixture(scope="module")
def vectors(split):
    method = find_method("naive")
    settings = method.settings.make(dimension=16, epochs=20, batch_size=8)
    method.start(settings, "cpu")
    return method.fit(split, settings, 1, None).vectors


def test_the_first_half_is_deepwalks(split, vectors):
    walks = walk_vectors(split.train, 22, WalkSettings(dimension=8), seed=1)
    seen = np.unique(split.train)
    np.testing.assert_allclose(vectors[seen, :8], normalize(walks[seen]), rtol=1e-5)


def test_texts_on_a_topic_are_near(vectors):
    near = vectors[:20, 8:] @ vectors[:20, 8:].T
    assert near[:10, :10].mean() > near[:10, 10:].mean() + 0.2
    np.testing.assert_allclose(np.diag(near), 1, rtol=1e-5)


def test_a_node_without_an_edge_has_a_text_alone(vectors):
    assert not vectors[20, :8].any()
    text = vectors[20, 8:]
    assert (vectors[:10, 8:] @ text).mean() > (vectors[10:20, 8:] @ text).mean()
    assert np.isnan(vectors[21]).all()  # neither an edge nor a word
