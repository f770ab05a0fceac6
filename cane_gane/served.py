"""A SavedModel of this package, with numpy in and out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import tensorflow as tf

from cane_gane.evaluation.matching import Match
from cane_gane.splits import Edges

Floats = npt.NDArray[np.float32]

BATCH = 8192


class Served:
    """A loaded SavedModel."""

    def __init__(self, path: Path) -> None:
        """Loads the SavedModel."""
        self._loaded = tf.saved_model.load(str(path))
        self._signatures = self._loaded.signatures

    def score_nodes(self, pairs: Edges) -> Floats:
        """Scores pairs of nodes, `[pairs, 2]`, by the model's own score, `[pairs]`."""
        return self._on_pairs("score_nodes", ("source", "target"), "score", pairs)

    def embed_nodes(self, pairs: Edges) -> Floats:
        """Embeds the first node of each pair in the context of the second."""
        return self._on_pairs("embed_nodes", ("nodes", "contexts"), "embedding", pairs)

    def match(self, sources: Sequence[str], targets: Sequence[str]) -> list[Match]:
        """Matches the words of pairs of texts."""
        given = {"source": tf.constant(sources), "target": tf.constant(targets)}
        found = self._signatures["plan"](**given)
        attention = found.get("attention")
        return [
            Match.cut(
                _decoded(found["source_words"][i]),
                _decoded(found["target_words"][i]),
                found["plan"][i].numpy(),
                None if attention is None else attention[i].numpy(),
            )
            for i in range(len(sources))
        ]

    def _on_pairs(
        self, signature: str, names: tuple[str, str], output: str, pairs: Edges
    ) -> Floats:
        parts = [np.zeros(0, np.float32)] if not len(pairs) else []
        for start in range(0, len(pairs), BATCH):
            part = tf.constant(pairs[start : start + BATCH], tf.int64)
            given = {names[0]: part[:, 0], names[1]: part[:, 1]}
            parts.append(self._signatures[signature](**given)[output].numpy())
        return np.concatenate(parts)


def _decoded(words: tf.Tensor) -> list[str]:
    return [word.decode() for word in words.numpy().tolist() if word]


def average_vectors(
    served: Served, train: Edges, node_count: int, *, lonely: bool = False
) -> Floats:
    """Averages each node's embeddings over its training edges.

    z_u = 1/d_u sum_v z_{u|v}, the neighbours v in both directions.

    Args:
        served: The model.
        train: Training edges, `[train, 2]`.
        node_count: The number of nodes.
        lonely: Whether a node without a training edge has a vector too, in the
            context of its own text.

    Returns:
        Structure, then text, `[nodes, 2d]`; NaN for a node without a vector.
    """
    pairs = np.concatenate([train, train[:, ::-1]])
    if lonely:
        alone = np.setdiff1d(np.arange(node_count), train)
        pairs = np.concatenate([pairs, np.stack([alone, alone], axis=1)])
    vectors = served.embed_nodes(pairs)
    sums = np.zeros((node_count, vectors.shape[1]))
    np.add.at(sums, pairs[:, 0], vectors)
    degrees = np.bincount(pairs[:, 0], minlength=node_count)[:, None]
    with np.errstate(invalid="ignore"):
        means: Floats = (sums / degrees).astype(np.float32)
    return means
