"""The trained model as a SavedModel: texts or node ids in, scores and vectors out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import keras
import numpy as np
import numpy.typing as npt
import tensorflow as tf

from cane_gane.chunks import in_chunks
from cane_gane.files import new_folder
from cane_gane.layers import WordAlignment
from cane_gane.models import PairModel
from cane_gane.tokens import EncodedTexts
from cane_gane.vectorize import GraphTokenizer, split_words

Outputs = dict[str, tf.Tensor]
Edges = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]


class Servable:
    """A trained model with its tokenizer and the texts of its nodes.

    Its methods are the signatures of the SavedModel that `export` writes. Batches
    of any size run in chunks of similar length, in bounded memory.
    """

    def __init__(
        self, model: PairModel, texts: EncodedTexts, vocabulary: Path, unknown: int
    ) -> None:
        """Takes what is served.

        Args:
            model: The trained model.
            texts: The encoded texts of its nodes.
            vocabulary: The vocabulary file, which goes into `assets/`.
            unknown: The id of words that are not in it.
        """
        self.model = model
        self._texts = tf.nest.map_structure(
            lambda ids: tf.Variable(ids, trainable=False),
            model.prepare_texts(tf.constant(texts.ids)),
        )
        self._count = len(texts.ids)
        self._width = texts.ids.shape[1]
        self._softmax = WordAlignment(return_plan=True)
        self._tokenizer = GraphTokenizer(vocabulary, self._width, unknown)

    def score(self, source: tf.Tensor, target: tf.Tensor) -> Outputs:
        """Scores pairs of texts, `[batch]`, by the text term alone."""

        def text_term(left: Any, right: Any, _: tf.Tensor) -> tf.Tensor:
            near, far = self.model.encode_prepared(left, right)
            return tf.reduce_sum(near * far, -1)

        texts = map(self.model.prepare_texts, map(self._ids, (source, target)))
        return {"score": self._chunked(text_term, *texts)}

    def score_nodes(self, source: tf.Tensor, target: tf.Tensor) -> Outputs:
        """Scores pairs of nodes, `[batch]`, by all four terms."""

        def all_terms(left: Any, right: Any, at: tf.Tensor) -> tf.Tensor:
            near, far = self.model.encode_prepared(left, right)
            places = (
                self.model.place(tf.gather(side, at)) for side in (source, target)
            )
            source_place, target_place = places
            terms = self.model.pair_terms(near, source_place, far, target_place)
            return tf.reduce_sum(terms, -1)

        return {"score": self._chunked(all_terms, self._of(source), self._of(target))}

    def embed(self, text: tf.Tensor, context: tf.Tensor) -> Outputs:
        """Embeds texts, each in the context of another, `[batch, d]`."""
        texts = map(self.model.prepare_texts, map(self._ids, (text, context)))
        return {"embedding": self._chunked(self._first, *texts)}

    def embed_nodes(self, nodes: tf.Tensor, contexts: tf.Tensor) -> Outputs:
        """Embeds nodes in others' context: structure, then text, `[batch, 2d]`."""
        text = self._chunked(self._first, self._of(nodes), self._of(contexts))
        return {"embedding": tf.concat([self.model.place(nodes), text], -1)}

    def plan(self, source: tf.Tensor, target: tf.Tensor) -> Outputs:
        """Matches the words of two texts: words, and a weight for each pair of them.

        `attention` is what WANE's softmax makes of the same word vectors, to compare.
        """
        left, right = self._ids(source), self._ids(target)
        shape = tf.stack([tf.shape(left)[1], tf.shape(right)[1]])

        def padded(match: Callable[[tf.Tensor, tf.Tensor], tf.Tensor]) -> tf.Tensor:
            def matched(left: tf.Tensor, right: tf.Tensor, _: tf.Tensor) -> tf.Tensor:
                plan = match(left, right)
                missing = shape - tf.shape(plan)[1:]
                return tf.pad(plan, [[0, 0], [0, missing[0]], [0, missing[1]]])

            return self._chunked(matched, left, right)

        return {
            "source_words": self._words(source),
            "target_words": self._words(target),
            "plan": padded(self.model.match),
            "attention": padded(self._attend),
        }

    def _attend(self, left: tf.Tensor, right: tf.Tensor) -> tf.Tensor:
        source_words, source_mask = self.model.look_up(left)
        target_words, target_mask = self.model.look_up(right)
        return self._softmax(
            source_words, target_words, source_mask=source_mask, target_mask=target_mask
        )[2]

    def pair_scorer(self) -> Callable[[Edges], Floats]:
        """Returns `score_nodes` on pairs `[pairs, 2]` in numpy, as the model is now."""
        ids = tf.TensorSpec([None], tf.int64)
        score = tf.function(self.score_nodes, input_signature=[ids, ids])

        def on_pairs(pairs: Edges) -> Floats:
            return score(pairs[:, 0], pairs[:, 1])["score"].numpy()

        return on_pairs

    def text_vectors(self, count: int) -> Floats:
        """Embeds the texts of the first nodes in their own context, `[<= count, d]`."""
        texts = self._of(tf.range(min(count, self._count)))
        return tf.function(self._chunked)(self._first, texts, texts).numpy()

    def export(self, path: Path) -> None:
        """Writes the SavedModel, with weights stored once, in place of an older one."""
        strings, ids = tf.TensorSpec([None], tf.string), tf.TensorSpec([None], tf.int64)
        archive = keras.export.ExportArchive()
        archive.track(self._tokenizer)
        pairs = {
            "score": (strings, ("source", "target")),
            "score_nodes": (ids, ("source", "target")),
            "embed": (strings, ("text", "context")),
            "embed_nodes": (ids, ("nodes", "contexts")),
            "plan": (strings, ("source", "target")),
        }
        for name, (kind, arguments) in pairs.items():
            signature = [tf.TensorSpec(kind.shape, kind.dtype, a) for a in arguments]
            archive.add_endpoint(name, getattr(self, name), signature)
        with new_folder(path) as draft:
            archive.write_out(str(draft), verbose=False)

    def _first(self, left: Any, right: Any, _: tf.Tensor) -> tf.Tensor:
        return self.model.encode_prepared(left, right)[0]

    def _chunked(
        self,
        function: Callable[[Any, Any, tf.Tensor], tf.Tensor],
        left: Any,
        right: Any,
    ) -> tf.Tensor:
        return in_chunks(
            lambda *chunk: (function(*chunk),), left, right, trim=self.model.trims
        )[0]

    def _of(self, nodes: tf.Tensor) -> Any:
        return tf.nest.map_structure(lambda x: tf.gather(x, nodes), self._texts)

    def _ids(self, texts: tf.Tensor) -> tf.Tensor:
        ids, _ = self._tokenizer(texts)
        missing = 0 if self.model.trims else self._width - tf.shape(ids)[1]
        return tf.pad(ids, [[0, 0], [0, missing]])

    def _words(self, texts: tf.Tensor) -> tf.Tensor:
        return split_words(texts)[:, : self._width].to_tensor()
