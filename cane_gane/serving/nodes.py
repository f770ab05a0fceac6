"""The names and neighbours of nodes, inside a TensorFlow graph."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import tensorflow as tf

from cane_gane.data.graph import Edges, neighbours_and_itself
from cane_gane.files import write_atomically


class KnownNodes(tf.Module):
    """The names of nodes, from an asset, and their training neighbours."""

    def __init__(self, names: Sequence[str], train: Edges, file: Path) -> None:
        """Takes the names and the training edges.

        Args:
            names: The name of each node.
            train: Training edges, `[train, 2]`.
            file: The file for the names, one per line; a SavedModel keeps it in
                `assets/`.
        """
        super().__init__()
        write_atomically(file, "".join(f"{name}\n" for name in names).encode())
        part = tf.lookup.TextFileIndex
        lines = tf.lookup.TextFileInitializer(
            str(file), tf.int64, part.LINE_NUMBER, tf.string, part.WHOLE_LINE
        )
        self._name_of = tf.lookup.StaticHashTable(lines, default_value="")
        closed = neighbours_and_itself(train, len(names))
        self._starts = tf.Variable(closed.indptr.astype(np.int64), trainable=False)
        self._others = tf.Variable(closed.indices.astype(np.int64), trainable=False)

    def names(self, nodes: tf.Tensor) -> tf.Tensor:
        """Returns the names of nodes, of any shape; empty for an id without a node."""
        return self._name_of[nodes]

    def without_neighbours(self, rows: tf.Tensor, nodes: tf.Tensor) -> tf.Tensor:
        """Returns scores of nodes with all; -inf for neighbours and the node itself.

        Args:
            rows: The scores, `[batch, nodes]`.
            nodes: The nodes, `[batch]`.
        """
        lists = tf.RaggedTensor.from_row_splits(
            tf.convert_to_tensor(self._others),
            tf.convert_to_tensor(self._starts),
            validate=False,
        )
        own = tf.gather(lists, nodes)
        places = tf.stack([own.value_rowids(), own.values], -1)
        closed = tf.fill([tf.shape(places)[0]], -np.inf)
        return tf.tensor_scatter_nd_update(rows, places, tf.cast(closed, rows.dtype))
