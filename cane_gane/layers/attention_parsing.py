"""GANE's attention parsing: one context vector from a convolved transport plan."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import keras
import tensorflow as tf

from cane_gane.layers import masking
from cane_gane.layers.convolution import convolve, largest_of_columns
from cane_gane.layers.masking import Mask, MaskConsumer, Shape, lengths, precise


@keras.saving.register_keras_serializable(package="cane_gane")
class AttentionParsing(MaskConsumer):
    """Reads a transport plan as an image and attends to the context as a whole.

    The paper's section "Attention parsing", with n words of u, m of its context v:

        H = ReLU(Conv2d(T, W_F)),  h = MaxPool(H) B,  w = Softmax(h),  s_{u<-v} = w' S_v

    The filters are 1 x `window`, along the context, with zeros beyond a text's ends.

    **Extensions** that the paper mentions but does not use: `depth` convolutions in
    sequence, each with its ReLU; and several plans of one pair as the channels of the
    image, one for each of `groups` parts of the word vectors' dimensions.

    **Readings.** The paper pools over the context, so that w has n entries, and
    multiplies S_v, which has m rows: `"literal"`, which is possible only if n = m.
    `"context"` pools over the words of u, so that the weights are on the words of v.

    **Scale.** The entries of T are near 1 / (n m), and the softmax of such logits is
    flat. `scale` multiplies them by n m: their mean is 1 for all lengths.

    **Initial values**, which the paper does not give: filters uniform in
    [0, 2 / window], so that they average and no ReLU starts inactive; B = 1 / channels,
    so that matched words start with more weight than others.

    Example:
        >>> plan = keras.random.uniform((2, 5, 7), seed=1)
        >>> context = keras.random.normal((2, 7, 8), seed=2)
        >>> AttentionParsing(window=3)(plan, context).shape
        TensorShape([2, 8])

    Args:
        window: Width of the filters; the paper's is 21.
        channels: Number of filters, c; the paper's is 1.
        reading: `"context"` or `"literal"`.
        scale: Multiply the plan by n m; False is the paper's.
        return_plan: Also return w.
        depth: Number of convolutions; the paper's is 1.
        groups: Number of plans of a pair; the paper's is 1.
        **kwargs: Options of `keras.layers.Layer`: `name`, `dtype`.

    Call arguments:
        plan: Plans T_uv, `[batch, n, m]`, or `[batch, groups, n, m]` for several.
        context: Word vectors S_v, `[batch, m, p]`.
        source_mask: True at real words of u, or how often each occurs in u,
            `[batch, n]`; pass it, since a plan carries no mask.
        context_mask: The same for v, `[batch, m]`.
        context_order: Which of the m words is at each position of v, counted from 1,
            0 for padding, `[batch, positions]`; by default, each word is at its own
            position.

    Returns:
        s_{u<-v}, `[batch, p]`, zeros if u or v is empty; with `return_plan` also
        w, `[batch, positions]` (`[batch, n]` in the literal reading).

    Raises:
        ValueError: An option is unknown, or the shapes of plan and context do not
            match.
    """

    def __init__(
        self,
        window: int = 21,
        channels: int = 1,
        reading: str = "context",
        scale: bool = True,
        return_plan: bool = False,
        depth: int = 1,
        groups: int = 1,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.window = masking.check_positive("window", window)
        self.channels = masking.check_positive("channels", channels)
        self.reading = masking.check_choice("reading", reading, ["context", "literal"])
        self.scale = scale
        self.return_plan = return_plan
        self.depth = masking.check_positive("depth", depth)
        self.groups = masking.check_positive("groups", groups)

    def build(self, plan_shape: Shape, context_shape: Shape) -> None:
        """Makes filters `[window, groups, c]`, `[window, c, c]`, … and the map B."""
        self._check_shapes(plan_shape, context_shape)
        self.kernels = []
        for place in range(self.depth):
            inputs = self.channels if place else self.groups
            shape = (self.window, inputs, self.channels)
            initial = keras.initializers.RandomUniform(0, 2 / (self.window * inputs))
            kernel = self.add_weight(shape, initial, name=f"kernel_{place}")
            self.kernels.append(kernel)
        initial = keras.initializers.Constant(1 / self.channels)
        self.projection = self.add_weight((self.channels,), initial, name="projection")

    @property
    def kernel(self) -> tf.Variable:
        """The filters of the first convolution, `[window, groups, c]`."""
        return self.kernels[0]

    def _check_shapes(self, plan_shape: Shape, context_shape: Shape) -> None:
        fits = len(context_shape) == 3 and len(plan_shape) == 3 + (self.groups > 1)
        if not fits or _differ(plan_shape[-1], context_shape[1]):
            wanted = "[batch, n, m]" if self.groups == 1 else "[batch, groups, n, m]"
            raise ValueError(
                f"plan must have shape {wanted} and context [batch, m, p]; "
                f"received {tuple(plan_shape)} and {tuple(context_shape)}"
            )
        if self.reading == "literal" and _differ(plan_shape[-2], plan_shape[-1]):
            raise ValueError(
                "reading='literal' needs both texts padded to one length; "
                f"received a plan of shape {tuple(plan_shape)}"
            )

    def call(
        self,
        plan: tf.Tensor,
        context: tf.Tensor,
        source_mask: Mask = None,
        context_mask: Mask = None,
        context_order: Mask = None,
    ) -> tf.Tensor | tuple[tf.Tensor, tf.Tensor]:
        """Returns the global alignment, and the weights if requested."""
        self._check_shapes(plan.shape, context.shape)
        dtype = precise(plan).dtype
        one = plan if self.groups == 1 else plan[:, 0]
        source_counts = masking.word_counts(source_mask, one, dtype)
        context_counts = masking.word_counts(context_mask, one, dtype, axis=2)
        positions = _in_a_row(context_counts > 0)
        order = positions if context_order is None else context_order
        pooled = self._parse(plan, source_counts, context_counts, order)
        logits = tf.linalg.matvec(pooled, precise(self.projection))
        real = order > 0 if self.reading == "context" else source_counts > 0
        both = (lengths(source_counts) > 0) & (lengths(context_counts) > 0)
        weights = masking.masked_softmax(logits, real & both)
        on_words = weights
        if context_order is not None:
            on_words = _summed_by_word(weights, order, tf.shape(context)[1])
        aligned = masking.weighted_words(on_words, context)
        weights = tf.cast(weights, context.dtype)
        return (aligned, weights) if self.return_plan else aligned

    def _parse(
        self,
        plan: tf.Tensor,
        source_counts: tf.Tensor,
        context_counts: tf.Tensor,
        order: tf.Tensor,
    ) -> tf.Tensor:
        """H, its largest values over one side, `[b, positions, c]` (`[b, n, c]`)."""
        dtype = source_counts.dtype
        # the part of the plan of one of several equal words; nothing at padding
        rows, columns = (
            tf.cast(tf.math.divide_no_nan(tf.ones((), dtype), counts), plan.dtype)
            for counts in (source_counts, context_counts)
        )
        plans = [plan] if self.groups == 1 else tf.unstack(plan, self.groups, axis=1)
        # the convolution is along the context
        hidden = [
            tf.transpose(own, [0, 2, 1]) * columns[:, :, None] * rows[:, None, :]
            for own in plans
        ]
        kernels = [tf.cast(kernel, plan.dtype) for kernel in self.kernels]
        if self.reading == "context" and self.groups == self.depth == 1:
            # ReLU and the maximum commute, so that only one column is needed
            pooled = largest_of_columns(hidden[0], kernels[0][:, 0], order)
            pooled = tf.nn.relu(pooled)
        else:
            # never below 0, so zeros at padding do not change a maximum
            written = tf.cast(order > 0, plan.dtype)[:, :, None, None]
            read = tf.cast(source_counts > 0, plan.dtype)[:, None, None, :]
            image = tf.nn.relu(_convolve_all(hidden, kernels[0], order))
            image *= written * read
            for kernel in kernels[1:]:
                # positions are in order by now
                image = tf.unstack(image, self.channels, axis=2)
                image = tf.nn.relu(_convolve_all(image, kernel, _in_a_row(order > 0)))
                image *= written * read
            if self.reading == "context":
                pooled = tf.reduce_max(image, 3)
            else:
                pooled = tf.transpose(tf.reduce_max(image, 1), [0, 2, 1])
        if not self.scale:
            return precise(pooled)
        # a factor passes through the filters: apply it here, to fewer numbers
        size = lengths(source_counts) * lengths(context_counts)
        return precise(pooled) * tf.expand_dims(size, 2)


def _convolve_all(
    images: Sequence[tf.Tensor], kernel: tf.Tensor, order: tf.Tensor
) -> tf.Tensor:
    """The sum over channels of their convolutions, `[batch, m, c, n]`.

    Args:
        images: One channel each, `[batch, k, n]`.
        kernel: `[window, channels, c]`.
        order: The row at each position, `[batch, m]`.
    """
    filters = tf.unstack(kernel, axis=1)
    parts = [convolve(a, f, order) for a, f in zip(images, filters, strict=True)]
    return parts[0] if len(parts) == 1 else tf.add_n(parts)


def _in_a_row(real: tf.Tensor) -> tf.Tensor:
    """The order of words that each occur once, `[batch, m]`."""
    return tf.where(real, tf.range(1, tf.shape(real)[1] + 1), 0)


def _summed_by_word(
    weights: tf.Tensor, order: tf.Tensor, words: tf.Tensor
) -> tf.Tensor:
    """Sums the weights of positions by their words, `[batch, words]`."""
    batch = tf.shape(weights)[0]
    word = tf.range(batch)[:, None] * words + order - 1
    cells = tf.where(order > 0, word, -1)
    sums = tf.math.unsorted_segment_sum(weights, cells, batch * words)
    return tf.reshape(sums, [batch, words])


def _differ(one: int | None, other: int | None) -> bool:
    return None not in (one, other) and one != other
