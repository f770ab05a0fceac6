"""Tables at the start: from the fitted edges alone, the same on any number of cores."""

import os
import subprocess
import sys

import numpy as np
import pytest

from cane_gane.data.network import TextualNetwork
from cane_gane.data.tokens import CleanTokenizer
from cane_gane.models.build import build_model
from cane_gane.models.pair_scorer import text_vectors
from cane_gane.models.settings import ModelSettings
from cane_gane.models.start import tables
from cane_gane.models.start.tables import start_tables
from cane_gane.models.start.walks import popularity, walk_vectors
from tests.conftest import ROOT


@pytest.fixture(scope="module")
def started(topics):
    """A network and a model that starts from every second of its edges."""
    network = TextualNetwork.read(topics)
    tokenizer = CleanTokenizer.fit(network)
    encoded, words = tokenizer.encode(network.texts), len(tokenizer.words)
    settings = ModelSettings.make(dimension=8, popularity=0.5)
    model = build_model(settings, "ot", words, network.node_count, seed=3)
    edges = network.edges[::2]
    start_tables(model, settings, network.texts, encoded, words, edges, seed=3)
    return network, encoded, model


def products(network, edges):
    walks = walk_vectors(network.texts, edges, 7, seed=3)
    popular = 0.5 * popularity(edges, network.node_count)
    return walks @ walks.T + np.outer(popular, popular)


def test_node_vectors_start_from_the_edges_that_are_fitted(started):
    network, _, model = started
    found = model.structure.numpy()
    expected = products(network, network.edges[::2])
    np.testing.assert_allclose(found @ found.T, expected, atol=1e-3)
    assert np.abs(found @ found.T - products(network, network.edges)).max() > 0.1


def test_node_vectors_are_turned_to_their_texts(started):
    _, encoded, model = started
    found, texts = model.structure.numpy(), text_vectors(model, encoded)
    assert (found * texts).sum() > 0.5 * np.linalg.norm(found) * np.linalg.norm(texts)


def test_a_large_network_starts_alike(started, monkeypatch):
    network, encoded, model = started
    settings = ModelSettings.make(dimension=8, popularity=0.5)
    monkeypatch.setattr(tables, "LARGE", 1)
    other = build_model(settings, "ot", model.word_count, network.node_count, seed=3)
    given = network.texts, encoded, model.word_count, network.edges[::2]
    start_tables(other, settings, *given, seed=3)
    for name in ("words", "structure"):
        one, two = (getattr(own, name).numpy() for own in (model, other))
        alike = np.corrcoef((one @ one.T).ravel(), (two @ two.T).ravel())
        assert alike[0, 1] > 0.9, name
    texts = text_vectors(other, encoded)
    assert (two * texts).sum() > 0.5 * np.linalg.norm(two) * np.linalg.norm(texts)
    again = build_model(settings, "ot", model.word_count, network.node_count, seed=3)
    start_tables(again, settings, *given, seed=3)
    np.testing.assert_array_equal(again.structure.numpy(), two)


def test_random_tables_are_left_alone(topics):
    network = TextualNetwork.read(topics)
    settings = ModelSettings.make(dimension=8, start="random", places="random")
    models = [
        build_model(settings, "ot", 40, network.node_count, seed=3) for _ in range(2)
    ]
    encoded = CleanTokenizer.fit(network).encode(network.texts)
    start_tables(models[0], settings, network.texts, encoded, 40, network.edges, 3)
    for one, other in zip(*(model.variables for model in models), strict=True):
        np.testing.assert_array_equal(one.numpy(), other.numpy())


SCRIPT = """
import hashlib
import numpy as np
from cane_gane.data.tokens import EncodedTexts
from cane_gane.models.start.lsa import lsa_vectors
from cane_gane.models.start.walks import turned_to_texts, walk_vectors
rng = np.random.default_rng(1)
ids = rng.integers(2, 900, (600, 30), np.int32)
texts = [" ".join(f"w{i}" for i in row) for row in ids]
edges = rng.integers(0, 600, (1500, 2))
words = lsa_vectors(EncodedTexts.of(ids, np.full(600, 30)), 900, 100, 1)
walks = walk_vectors(texts, edges, 99, 1)
turned = turned_to_texts(walks, walks[:, 0], rng.random((600, 100), np.float32))
for found in (words, walks, turned):
    print(hashlib.sha256(np.ascontiguousarray(found).tobytes()).hexdigest())
"""


@pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="there is one core only")
def test_vectors_are_the_same_bytes_with_any_number_of_threads():
    """Sums of matrix products depend on how many threads share them."""
    names = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
    printed = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT], cwd=ROOT, check=True, text=True,
            capture_output=True, env={**os.environ, **dict.fromkeys(names, threads)},
        ).stdout
        for threads in ("1", "2")
    }  # fmt: skip
    assert len(printed) == 1
    assert len(set(printed.pop().split())) == 3
