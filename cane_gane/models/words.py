"""Words that training leaves out, and where word vectors start from."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import tensorflow as tf

from cane_gane.tokens import EncodedTexts

# How long the mean of a text's words is at the start, on average.
_TEXT_NORM = 2.0


def leave_words_out(ids: tf.Tensor, rate: float, seed: tf.Tensor) -> tf.Tensor:
    """Leaves words out at random; a text that would lose all keeps all.

    Args:
        ids: Word ids, `[batch, n]`, 0 for padding after the last word.
        rate: The share to leave out.
        seed: Two integers that the choice hangs on.

    Returns:
        Word ids of what is left, closed up, no wider than the longest text.
    """
    real = ids > 0
    kept = real & (tf.random.stateless_uniform(tf.shape(ids), seed) >= rate)
    kept = tf.where(tf.reduce_any(kept, 1, keepdims=True), kept, real)
    return tf.ragged.boolean_mask(ids, kept).to_tensor()


def repeat_texts(texts: tf.Tensor, count: tf.Tensor) -> tf.Tensor:
    """Repeats each text `count` times, `[b, n, ...]` to `[b * count, n, ...]`."""
    shape = tf.shape(texts)
    wide = tf.concat([shape[:1], [count], shape[1:]], 0)
    # not tf.repeat: its derivative transposes integers, of which oneDNN complains
    repeated = tf.reshape(
        tf.broadcast_to(texts[:, None], wide), tf.concat([[-1], shape[1:]], 0)
    )
    return tf.ensure_shape(repeated, [None, *texts.shape[1:]])


def flat_texts(texts: tf.Tensor) -> tf.Tensor:
    """Lays the texts of negatives out as a batch, `[b, K, n]` to `[b * K, n]`."""
    return tf.reshape(texts, [-1, tf.shape(texts)[2]])


def lsa_vectors(
    texts: EncodedTexts, word_count: int, dimension: int, seed: int
) -> npt.NDArray[np.float32]:
    """Latent semantic analysis of the texts themselves: no edge is looked at.

    Args:
        texts: All texts.
        word_count: Rows of the word table.
        dimension: Columns of the word table.
        seed: What the randomised decomposition hangs on.

    Returns:
        Word vectors, `[word_count, dimension]`; the means of the texts have mean 0.
    """
    from scipy import sparse
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfTransformer

    real = np.arange(texts.ids.shape[1]) < texts.lengths[:, None]
    rows = np.repeat(np.arange(len(texts.ids)), texts.lengths)
    counts = sparse.csr_matrix(
        (np.ones(len(rows)), (rows, texts.ids[real])), (len(texts.ids), word_count)
    )
    transformer = TfidfTransformer(sublinear_tf=True).fit(counts)
    weighted = transformer.transform(counts)
    rank = min(dimension, min(weighted.shape) - 1)
    svd = TruncatedSVD(rank, random_state=seed).fit(weighted)
    vectors = np.zeros((word_count, dimension), np.float32)
    # The mean of a text's words is then its LSA vector, up to its length.
    vectors[:, :rank] = svd.components_.T * transformer.idf_[:, None]
    means = np.asarray(counts @ vectors) / np.maximum(texts.lengths[:, None], 1)
    scale = _TEXT_NORM / max(float(np.linalg.norm(means, axis=1).mean()), 1e-12)
    # What all texts have in common tells no pair from another.
    used = np.asarray(counts.sum(axis=0)).ravel() > 0
    vectors[used] -= means.mean(axis=0)
    return vectors * scale
