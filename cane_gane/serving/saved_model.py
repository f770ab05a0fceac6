"""The trained model as a SavedModel: texts or node ids in, scores and vectors out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from cane_gane.data.tokens import EncodedTexts
from cane_gane.files import new_folder
from cane_gane.layers import WordAlignment
from cane_gane.models.chunks import in_chunks
from cane_gane.models.pair_scorer import PairScorer
from cane_gane.serving.evidence import ServedEvidence
from cane_gane.serving.vectorize import GraphTokenizer

Outputs = dict[str, tf.Tensor]

PAIRS = 2048  # over which the spread of a score is measured

# The signatures: the type and the names of their inputs, `[batch]` each.
_INPUTS: Mapping[str, tuple[tf.DType, tuple[str, ...]]] = {
    "score": (tf.string, ("source", "target")),
    "score_nodes": (tf.int64, ("source", "target")),
    "evidence": (tf.int64, ("nodes",)),
    "embed": (tf.string, ("text", "context")),
    "embed_nodes": (tf.int64, ("nodes", "contexts")),
    "plan": (tf.string, ("source", "target")),
}


class Servable:
    """A trained model with its tokenizer and the texts of its nodes.

    Its methods are the signatures of the SavedModel that `export` writes. Batches
    of any size run in chunks of similar length, in bounded memory.
    """

    def __init__(
        self,
        model: PairScorer,
        texts: EncodedTexts,
        vocabulary: Path,
        unknown: int,
        max_length: int,
        evidence: ServedEvidence | None = None,
    ) -> None:
        """Takes what is served.

        Args:
            model: The trained model.
            texts: The encoded texts of its nodes.
            vocabulary: The vocabulary file, which goes into `assets/`.
            unknown: The id of words that are not in it.
            max_length: Later words of a raw text are cut off. A model that attends to
                padding cuts and pads to the width of `texts` instead.
            evidence: What is added to the model's own score, if anything.
        """
        self.model = model
        self._texts = tf.nest.map_structure(
            lambda ids: tf.Variable(ids, trainable=False),
            model.prepare_texts(tf.constant(texts.ids)),
        )
        self._count, self._width = texts.ids.shape
        self._softmax = WordAlignment(return_plan=True)
        longest = max_length if model.trims else self._width
        self._tokenizer = GraphTokenizer(vocabulary, longest, unknown)
        self._evidence = evidence
        self._measured = tf.function(self._all_terms)
        self._signatures = {
            name: tf.function(
                getattr(self, name),
                input_signature=[tf.TensorSpec([None], kind, name=a) for a in inputs],
            )
            for name, (kind, inputs) in _INPUTS.items()
            if evidence or name != "evidence"
        }

    def score(self, source: tf.Tensor, target: tf.Tensor) -> Outputs:
        """Scores pairs of texts, `[batch]`, by the text term and shared words."""

        def text_term(left: Any, right: Any, _: tf.Tensor) -> tf.Tensor:
            near, far = self.model.encode_prepared(left, right)
            return self.model.text_term(near, far)

        texts = map(self.model.prepare_texts, map(self._ids, (source, target)))
        score = self._chunked(text_term, *texts)
        if self._evidence:
            score = self._evidence.of_texts(score, source, target)
        return {"score": score}

    def score_nodes(self, source: tf.Tensor, target: tf.Tensor) -> Outputs:
        """Scores pairs of nodes, `[batch]`, by all four terms and all evidence."""
        source, target = self._known(source), self._known(target)
        score = self._all_terms(source, target)
        if self._evidence:
            score = self._evidence.of_nodes(score, source, target)
        return {"score": score}

    def _all_terms(self, source: tf.Tensor, target: tf.Tensor) -> tf.Tensor:
        """Scores pairs of nodes by the model alone."""

        def all_terms(left: Any, right: Any, at: tf.Tensor) -> tf.Tensor:
            near, far = self.model.encode_prepared(left, right)
            left, right = (
                self.model.structure_of(tf.gather(side, at))
                for side in (source, target)
            )
            return tf.reduce_sum(self.model.pair_terms(near, left, far, right), -1)

        return self._chunked(all_terms, self._of(source), self._of(target))

    def weigh_evidence(self, seed: int) -> None:
        """Weighs the model's own score, as it is now, against the evidence.

        Args:
            seed: What the pairs depend on over which its spread is measured.
        """
        if self._evidence:
            drawn = np.random.default_rng(seed).integers(self._count, size=(2, PAIRS))
            scores = self._measured(*map(tf.constant, drawn)).numpy()
            self._evidence.weigh(float(scores.std()))

    def evidence(self, nodes: tf.Tensor) -> Outputs:
        """Returns the evidence of nodes with all nodes, `[batch, nodes]`."""
        assert self._evidence is not None
        return {"evidence": self._evidence.rows(self._known(nodes))}

    def embed(self, text: tf.Tensor, context: tf.Tensor) -> Outputs:
        """Embeds texts, each in the context of another, `[batch, d]`."""
        texts = map(self.model.prepare_texts, map(self._ids, (text, context)))
        return {"embedding": self._chunked(self._first, *texts)}

    def embed_nodes(self, nodes: tf.Tensor, contexts: tf.Tensor) -> Outputs:
        """Embeds nodes in others' context: structure, then text, `[batch, 2d]`."""
        nodes, contexts = self._known(nodes), self._known(contexts)
        text = self._chunked(self._first, self._of(nodes), self._of(contexts))
        return {"embedding": tf.concat([self.model.structure_of(nodes), text], -1)}

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
            "source_words": self._tokenizer.split(source).to_tensor(),
            "target_words": self._tokenizer.split(target).to_tensor(),
            "plan": padded(self.model.match),
            "attention": padded(self._attend),
        }

    def signatures(self) -> dict[str, tf.types.experimental.GenericFunction]:
        """Returns the signatures as functions of tensors by name.

        They take and give what those of the loaded SavedModel do, with the values
        that the model has when they are called.
        """
        return dict(self._signatures)

    def export(self, path: Path) -> None:
        """Writes the SavedModel, with weights stored once, in place of an older one."""
        archive = keras.export.ExportArchive()
        archive.track(self._tokenizer)
        if self._evidence:
            archive.track(self._evidence.words)
        for name, function in self._signatures.items():
            function.get_concrete_function()
            archive.add_endpoint(name, function)
        with new_folder(path) as draft:
            archive.write_out(str(draft), verbose=False)

    def _attend(self, left: tf.Tensor, right: tf.Tensor) -> tf.Tensor:
        source, source_mask = self.model.look_up(left)
        target, target_mask = self.model.look_up(right)
        masks = {"source_mask": source_mask, "target_mask": target_mask}
        return self._softmax(source, target, **masks)[2]

    def _first(self, left: Any, right: Any, _: tf.Tensor) -> tf.Tensor:
        return self.model.encode_prepared(left, right)[0]

    def _chunked(
        self, function: Callable[..., tf.Tensor], left: Any, right: Any
    ) -> tf.Tensor:
        def single(*chunk: Any) -> tuple[tf.Tensor]:
            return (function(*chunk),)

        return in_chunks(single, left, right, trim=self.model.trims)[0]

    def _known(self, nodes: tf.Tensor) -> tf.Tensor:
        """Node ids, once they are known to be ids of nodes."""
        strange = tf.boolean_mask(nodes, (nodes < 0) | (nodes >= self._count))
        message = f"node id out of range: expected 0 to {self._count - 1}; found"
        check = tf.debugging.Assert(tf.equal(tf.size(strange), 0), [message, strange])
        with tf.control_dependencies([check]):
            return tf.identity(nodes)

    def _of(self, nodes: tf.Tensor) -> Any:
        return tf.nest.map_structure(lambda x: tf.gather(x, nodes), self._texts)

    def _ids(self, texts: tf.Tensor) -> tf.Tensor:
        ids = self._tokenizer(texts)
        missing = 0 if self.model.trims else self._width - tf.shape(ids)[1]
        return tf.pad(ids, [[0, 0], [0, missing]])
