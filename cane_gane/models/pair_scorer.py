"""Scores a pair of nodes: two tables, an encoder of text pairs, four inner products."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator, Sequence
from typing import Any, Self

import keras
import numpy as np
import numpy.typing as npt
import tensorflow as tf

from cane_gane.data.tokens import EncodedTexts
from cane_gane.layers import InnerProduct
from cane_gane.layers.masking import Configured
from cane_gane.models.chunks import in_chunks
from cane_gane.models.merging import Texts, merged

PreparedTexts = Any  # `Texts`, or word ids if words are not merged

# The kernels of the score's terms: names in settings and in the layer.
KERNELS = {"inner": "euclidean", "gaussian": "rbf", "imq": "imq"}
AT_ONCE = 1 << 14  # texts that are padded at once
_WORD_SPREAD = 0.3  # initial standard deviation of the word table


class PairScorer(Configured, keras.Model):
    """Scores pairs of nodes by structure and by texts, each in the other's context.

    The score of (u, v) is the sum of four inner products,
    <z_u, z_v> = ss + tt + ts + st, of text vectors z^s (which depend on the other
    text) and structure vectors z^t (a table).
    """

    def __init__(
        self,
        encoder: keras.layers.Layer,
        *,
        word_count: int,
        node_count: int,
        dimension: int,
        clip: bool = True,
        map_mixed: bool = False,
        kernel: str = "inner",
        bandwidth: float = 1.0,
        structure_spread: float = 0.3,
        seed: int = 1,
        **options: Any,
    ) -> None:
        """Takes an encoder and the sizes of the tables; creates all variables.

        Args:
            encoder: A layer from two texts `[b, n, p]`, `[b, m, p]` and their masks
                to two vectors `[b, d]`.
            word_count: The number of rows of the word table; row 0 is padding.
            node_count: The number of rows of the node table.
            dimension: The number of columns of both tables.
            clip: Whether node vectors are clipped to norm 1 when they are read.
            map_mixed: Whether the mixed terms have a trainable linear map.
            kernel: The kernel of a term: one of `KERNELS`.
            bandwidth: The bandwidth of the kernels that use distances.
            structure_spread: The initial standard deviation of the node table.
            seed: The seed of the initial values.
            **options: Options of `keras.Model`.
        """
        super().__init__(**options)
        self.encoder = encoder
        self.word_count, self.node_count = word_count, node_count
        self.dimension, self.clip, self.map_mixed = dimension, clip, map_mixed
        self.kernel, self.bandwidth = kernel, bandwidth
        self.structure_spread, self.seed = structure_spread, seed
        self._borrowed: tuple[tf.Tensor, tf.Tensor] | None = None
        normal = keras.initializers.TruncatedNormal
        shape, initial = (word_count, dimension), normal(stddev=_WORD_SPREAD, seed=seed)
        self.words = self.add_weight(shape, initial, name="words")
        shape = (node_count, dimension)
        initial = normal(stddev=structure_spread, seed=seed + 1)
        self.structure = self.add_weight(shape, initial, name="structure")
        shared: dict[str, Any] = {"kernel": KERNELS[kernel], "bandwidth": bandwidth}
        self.mixed = InnerProduct(mapped=map_mixed, name="mixed", **shared)
        self.plain = InnerProduct(name="plain", **shared)
        if not encoder.built:
            encoder.build((None, None, dimension), (None, None, dimension))
        for product in (self.mixed, self.plain):
            product.build((None, dimension), (None, dimension))
        self.built = True

    def encode(
        self, source: tf.Tensor, target: tf.Tensor
    ) -> tuple[tf.Tensor, tf.Tensor]:
        """Turns pairs of texts into text vectors, each in the other's context.

        Args:
            source: Word ids, `[b, n]`, 0 for padding.
            target: Word ids, `[b, m]`.

        Returns:
            The vectors z^s of source given target and of target given source,
            each `[b, d]`.
        """
        source, target = self.prepare_texts(source), self.prepare_texts(target)
        return self.encode_prepared(source, target)

    def prepare_texts(self, ids: tf.Tensor) -> PreparedTexts:
        """Merges words that repeat in a text, `[b, n]`, if the encoder can use that."""
        return merged(ids) if getattr(self.encoder, "merges", False) else ids

    def encode_prepared(
        self,
        source: PreparedTexts,
        target: PreparedTexts,
        words: Sequence[tf.Tensor] = (),
    ) -> tuple[tf.Tensor, tf.Tensor]:
        """Does the same as `encode` for prepared texts; word vectors may be given."""
        sides: Sequence[Any] = (source, target)  # ids, counts and order, or only ids
        if not isinstance(source, Texts):
            sides = [(ids, ids > 0) for ids in sides]
        ids, *others = zip(*sides, strict=True)
        words = words or [tf.gather(self.word_table, side) for side in ids]
        return self.encoder(*words, *itertools.chain(*others))

    def look_up(self, ids: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """Looks up words, `[b, n]` to `[b, n, p]`, and marks the real ones."""
        return tf.gather(self.word_table, ids), ids > 0

    @property
    def word_table(self) -> Any:
        """The word vectors, `[words, p]`."""
        return self._borrowed[0] if self._borrowed else self.words.value

    @contextlib.contextmanager
    def borrowing(self, words: tf.Tensor, structure: tf.Tensor) -> Iterator[None]:
        """Uses other tables, `[words, p]` and `[nodes, d]`, inside a `with` block."""
        self._borrowed = (words, structure)
        try:
            yield
        finally:
            self._borrowed = None

    def match(self, source: tf.Tensor, target: tf.Tensor) -> tf.Tensor:
        """Returns how the encoder matches the words of two texts, `[b, n, m]`."""
        source_words, source_mask = self.look_up(source)
        target_words, target_mask = self.look_up(target)
        masks = {"source_mask": source_mask, "target_mask": target_mask}
        return self.encoder.match(source_words, target_words, **masks)

    @property
    def trims(self) -> bool:
        """Whether padding may be cut off without changing a result."""
        return getattr(self.encoder, "masked", True)

    def structure_of(self, nodes: tf.Tensor) -> tf.Tensor:
        """Returns the structure vectors of nodes, `[..., d]`."""
        table = self._borrowed[1] if self._borrowed else self.structure.value
        rows = tf.gather(table, nodes)
        return tf.clip_by_norm(rows, 1.0, axes=-1) if self.clip else rows

    def text_term(self, source: tf.Tensor, target: tf.Tensor) -> tf.Tensor:
        """Returns the term ss of pairs of text vectors, `[..., d]` to `[...]`."""
        return self.plain(source, target)

    def pair_terms(
        self,
        source_text: tf.Tensor,
        source_structure: tf.Tensor,
        target_text: tf.Tensor,
        target_structure: tf.Tensor,
    ) -> tf.Tensor:
        """Returns the terms ss, tt, ts and st of pairs of vectors, `[..., 4]`."""
        ss = self.text_term(source_text, target_text)
        tt = self.plain(source_structure, target_structure)
        ts = self.mixed(source_structure, target_text)
        st = self.mixed(target_structure, source_text)
        return tf.stack([ss, tt, ts, st], axis=-1)

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Self:
        """Builds the model that `get_config` describes, with new variables."""
        deserialized = keras.saving.deserialize_keras_object
        encoder = deserialized(config["encoder"], custom_objects)
        return cls(**{**config, "encoder": encoder})


def text_vectors(
    model: PairScorer, texts: EncodedTexts, most: int | None = None
) -> npt.NDArray[np.float32]:
    """Encodes the first `most` texts, or all, each with itself as context, `[n, d]`."""

    def first(left: Any, right: Any, _: tf.Tensor) -> tuple[tf.Tensor, ...]:
        return model.encode_prepared(left, right)[:1]

    @tf.function(input_signature=[tf.TensorSpec([None, None], tf.int32)])
    def encode(ids: tf.Tensor) -> tf.Tensor:
        texts = model.prepare_texts(ids)
        return in_chunks(first, texts, texts, trim=model.trims)[0]

    count = min(most or len(texts), len(texts))
    vectors = np.zeros((count, model.dimension), np.float32)
    for begin in range(0, count, AT_ONCE):
        end = min(begin + AT_ONCE, count)
        vectors[begin:end] = encode(texts.padded(begin, end)).numpy()
    return vectors
