"""Batches of edges with the texts of their nodes, as a tf.data pipeline."""

from __future__ import annotations

import tensorflow as tf

from cane_gane.data.tokens import EncodedTexts
from cane_gane.sampling.edges import Integers, Sampler, Weigh
from cane_gane.sampling.texts import NodeTexts

AHEAD = 4  # batches that are ready before they are asked for


def edge_batches(
    texts: EncodedTexts,
    sampler: Sampler,
    *,
    weigh: Weigh | None = None,
    first_epoch: int = 0,
    first_step: int = 0,
    trim: bool = True,
) -> tf.data.Dataset:
    """Yields batches, epoch after epoch, without end.

    An epoch has `sampler.steps` batches, so that
    `model.fit(batches, steps_per_epoch=sampler.steps)` and
    `batches.take(sampler.steps)` see whole epochs. Texts are padded when they are
    gathered.

    Args:
        texts: The encoded texts of all nodes.
        sampler: Orders the edges and draws their negatives.
        weigh: Returns the weights of edges `[edges, 2]`, if they have any.
        first_epoch: The epoch to start from, for a resumed run.
        first_step: The batch of that epoch to start from.
        trim: Whether texts are padded to the longest of the batch rather than to the
            width of all texts.

    Returns:
        A data set of dicts, with b edges in a batch and K negatives:
        `source` and `target` `[b]` and `negatives` `[b, K]` are node ids;
        `source_text` and `target_text` `[b, width]` and `negatives_text`
        `[b, K, width]` are word ids. With `weigh`, `weight` `[b]` has the weights
        of the edges, float32.
    """
    width = 2 + sampler.negatives
    known = NodeTexts.of(texts)

    def draw(epoch: int) -> Integers:
        done = first_step if epoch == first_epoch else 0
        return sampler.epoch(int(epoch))[done * sampler.batch_size :]

    def rows_of(epoch: tf.Tensor) -> tf.data.Dataset:
        rows = tf.numpy_function(draw, [epoch], tf.int64)
        rows = tf.ensure_shape(rows, [None, width])
        parts = {"rows": rows}
        if weigh is not None:
            weights = tf.numpy_function(weigh, [rows[:, :2]], tf.float64)
            parts["weight"] = tf.cast(tf.ensure_shape(weights, [None]), tf.float32)
        return tf.data.Dataset.from_tensor_slices(parts).batch(sampler.batch_size)

    def with_texts(parts: dict[str, tf.Tensor]) -> dict[str, tf.Tensor]:
        rows = parts.pop("rows")
        words = known.rows(rows, None if trim else texts.width)  # [b, 2 + K, width]
        return {
            "source": rows[:, 0],
            "target": rows[:, 1],
            "negatives": rows[:, 2:],
            "source_text": words[:, 0],
            "target_text": words[:, 1],
            "negatives_text": words[:, 2:],
            **parts,
        }

    epochs = tf.data.Dataset.counter(first_epoch)
    batches = epochs.flat_map(rows_of).map(with_texts).prefetch(AHEAD)
    # Autotuning has a thread that sleeps ever longer, up to a minute, and the end of an
    # iteration waits for it.
    options = tf.data.Options()
    options.autotune.enabled = False
    return batches.with_options(options)
