"""DMTE: its derivatives against TensorFlow's, its powers, and what it places."""

import numpy as np
import pytest
import tensorflow as tf
from scipy import sparse

from cane_gane.data.graph import adjacency, random_step
from cane_gane.data.network import TextualNetwork
from cane_gane.data.splits import Split
from cane_gane.methods.cene import word_shares
from cane_gane.methods.dmte import (
    DiffusedTexts,
    DmteSettings,
    diffusion_vectors,
    loss_gradients,
)
from cane_gane.methods.pair_loss import small_table

TEXTS = ["red fox den", "fox den red", "blue sea", "sea sand blue", "den red fox", ""]
EDGES = np.array([[0, 1], [2, 3], [1, 2]])
SETTINGS = DmteSettings(dimension=8)


def parts(power="matrix"):
    rng = np.random.default_rng(1)
    step = random_step(adjacency(EDGES, 6))
    settings = DmteSettings(dimension=8, power=power)
    return DiffusedTexts(word_shares(TEXTS), step, settings, rng), rng


def test_derivatives_are_those_of_tensorflow():
    texts, rng = parts()
    structure = small_table(6, 4, 0.5, rng)
    sources, targets = rng.integers(6, size=(2, 12))
    marks = (np.arange(12) < 6).astype(np.float32)
    tables = {name: tf.Variable(own) for name, own in texts.tables.items()}
    tables["structure"] = tf.Variable(structure)
    shares = tf.constant(word_shares(TEXTS).toarray())
    first, second = (tf.constant(step.toarray()) for step in texts.steps)
    with tf.GradientTape() as tape:
        inner = tf.tanh(shares @ tables["words"])
        text = inner @ tables["map0"] + first @ inner @ tables["map1"]
        text += second @ inner @ tables["map2"]
        own = tables["structure"]
        diffused = own + first @ own + second @ own
        loss = sum(
            weight * tf.reduce_sum(tf.nn.sigmoid_cross_entropy_with_logits(
                marks, tf.reduce_sum(tf.gather(a, sources) * tf.gather(b, targets), 1)))
            for weight, a, b in ((0.7, text, text), (1.0, diffused, own),
                                 (0.1, diffused, text), (0.1, text, own))
        )  # fmt: skip
    expected = tape.gradient(loss, tables)
    text, inner = texts.vectors()
    pairs = (sources, targets, marks)
    by_text, by_own, by_diffused = loss_gradients(
        text, structure, texts.diffused(structure), pairs
    )
    found = dict(texts.gradients(by_text, inner))
    found["structure"] = by_own + texts.diffused_back(by_diffused)
    for name, gradient in found.items():
        theirs = tf.convert_to_tensor(expected[name])
        np.testing.assert_allclose(gradient, theirs, atol=2e-5, err_msg=name)


@pytest.mark.parametrize("power", ["matrix", "elementwise"])
def test_the_second_power_is_of_the_matrix_or_of_its_elements(power):
    step = random_step(adjacency(EDGES, 6)).toarray()
    expected = step @ step if power == "matrix" else step**2
    texts, _ = parts(power)
    np.testing.assert_allclose(texts.steps[1].toarray(), 0.1 * expected, rtol=1e-6)
    assert sparse.issparse(texts.steps[1])


def test_a_node_without_an_edge_is_placed_by_its_text():
    split = Split(TextualNetwork(TEXTS, EDGES[:2]), EDGES[:2], EDGES[:0])
    vectors = diffusion_vectors(split, SETTINGS, seed=1)
    assert not vectors[4, :4].any()
    assert np.isnan(vectors[5]).all()  # neither an edge nor a word
    scores = vectors[4, 4:] @ vectors[:4, 4:].T
    assert scores[:2].min() > scores[2:].max()


def test_it_depends_on_the_seed_alone():
    split = Split(TextualNetwork(TEXTS, EDGES), EDGES, EDGES[:0])
    first, again, other = (diffusion_vectors(split, SETTINGS, s) for s in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert (first[:5] != other[:5]).any()
