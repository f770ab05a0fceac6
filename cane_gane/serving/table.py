"""Vectors of nodes as a SavedModel, for methods whose result is only a table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from cane_gane.data.splits import Split
from cane_gane.evaluation.fitted import Floats, Integers, RowFitted, VectorFitted
from cane_gane.files import new_folder
from cane_gane.training.runtime import load_tensorflow


class VectorTable(VectorFitted):
    """A table of vectors, scored by inner products, that can be saved.

    With a form B, the score of u and v is x_u' B x_v, which need not be symmetric.
    """

    def __init__(self, vectors: npt.ArrayLike, form: Floats | None = None) -> None:
        """Takes the vectors, `[nodes, size]`, and optionally a form, `[size, size]`.

        Raises:
            InputError: A vector is infinite or NaN in part.
        """
        super().__init__(vectors)
        self._form, self._left = None, self._filled
        if form is not None:
            self._form = np.asarray(form, np.float64)
            self._left = self._filled @ self._form  # the table of sources

    @property
    def first_stage(self) -> RowFitted:
        """The table itself: its scores with all nodes are cheap."""
        return self

    def score_rows(self, sources: Integers) -> Floats:
        """Scores sources with all nodes, `[sources, nodes]`."""
        return self._left[sources] @ self._filled.T

    def save(self, path: Path) -> None:
        """Writes a SavedModel with the signatures score_nodes, embed_nodes, vectors.

        If there is a form, the signature `form` returns it.
        """
        load_tensorflow(by_pairs=False)  # quietly
        import tensorflow as tf

        ids = tf.TensorSpec([None], tf.int64)
        module = tf.Module()
        module.filled = tf.Variable(self._filled, trainable=False)
        module.missing = tf.Variable(self.missing, trainable=False)
        module.left = module.filled
        if self._form is not None:
            module.left = tf.Variable(self._left, trainable=False)
            module.form = tf.Variable(self._form, trainable=False)

        def score_nodes(source: Any, target: Any) -> dict[str, Any]:
            left, right = (
                tf.gather(module.left, source),
                tf.gather(module.filled, target),
            )
            return {"score": tf.reduce_sum(left * right, -1)}

        def embed_nodes(nodes: Any) -> dict[str, Any]:
            return {"embedding": tf.gather(module.filled, nodes)}

        def vectors() -> dict[str, Any]:
            return {"vectors": module.filled.value(), "missing": module.missing.value()}

        def form() -> dict[str, Any]:
            return {"form": module.form.value()}

        inputs = {score_nodes: [ids, ids], embed_nodes: [ids], vectors: []}
        if self._form is not None:
            inputs[form] = []
        signatures = {
            function.__name__: tf.function(function, kinds, autograph=False)
            for function, kinds in inputs.items()
        }
        with new_folder(path) as draft:
            tf.saved_model.save(module, str(draft), signatures)

    @classmethod
    def open(cls, path: Path, split: Split, settings: Any) -> VectorTable:
        """Reads what `save` wrote."""
        load_tensorflow(by_pairs=False)
        from cane_gane.serving.client import load_signatures

        signatures = load_signatures(path, "vectors")
        found = signatures["vectors"]()
        vectors = found["vectors"].numpy()
        vectors[found["missing"].numpy()] = float("nan")
        form = signatures["form"]()["form"].numpy() if "form" in signatures else None
        return cls(vectors, form)
