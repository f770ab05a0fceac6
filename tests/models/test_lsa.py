"""Where word vectors start: from the topics of the texts."""

import numpy as np
import pytest

from cane_gane.data.tokens import EncodedTexts
from cane_gane.models.start.lsa import lsa_vectors


def test_lsa_puts_words_of_one_topic_near_each_other():
    generator = np.random.default_rng(0)
    ids = np.where(
        np.arange(40)[:, None] < 20,
        generator.integers(2, 12, (40, 15)),
        generator.integers(12, 22, (40, 15)),
    ).astype(np.int32)
    texts = EncodedTexts.of(ids, np.full(40, 15))
    vectors = lsa_vectors(texts, 22, 4, seed=1)
    unit = vectors[2:] / np.linalg.norm(vectors[2:], axis=1, keepdims=True)
    cosine = unit @ unit.T
    assert cosine[:10, :10].mean() > 0.3 > -0.3 > cosine[:10, 10:].mean()
    assert np.abs(vectors[ids].mean(axis=(0, 1))).max() < 1e-5
    assert np.abs(vectors[:2]).max() < 1e-5  # padding and unknown words: neutral


def test_lsa_has_a_vector_for_every_word_of_a_tiny_network():
    texts = EncodedTexts.of(np.array([[2, 3], [3, 0]], np.int32), [2, 1])
    assert np.isfinite(lsa_vectors(texts, 4, 100, seed=1)).all()


@pytest.mark.parametrize("texts", [[[]] * 5, [[2, 3, 3]] * 5, [[2]]], ids=str)
def test_texts_that_are_empty_alike_or_alone_have_small_vectors(texts):
    """The unit vectors of an empty decomposition were scaled up without bound."""
    starts = np.cumsum([0, *map(len, texts)])
    words = np.array([word for text in texts for word in text], np.int32)
    vectors = lsa_vectors(EncodedTexts(words, starts, 3), 4, 3, seed=1)
    assert np.isfinite(vectors).all()
    assert np.abs(vectors).max() < 10
