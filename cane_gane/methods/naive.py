"""Naive combination (Tu et al. 2017): DeepWalk beside a convolution's text vectors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from cane_gane.config import Settings, setting
from cane_gane.data.graph import Edges
from cane_gane.data.splits import Split
from cane_gane.data.tokens import CleanTokenizer, EncodedTexts
from cane_gane.data.vectors import fill_missing, missing_rows
from cane_gane.evaluation.fitted import Fitted
from cane_gane.methods.method import Method
from cane_gane.methods.skip_gram import WalkSettings, walk_vectors
from cane_gane.progress import counted
from cane_gane.serving.table import VectorTable
from cane_gane.training.room import check_room

Floats = npt.NDArray[np.float32]

_AT_ONCE = 512  # texts that are encoded at once
_SHARPNESS = 10.0  # of the softmax over cosines, which is almost flat otherwise


@dataclass(frozen=True)
class NaiveSettings(Settings):
    """The convolution of the text half; the walks are DeepWalk's."""

    dimension: int = setting(
        200, "length of a node vector, half of it for text", low=2, high=10_000
    )
    kernel_size: int = setting(3, "words that the convolution sees", low=1, high=100)
    max_length: int = setting(100, "maximum words kept per text", low=1, high=10**6)
    epochs: int = setting(5, "epochs over the training edges", low=1, high=10**6)
    batch_size: int = setting(128, "edges in a batch", low=2, high=10**6)
    learning_rate: float = setting(5e-3, "step size of Adam", low=0, high=1e3)


class ConvolvedTexts:
    """A convolution over a text's words, with the largest value of each channel.

    It is trained so that the texts of a training edge are closer to each other than to
    those of other edges in the batch.
    """

    def __init__(
        self, encoded: EncodedTexts, settings: NaiveSettings, seed: int
    ) -> None:
        """Takes the texts as word ids, and draws the initial weights."""
        import keras

        keras.utils.set_random_seed(seed)
        size = settings.dimension - settings.dimension // 2
        self._ids = encoded.ids
        words = keras.layers.Embedding(int(encoded.words.max(initial=0)) + 1, size)
        kernel = settings.kernel_size
        convolve = keras.layers.Conv1D(size, kernel, padding="same", activation="tanh")
        self._layers = keras.Sequential([words, convolve])
        self._layers.build(self._ids.shape)
        self._optimizer = keras.optimizers.Adam(settings.learning_rate)
        self._optimizer.build(self._layers.trainable_variables)

    def train(self, edges: Edges, settings: NaiveSettings, seed: int) -> None:
        """Trains on edges, `[edges, 2]`."""
        import tensorflow as tf

        ids = tf.TensorSpec([None, self._ids.shape[1]], tf.int32)
        step = tf.function(self._step, input_signature=[ids, ids])
        batches = _batches(edges, settings, seed)
        total = settings.epochs * -(-len(edges) // settings.batch_size)
        for _ in counted("text vectors", total):
            batch = next(batches)
            step(self._ids[batch[:, 0]], self._ids[batch[:, 1]])

    def vectors(self) -> Floats:
        """Returns vectors of length 1, `[nodes, size]`; zeros for an empty text."""
        blocks = range(0, len(self._ids), _AT_ONCE)
        found = [self._encode(self._ids[at : at + _AT_ONCE]) for at in blocks]
        vectors = np.concatenate(found)
        vectors[(self._ids == 0).all(axis=1)] = 0
        return vectors

    def _encode(self, ids: Any) -> Any:
        import tensorflow as tf

        channels = tf.where(ids[..., None] > 0, self._layers(ids), -1.0)
        return tf.math.l2_normalize(tf.reduce_max(channels, axis=1), axis=-1)

    def _step(self, left: Any, right: Any) -> None:
        import tensorflow as tf

        variables = self._layers.trainable_variables
        with tf.GradientTape() as tape:
            near = tf.matmul(self._encode(left), self._encode(right), transpose_b=True)
            both = [_SHARPNESS * near, _SHARPNESS * tf.transpose(near)]
            chances = [tf.linalg.diag_part(tf.nn.log_softmax(own)) for own in both]
            loss = -tf.reduce_mean(tf.add_n(chances))
        self._optimizer.apply(tape.gradient(loss, variables), variables)


def _batches(edges: Edges, settings: NaiveSettings, seed: int) -> Iterator[Edges]:
    rng = np.random.default_rng(seed)
    for _ in range(settings.epochs):
        order = rng.permutation(len(edges))
        for first in range(0, len(order), settings.batch_size):
            yield edges[order[first : first + settings.batch_size]]


def _memory(split: Split, settings: NaiveSettings) -> float:
    """Returns the least number of bytes needed, for a step and the kernel."""
    edges, half = min(settings.batch_size, len(split.train)), settings.dimension / 2
    longest = max((text.count(" ") for text in split.network.texts), default=0)
    words = min(settings.max_length, longest + 1)
    step = 2 * edges * words * half * 2 + 4 * edges * edges
    return 4.0 * (step + 3 * settings.kernel_size * half * half)


def _fit(split: Split, settings: NaiveSettings, seed: int, _: Path | None) -> Fitted:
    from sklearn.preprocessing import normalize

    check_room(partial(_memory, split), settings)

    network, size = split.network, settings.dimension // 2
    walks = WalkSettings(dimension=size)
    structure = walk_vectors(split.train, network.node_count, walks, seed)
    tokenizer = CleanTokenizer.fit(network)
    encoded = tokenizer.encode(tokenizer.read(network), settings.max_length)
    texts = ConvolvedTexts(encoded, settings, seed)
    texts.train(split.train, settings, seed)
    # Both halves have length 1, so that they have the same weight in the score.
    text = texts.vectors()
    vectors = np.hstack([normalize(fill_missing(structure)), text])
    vectors[missing_rows(structure) & ~text.any(axis=1)] = np.nan
    return VectorTable(vectors.astype(np.float32))


def _start(settings: NaiveSettings, device: str) -> None:
    from cane_gane.training.runtime import load_tensorflow

    load_tensorflow(deterministic=True, device=device, by_pairs=False)


NAIVE = Method(
    "naive",
    "Naive combination",
    "DeepWalk beside the texts' convolution (Tu 2017)",
    fit=_fit,
    open=VectorTable.open,
    settings=NaiveSettings,
    paper="naive",
    start=_start,
)
