"""Texts of nodes in a TensorFlow graph: stored end to end, padded when read."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import tensorflow as tf

from cane_gane.data.tokens import EncodedTexts


class NodeTexts(NamedTuple):
    """A list of numbers for each node, such as its word ids.

    Attributes:
        values: The lists, one after another, and a 0 for padding.
        starts: Where each list begins, and the end of the last one, `[nodes + 1]`.
    """

    values: Any
    starts: Any

    @classmethod
    def of(cls, texts: EncodedTexts) -> NodeTexts:
        """Takes the word ids of texts."""
        return cls.laid_out(texts.words, texts.starts)

    @classmethod
    def laid_out(
        cls, values: npt.NDArray[np.integer], starts: npt.NDArray[np.int64]
    ) -> NodeTexts:
        """Takes lists end to end, and where each begins."""
        return cls(tf.constant(np.append(values, 0), tf.int32), tf.constant(starts))

    def rows(self, nodes: tf.Tensor, width: int | None = None) -> tf.Tensor:
        """Returns the lists of nodes, padded with 0.

        Args:
            nodes: Nodes, of any shape.
            width: The width of the rows; by default that of the longest.

        Returns:
            The lists, `[..., width]`, at least one column wide.
        """
        values, starts = map(tf.convert_to_tensor, (self.values, self.starts))
        first = tf.gather(starts, nodes)[..., None]
        last = tf.gather(starts, nodes + 1)[..., None]
        if width is None:
            columns = tf.range(tf.maximum(tf.reduce_max(last - first), 1))
        else:
            columns = tf.range(tf.constant(width, starts.dtype))
        places = first + columns
        padding = tf.size(values, starts.dtype) - 1
        return tf.gather(values, tf.where(places < last, places, padding))
