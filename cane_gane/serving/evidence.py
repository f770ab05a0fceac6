"""Evidence next to a model's own score, inside a TensorFlow graph."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

from cane_gane.evidence.fit import FittedEvidence
from cane_gane.files import write_atomically
from cane_gane.serving.matrices import MatrixEvidence
from cane_gane.serving.words import WordEvidence

OWN_WEIGHT = 0.1  # of the model's own score, in units of its spread over random pairs


class TableEvidence(tf.Module):
    """Evidence of a small network: a table of all pairs."""

    def __init__(self, table: Any) -> None:
        """Takes the table, `[nodes, nodes]`."""
        super().__init__()
        self._table = tf.Variable(np.asarray(table, np.float32), trainable=False)

    def of_pairs(self, source: tf.Tensor, target: tf.Tensor) -> tf.Tensor:
        """Returns the total evidence of pairs of nodes, `[batch, 1]`."""
        return tf.gather_nd(self._table, tf.stack([source, target], -1))[:, None]

    def rows(self, nodes: tf.Tensor) -> tf.Tensor:
        """Returns the evidence of nodes with all nodes, `[batch, nodes]`."""
        return tf.gather(self._table, nodes)


class ServedEvidence(tf.Module):
    """Adds evidence to a model's own score.

    score(u, v) = evidence(u, v) + w model(u, v), where w is such that the second part
    has a spread of `OWN_WEIGHT` over random pairs.

    Attributes:
        words: The evidence of texts outside the network.
        weights: The functions of the evidence, as JSON values.
    """

    def __init__(
        self,
        fitted: FittedEvidence,
        vocabulary: Path,
        weights: Mapping[str, Any] | None = None,
    ) -> None:
        """Takes the evidence.

        Args:
            fitted: The evidence.
            vocabulary: The file for the words that it uses.
            weights: The functions of the evidence; by default `fitted.weights()`.
        """
        super().__init__()
        self.weights = weights or fitted.weights()
        content = "".join(f"{word}\n" for word in fitted.words)
        write_atomically(vocabulary, content.encode())
        self._nodes: TableEvidence | MatrixEvidence
        if fitted.matrices is None:
            self._nodes = TableEvidence(fitted.table)
        else:
            self._nodes = MatrixEvidence(fitted.matrices, fitted.functions)
        self.words = WordEvidence(vocabulary, fitted.idf, fitted.text_functions)
        self._own = tf.Variable(1.0, trainable=False)

    def weigh(self, spread: float) -> None:
        """Sets the weight of the model's own score.

        Args:
            spread: The standard deviation of that score over random pairs.
        """
        self._own.assign(OWN_WEIGHT / max(spread, 1e-6))

    @property
    def weight(self) -> tf.Tensor:
        """The weight of the model's own score."""
        return tf.convert_to_tensor(self._own)

    def of_nodes(self, source: tf.Tensor, target: tf.Tensor) -> tf.Tensor:
        """Returns the evidence of pairs of nodes, `[batch]`."""
        return tf.reduce_sum(self._nodes.of_pairs(source, target), -1)

    def parts(self, source: tf.Tensor, target: tf.Tensor) -> tf.Tensor:
        """Returns the parts of the evidence, `[batch, parts]`; a table has one part."""
        return self._nodes.of_pairs(source, target)

    def rows(self, nodes: tf.Tensor) -> tf.Tensor:
        """Returns the evidence of nodes with all nodes, `[batch, nodes]`."""
        return self._nodes.rows(nodes)
