"""Vectors of nodes as a SavedModel: for methods that leave nothing but a table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cane_gane.data.splits import Split
from cane_gane.evaluation.fitted import VectorFitted
from cane_gane.files import new_folder


class VectorTable(VectorFitted):
    """A table of vectors, scored by inner products, that can be saved."""

    def save(self, path: Path) -> None:
        """Writes a SavedModel with the signatures score_nodes, embed_nodes, vectors."""
        import tensorflow as tf

        ids = tf.TensorSpec([None], tf.int64)
        module = tf.Module()
        module.filled = tf.Variable(self._filled, trainable=False)
        module.missing = tf.Variable(self.missing, trainable=False)

        def score_nodes(source: Any, target: Any) -> dict[str, Any]:
            left, right = (tf.gather(module.filled, side) for side in (source, target))
            return {"score": tf.reduce_sum(left * right, -1)}

        def embed_nodes(nodes: Any) -> dict[str, Any]:
            return {"embedding": tf.gather(module.filled, nodes)}

        def vectors() -> dict[str, Any]:
            return {"vectors": module.filled.value(), "missing": module.missing.value()}

        signatures = {
            "score_nodes": tf.function(score_nodes, input_signature=[ids, ids]),
            "embed_nodes": tf.function(embed_nodes, input_signature=[ids]),
            "vectors": tf.function(vectors, input_signature=[]),
        }
        with new_folder(path) as draft:
            tf.saved_model.save(module, str(draft), signatures)

    @classmethod
    def open(cls, path: Path, split: Split, settings: Any) -> VectorTable:
        """Reads back what `save` wrote."""
        from cane_gane.serving.client import load_signatures

        found = load_signatures(path)["vectors"]()
        vectors = found["vectors"].numpy()
        vectors[found["missing"].numpy()] = float("nan")
        return cls(vectors)
