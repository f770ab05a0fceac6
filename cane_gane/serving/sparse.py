"""Sparse matrices inside a TensorFlow graph: rows, entries, and products of rows."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf
from scipy import sparse


class Entries(NamedTuple):
    """Entries of some rows of a matrix.

    Attributes:
        owners: The index of each entry's row among the given rows, `[entries]`.
        columns: Their columns, `[entries]`.
        values: Their values, `[entries]`.
    """

    owners: tf.Tensor
    columns: tf.Tensor
    values: tf.Tensor


class SparseRows(tf.Module):
    """A matrix by rows, `[rows, size]`, with columns ascending in each row."""

    def __init__(self, matrix: Any) -> None:
        """Takes the matrix, in any sparse format."""
        super().__init__()
        rows = sparse.csr_array(matrix, dtype=np.float32)
        rows.sort_indices()
        if not rows.nnz:  # look-ups need at least one entry
            shape = max(rows.shape[0], 1), max(rows.shape[1], 1)
            rows = sparse.csr_array(([0], ([0], [0])), shape, np.float32)
        self._steps = int(np.diff(rows.indptr).max()).bit_length()
        self._starts, self._columns, self._values = (
            tf.Variable(part, trainable=False)
            for part in (
                rows.indptr.astype(np.int64),
                rows.indices.astype(np.int32),
                rows.data,
            )
        )

    def lengths(self, rows: tf.Tensor) -> tf.Tensor:
        """Returns how many entries rows have, `[rows]`."""
        return tf.gather(self._starts, rows + 1) - tf.gather(self._starts, rows)

    def entries(self, rows: tf.Tensor, asked: tf.Tensor | None = None) -> Entries:
        """Returns the entries of rows, or only of the rows that `asked` marks."""
        lengths = self.lengths(rows)
        if asked is not None:
            lengths = tf.where(asked, lengths, 0)
        first = tf.gather(self._starts, rows)
        found = tf.ragged.range(first, first + lengths)
        columns = tf.cast(tf.gather(self._columns, found.values), tf.int64)
        values = tf.gather(self._values, found.values)
        return Entries(found.value_rowids(), columns, values)

    def at(self, rows: tf.Tensor, columns: tf.Tensor) -> tf.Tensor:
        """Returns single entries, 0 if missing, `[entries]`."""
        low = tf.gather(self._starts, rows)
        end = tf.gather(self._starts, rows + 1)
        columns = tf.cast(columns, tf.int32)
        last = tf.size(self._columns, tf.int64) - 1

        def halve(low: tf.Tensor, high: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
            middle = (low + high) // 2
            there = tf.gather(self._columns, tf.minimum(middle, last))
            below = (there < columns) & (low < high)
            return tf.where(below, middle + 1, low), tf.where(below, high, middle)

        place, _ = tf.while_loop(
            lambda *_: True, halve, (low, end), maximum_iterations=self._steps
        )
        inside = tf.minimum(place, last)
        known = (place < end) & (tf.gather(self._columns, inside) == columns)
        return tf.where(known, tf.gather(self._values, inside), 0.0)


def dot(
    left: SparseRows, right: SparseRows, sources: tf.Tensor, targets: tf.Tensor
) -> tf.Tensor:
    """Returns the products of rows of two matrices, pair by pair, `[pairs]`.

    The entries of the shorter row of a pair are looked up in the other row.
    """
    forward = left.lengths(sources) <= right.lengths(targets)
    return _gone_through(left, right, sources, targets, forward) + _gone_through(
        right, left, targets, sources, ~forward
    )


def _gone_through(
    own: SparseRows,
    other: SparseRows,
    rows: tf.Tensor,
    others: tf.Tensor,
    asked: tf.Tensor,
) -> tf.Tensor:
    found = own.entries(rows, asked)
    there = other.at(tf.gather(others, found.owners), found.columns)
    size = tf.size(rows, tf.int64)
    return tf.math.unsorted_segment_sum(found.values * there, found.owners, size)


def dot_all(
    left: SparseRows, columns: SparseRows, source: tf.Tensor, count: int
) -> tf.Tensor:
    """Returns the products of one row with all rows of another matrix, `[count]`.

    Args:
        left: The matrix of the row.
        columns: The other matrix, transposed.
        source: The row.
        count: How many rows the other matrix has.
    """
    own = left.entries(source[None])
    found = columns.entries(own.columns)
    values = found.values * tf.gather(own.values, found.owners)
    return tf.math.unsorted_segment_sum(values, found.columns, count)
