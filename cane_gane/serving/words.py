"""Words that two texts share, inside a TensorFlow graph: TF-IDF of raw text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from cane_gane.evidence.additive import Additive
from cane_gane.serving.additive import parts_of
from cane_gane.serving.vectorize import split_words

SHORTEST, LONGEST = 5, 8  # lengths of a prefix by which an unknown word is matched


class Bags(NamedTuple):
    """Texts as weighted words.

    Attributes:
        keys: Row times the number of words, plus the word, ascending, `[entries]`.
        weights: TF-IDF of each entry; the weights of a row have length 1.
        idf: IDF of each entry.
    """

    keys: tf.Tensor
    weights: tf.Tensor
    idf: tf.Tensor


class WordEvidence(tf.Module):
    """The evidence of the words of two texts for an edge between them.

    It is a sum of functions of `WORD_FEATURES`, cosine and shared words. A word that is
    not in the network, such as an inflected or misspelt one, counts as the most common
    word that shares its longest known prefix.
    """

    def __init__(self, vocabulary: Path, idf: Any, functions: Additive) -> None:
        """Takes the words and their weights.

        Args:
            vocabulary: A file with one word per line; a SavedModel keeps it in
                `assets/`.
            idf: The IDF of each word, `[words]`.
            functions: The functions of `WORD_FEATURES`.
        """
        super().__init__()
        part = tf.lookup.TextFileIndex
        lines = tf.lookup.TextFileInitializer(
            str(vocabulary), tf.string, part.WHOLE_LINE, tf.int64, part.LINE_NUMBER
        )
        self._id_of = tf.lookup.StaticHashTable(lines, default_value=-1)
        words = vocabulary.read_text("utf-8").split("\n")[:-1]
        begun = _beginnings(words, idf)
        begins = tf.lookup.KeyValueTensorInitializer(
            list(begun), list(begun.values()), tf.string, tf.int64
        )
        self._begun_by = tf.lookup.StaticHashTable(begins, default_value=-1)
        self._idf = tf.Variable(np.asarray(idf, np.float32), trainable=False)
        self._count = len(idf)
        self._functions = functions

    def __call__(self, source: tf.Tensor, target: tf.Tensor) -> tf.Tensor:
        """Scores pairs of texts, UTF-8 strings `[batch]`, to `[batch]`."""
        left, right = self._bags(source), self._bags(target)
        # An extra entry keeps look-ups in range.
        known = tf.concat([left.keys, [tf.int64.max]], 0)
        weights = tf.concat([left.weights, [0.0]], 0)
        place = tf.searchsorted(known, right.keys)
        shared = tf.cast(tf.gather(known, place) == right.keys, tf.float32)
        rows, size = right.keys // self._count, tf.size(source, tf.int64)
        cosine = shared * tf.gather(weights, place) * right.weights
        found = [
            tf.math.unsorted_segment_sum(entries, rows, size)
            for entries in (cosine, shared * tf.square(right.idf))
        ]
        features = tf.stack([found[0], tf.math.log1p(found[1])], -1)
        return tf.reduce_sum(parts_of(self._functions, features), -1)

    def _bags(self, texts: tf.Tensor) -> Bags:
        words = split_words(tf.strings.lower(texts, "utf-8"))
        ids = self._ids(words.values)
        rows = words.value_rowids()
        known = ids >= 0
        ids, rows = tf.boolean_mask(ids, known), tf.boolean_mask(rows, known)
        sorted_keys = tf.sort(rows * self._count + ids)
        keys, _, counts = tf.unique_with_counts(sorted_keys)
        idf = tf.gather(self._idf, keys % self._count)
        weights = idf * (1 + tf.math.log(tf.cast(counts, tf.float32)))
        rows, size = keys // self._count, tf.size(texts, tf.int64)
        lengths = tf.math.unsorted_segment_sum(tf.square(weights), rows, size)
        return Bags(keys, weights * tf.math.rsqrt(tf.gather(lengths, rows)), idf)

    def _ids(self, words: tf.Tensor) -> tf.Tensor:
        """Returns the indices of words, `[words]`; -1 if no word shares a prefix."""
        ids = self._id_of[words]
        missing = tf.where(ids < 0)
        unknown = tf.gather_nd(words, missing)
        found = tf.gather_nd(ids, missing)
        for length in range(SHORTEST, LONGEST + 1):
            beginnings = tf.strings.substr(unknown, 0, length, "UTF8_CHAR")
            begun = self._begun_by[beginnings]
            found = tf.where(begun < 0, found, begun)
        return tf.tensor_scatter_nd_update(ids, missing, found)


def _beginnings(words: Sequence[str], idf: Any) -> dict[str, int]:
    """Returns the index of the most common word with each prefix; -1 for none."""
    found = {"": -1}  # a lookup table cannot be empty
    for place in np.argsort(idf, kind="stable").tolist():
        word = words[place]
        for length in range(SHORTEST, min(len(word), LONGEST) + 1):
            found.setdefault(word[:length], place)
    return found
