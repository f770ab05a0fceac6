"""Encodes texts and nodes inside a TensorFlow graph, traced once for all uses."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

from cane_gane.data.tokens import EncodedTexts
from cane_gane.models.chunks import in_chunks
from cane_gane.models.merging import Texts
from cane_gane.models.pair_scorer import AT_ONCE, PairScorer
from cane_gane.sampling.texts import NodeTexts
from cane_gane.serving.vectorize import GraphTokenizer


class ServedEncoder:
    """A trained model with its tokenizer and the texts of its nodes.

    Batches of any size run in chunks of similar length, in bounded memory.

    Attributes:
        model: The model.
        tokenizer: Splits raw texts.
        count: The number of nodes.
    """

    def __init__(
        self,
        model: PairScorer,
        texts: EncodedTexts,
        vocabulary: Path,
        unknown: int,
        max_length: int,
    ) -> None:
        """Takes the same arguments as `Servable`."""
        self.model = model
        self._texts = prepared_texts(model, texts)
        self.count, self._width = len(texts), texts.width
        longest = max_length if model.trims else self._width
        self.tokenizer = GraphTokenizer(vocabulary, longest, unknown)
        specs = tf.nest.map_structure(
            lambda ids: tf.TensorSpec([None, None], ids.dtype),
            model.prepare_texts(tf.zeros([1, 1], tf.int32)),
        )
        # Most of the graph is here; as a separate function, it is stored only once.
        self.pairs = tf.function(
            self._pairs, input_signature=[specs, specs], autograph=False
        )

    def _pairs(self, left: Any, right: Any) -> tuple[tf.Tensor, tf.Tensor]:
        """Embeds texts, each in the other's context, `[batch, d]` each."""

        def encoded(left: Any, right: Any, _: tf.Tensor) -> tuple[tf.Tensor, ...]:
            return self.model.encode_prepared(left, right)

        near, far = in_chunks(encoded, left, right, outputs=2, trim=self.model.trims)
        shape = [None, self.model.dimension]
        return tf.ensure_shape(near, shape), tf.ensure_shape(far, shape)

    def matched(
        self,
        match: Callable[[tf.Tensor, tf.Tensor], tf.Tensor],
        left: tf.Tensor,
        right: tf.Tensor,
    ) -> tf.Tensor:
        """Matches words, `[batch, n]` and `[batch, m]`, padded to `[batch, n, m]`."""
        shape = tf.stack([tf.shape(left)[1], tf.shape(right)[1]])

        def padded(left: Any, right: Any, _: tf.Tensor) -> tuple[tf.Tensor]:
            plan = match(left, right)
            missing = shape - tf.shape(plan)[1:]
            return (tf.pad(plan, [[0, 0], [0, missing[0]], [0, missing[1]]]),)

        return in_chunks(padded, left, right, trim=self.model.trims)[0]

    def of_nodes(self, nodes: tf.Tensor) -> Any:
        """Returns the texts of nodes, ready for `pairs`."""
        width = None if self.model.trims else self._width
        parts = [part.rows(nodes, width) for part in self._texts]
        return Texts(*parts) if len(parts) > 1 else parts[0]

    def of_texts(self, texts: tf.Tensor) -> Any:
        """Returns raw texts, ready for `pairs`."""
        return self.model.prepare_texts(self.ids(texts))

    def ids(self, texts: tf.Tensor) -> tf.Tensor:
        """Returns raw texts as word ids, `[batch, n]`."""
        ids = self.tokenizer(texts)
        missing = 0 if self.model.trims else self._width - tf.shape(ids)[1]
        return tf.pad(ids, [[0, 0], [0, missing]])

    def known(self, nodes: tf.Tensor) -> tf.Tensor:
        """Returns node ids, after checking that they are valid."""
        strange = tf.boolean_mask(nodes, (nodes < 0) | (nodes >= self.count))
        message = f"node id out of range: expected 0 to {self.count - 1}; found"
        check = tf.debugging.Assert(tf.equal(tf.size(strange), 0), [message, strange])
        with tf.control_dependencies([check]):
            return tf.identity(nodes)


def prepared_texts(model: PairScorer, texts: EncodedTexts) -> list[NodeTexts]:
    """Returns what `model.prepare_texts` makes of texts, as variables.

    These are either the word ids or the parts of `Texts`, stored end to end.
    """
    if not getattr(model.encoder, "merges", False):
        return [_variables(texts.words, texts.starts)]
    values: list[list[Any]] = [[] for _ in Texts._fields]
    lengths: list[list[Any]] = [[] for _ in Texts._fields]
    for first in range(0, len(texts), AT_ONCE):
        block = texts.padded(first, min(first + AT_ONCE, len(texts)))
        for place, part in enumerate(model.prepare_texts(tf.constant(block))):
            rows = part.numpy()
            values[place].append(rows[rows > 0])
            lengths[place].append((rows > 0).sum(axis=1))
    return [
        _variables(np.concatenate(own), np.cumsum([0, *np.concatenate(counts)]))
        for own, counts in zip(values, lengths, strict=True)
    ]


def _variables(values: Any, starts: Any) -> NodeTexts:
    known = NodeTexts.laid_out(values, starts)
    return NodeTexts(*(tf.Variable(part, trainable=False) for part in known))
