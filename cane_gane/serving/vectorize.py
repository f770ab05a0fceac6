"""Turns text into word ids inside a TensorFlow graph, so that SavedModels take text."""

from __future__ import annotations

from pathlib import Path

import tensorflow as tf

from cane_gane.data.tokens import MAX_LENGTH, SEPARATORS, SINGLES


def split_words(texts: tf.Tensor) -> tf.RaggedTensor:
    """Splits UTF-8 strings into words like `CleanTokenizer.split`.

    Args:
        texts: Strings, `[batch]`.

    Returns:
        Words, `[batch, (words)]`.
    """
    spaced = tf.strings.regex_replace(texts, f"[{SEPARATORS}]+", " ")
    spaced = tf.strings.regex_replace(spaced, f"[{SINGLES}]", r" \0 ")
    return tf.strings.split(spaced)


class GraphTokenizer(tf.Module):
    """A fitted `CleanTokenizer` as TensorFlow operations and a lookup table."""

    def __init__(
        self, vocabulary: Path | str, max_length: int = MAX_LENGTH, unknown: int = 1
    ) -> None:
        """Reads the file that `CleanTokenizer.save` wrote.

        Args:
            vocabulary: The file; a SavedModel keeps it in `assets/`, in readable form.
            max_length: Words after this many are dropped.
            unknown: The id of words that are not in the file.
        """
        super().__init__()
        self._max_length = max_length
        part = tf.lookup.TextFileIndex
        words = tf.lookup.TextFileInitializer(
            str(vocabulary), tf.string, part.WHOLE_LINE, tf.int64, part.LINE_NUMBER
        )
        self._id_of = tf.lookup.StaticHashTable(words, default_value=unknown)

    def __call__(self, texts: tf.Tensor) -> tf.Tensor:
        """Turns UTF-8 strings, `[batch]`, into ids.

        Returns:
            Ids, `[batch, width]`, padded with 0 to the longest text of the batch.
        """
        words = self.split(texts)
        ids = tf.cast(self._id_of[words.values], tf.int32)
        return words.with_values(ids).to_tensor()

    def split(self, texts: tf.Tensor) -> tf.RaggedTensor:
        """Splits UTF-8 strings, `[batch]`, into the words that have ids."""
        return split_words(texts)[:, : self._max_length]
