"""Evidence of a large network inside a TensorFlow graph: products of sparse rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import tensorflow as tf
from scipy import sparse

from cane_gane.evidence.additive import Additive
from cane_gane.evidence.quantities import (
    COLUMNS,
    LARGE_FEATURES,
    PRODUCTS,
    SCALE,
    SPARSE,
    VISITS,
    WALKS,
)
from cane_gane.serving.additive import parts_of
from cane_gane.serving.sparse import SparseRows, dot, dot_all

_IDS = tf.TensorSpec([None], tf.int64)


class MatrixEvidence(tf.Module):
    """Computes the same as `LargeEvidence`, from the same matrices."""

    def __init__(self, matrices: Mapping[str, Any], functions: Additive) -> None:
        """Takes the matrices of the nodes, and the functions of features."""
        super().__init__()
        self._functions = functions
        self._count = len(matrices[SCALE])
        self._rows = {name: SparseRows(matrices[name]) for name in SPARSE}
        targets = dict.fromkeys(pair.right for pair in PRODUCTS.values())
        self._columns = {
            name: SparseRows(sparse.csr_array(matrices[name]).T) for name in targets
        }
        self._numbers = {
            name: tf.Variable(np.asarray(matrices[name], np.float32), trainable=False)
            for name in (WALKS, SCALE, "neighbours", *COLUMNS)
        }
        # As separate functions, they are in a graph only once.
        self.of_pairs = tf.function(
            self._of_pairs, input_signature=[_IDS, _IDS], autograph=False
        )
        self.rows = tf.function(self._of_rows, input_signature=[_IDS], autograph=False)

    def _of_pairs(self, source: tf.Tensor, target: tf.Tensor) -> tf.Tensor:
        """Returns what each feature adds for pairs of nodes, `[batch, features]`."""
        rows, numbers = self._rows, self._numbers
        found: dict[str, Any] = {
            name: dot(rows[pair.left], rows[pair.right], source, target)
            for name, pair in PRODUCTS.items()
        }
        found[VISITS] = rows[VISITS].at(source, target)
        found["chances"] = found[VISITS] / tf.gather(numbers["neighbours"], target)
        found[WALKS] = tf.reduce_sum(
            tf.gather(numbers[WALKS], source) * tf.gather(numbers[WALKS], target), -1
        )
        found["source_scale"] = tf.gather(numbers[SCALE], source)
        found["target_scale"] = tf.gather(numbers[SCALE], target)
        found |= {name: tf.gather(numbers[name], target) for name in COLUMNS}
        return self._parts(found)

    def _of_rows(self, nodes: tf.Tensor) -> tf.Tensor:
        """Returns the total evidence of nodes with all nodes, `[batch, nodes]`."""
        spec = tf.TensorSpec([self._count], tf.float32)
        return tf.map_fn(
            self._of_row, nodes, parallel_iterations=2, fn_output_signature=spec
        )

    def _of_row(self, source: tf.Tensor) -> tf.Tensor:
        rows, numbers, count = self._rows, self._numbers, self._count
        found: dict[str, Any] = {
            name: dot_all(rows[pair.left], self._columns[pair.right], source, count)
            for name, pair in PRODUCTS.items()
        }
        own = rows[VISITS].entries(source[None])
        found[VISITS] = tf.scatter_nd(own.columns[:, None], own.values, [count])
        found["chances"] = found[VISITS] / numbers["neighbours"]
        found[WALKS] = tf.linalg.matvec(numbers[WALKS], numbers[WALKS][source])
        found["source_scale"] = numbers[SCALE][source]
        found["target_scale"] = tf.convert_to_tensor(numbers[SCALE])
        found |= {name: tf.convert_to_tensor(numbers[name]) for name in COLUMNS}
        return tf.reduce_sum(self._parts(found), -1)

    def _parts(self, quantities: Mapping[str, tf.Tensor]) -> tf.Tensor:
        names = self._functions.names
        features = [LARGE_FEATURES[name](tf.math, quantities) for name in names]
        return parts_of(self._functions, tf.stack(features, -1))
