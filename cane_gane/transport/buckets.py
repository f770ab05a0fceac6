"""Pairs of texts grouped by length, so that padding costs no work.

A batch padded to its longest text costs batch × max² for each step of a solver, the
pairs themselves only the sum of n × m. `map_buckets` sorts a batch by length, cuts it
into small groups, trims each to one of a few sizes and applies a function to it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import tensorflow as tf

from cane_gane.transport.solver import ipot, word_weights

SIZES = (16, 32, 48, 64, 80, 96, 112, 128, 160, 192, 224, 256)
GROUPS = 16


@tf.autograph.experimental.do_not_convert
def ipot_bucketed(
    cost: tf.Tensor,
    source_mask: tf.Tensor | None = None,
    target_mask: tf.Tensor | None = None,
    *,
    source_weights: tf.Tensor | None = None,
    target_weights: tf.Tensor | None = None,
    sizes: Sequence[int] = SIZES,
    groups: int = GROUPS,
    **options: Any,
) -> tf.Tensor:
    """`ipot` of a padded batch, solved in groups of similar length.

    Each group is one XLA program, which is compiled when its size first occurs, and a
    group of few pairs stays in a core's cache. Call it in eager mode or in a
    `tf.function` without `jit_compile`: there shapes must not depend on the lengths.

    Args:
        cost: As for `ipot`, `[batch, n, m]`.
        source_mask: As for `ipot`, `[batch, n]`.
        target_mask: As for `ipot`, `[batch, m]`.
        source_weights: As for `ipot`, `[batch, n]`.
        target_weights: As for `ipot`, `[batch, m]`.
        sizes: Lengths that groups are trimmed to, rising.
        groups: How many groups; a batch known to be smaller has one for each pair.
        **options: `beta`, `iterations` and the other options of `ipot`. A `tolerance`
            stops each group by itself.

    Returns:
        Plans, `[batch, n, m]`, those of `ipot`.

    Raises:
        ValueError: As for `ipot` and `map_buckets`.
    """
    cost = tf.convert_to_tensor(cost)
    shape = tf.shape(cost)
    dtype = tf.float64 if cost.dtype == tf.float64 else tf.float32
    mu = word_weights("source", source_mask, source_weights, shape[:2], dtype)
    nu = word_weights("target", target_mask, target_weights, shape[::2], dtype)
    return map_buckets(
        _compiled_ipot(tuple(sorted(options.items()))),
        (cost, mu, nu),
        "st,s,t->st",
        mu > 0,
        nu > 0,
        sizes=sizes,
        groups=groups,
    )


@tf.autograph.experimental.do_not_convert
def map_buckets(
    function: Callable[..., tf.Tensor],
    inputs: Sequence[tf.Tensor],
    axes: str,
    source_mask: tf.Tensor,
    target_mask: tf.Tensor,
    *,
    sizes: Sequence[int] = SIZES,
    groups: int = GROUPS,
) -> tf.Tensor:
    """Applies a function to groups of pairs, each trimmed to the size of its texts.

    The function sees `ceil(batch / groups)` pairs at a time. It should be a
    `tf.function(jit_compile=True)`, made once; groups run in parallel. Gradients flow
    through to the inputs.

    Args:
        function: Takes the trimmed inputs and returns one tensor.
        inputs: Tensors whose first axis is the batch.
        axes: The axes after the batch of each input and of the result: `s` is trimmed
            to source words, `t` to target words, any other letter is left alone. A
            plan from word vectors: `"sp,tp->st"`.
        source_mask: True at real source words, `[batch, n]`.
        target_mask: True at real target words, `[batch, m]`.
        sizes: Lengths to trim to, rising; longer texts keep the padded length.
        groups: How many groups; a batch known to be smaller has one for each pair.

    Returns:
        The results in the order of the batch, padded with zeros to n and m.

    Raises:
        ValueError: `axes` does not fit the inputs, or `groups` is below 1.
    """
    inputs = [tf.convert_to_tensor(x) for x in inputs]
    *input_axes, output_axes = _parse(axes, inputs)
    if groups < 1:
        raise ValueError(f"groups must be at least 1; received {groups!r}")
    layout = _Layout.build(source_mask, target_mask, sizes, groups)
    parts = [
        _split(x, letters, layout)
        for x, letters in zip(inputs, input_axes, strict=True)
    ]
    results = [function(*group) for group in zip(*parts, strict=True)]
    return _merge(results, output_axes, layout)


class _Layout(NamedTuple):
    """Which pairs are in which group, and to what its words are trimmed.

    Attributes:
        places: Pairs of each group, `[size]` each. The first groups are filled up with
            copies of the shortest pair, whose places are those after the batch.
        pairs: The same with the places of the copies replaced by that of the pair.
        trimmed: Source and target words of each group, two `[]` each.
        padded: Those of the batch, n and m.
        batch: Pairs in the batch, `[]`.
    """

    places: list[tf.Tensor]
    pairs: list[tf.Tensor]
    trimmed: list[dict[str, tf.Tensor]]
    padded: dict[str, tf.Tensor]
    batch: tf.Tensor

    @classmethod
    def build(
        cls,
        source_mask: tf.Tensor,
        target_mask: tf.Tensor,
        sizes: Sequence[int],
        groups: int,
    ) -> _Layout:
        """Sorts by length, and cuts into equal groups."""
        groups = min(groups, source_mask.shape[0] or groups)
        batch = tf.shape(source_mask)[0]
        lengths = {"s": _lengths(source_mask), "t": _lengths(target_mask)}
        order = by_length(lengths["s"], lengths["t"], tf.constant(groups))
        extra = -batch % groups
        pairs = tf.concat([tf.repeat(order[:1], extra), order], 0)
        places = tf.concat([batch + tf.range(extra), order], 0)
        padded = {"s": tf.shape(source_mask)[1], "t": tf.shape(target_mask)[1]}
        by_group = tf.split(pairs, groups)
        trimmed = [
            {
                side: _round_up(tf.gather(lengths[side], group), sizes, padded[side])
                for side in "st"
            }
            for group in by_group
        ]
        return cls(tf.split(places, groups), by_group, trimmed, padded, batch)


def by_length(source: tf.Tensor, target: tf.Tensor, groups: tf.Tensor) -> tf.Tensor:
    """Orders pairs so that both texts of neighbours are of similar length.

    Args:
        source: Lengths of the source texts, `[batch]`.
        target: Those of the target texts, `[batch]`.
        groups: How many groups the order will be cut into, `[]`.

    Returns:
        Places of pairs, `[batch]`: in bands by the source, in each by the target.
    """
    bands = tf.cast(tf.math.ceil(tf.sqrt(tf.cast(groups, tf.float32))), source.dtype)
    rank = tf.argsort(tf.argsort(source, stable=True), stable=True)
    band = rank * bands // tf.maximum(tf.size(source), 1)
    longest = tf.reduce_max(target, keepdims=True)  # of an empty batch: any number
    return tf.argsort(band * (longest + 1) + target, stable=True)


def _split(values: tf.Tensor, letters: str, layout: _Layout) -> list[tf.Tensor]:
    """Each group's part of a batch. Its derivative is `_merge`, and the reverse."""

    @tf.custom_gradient
    def split(values: tf.Tensor) -> tuple[list[tf.Tensor], Callable[..., tf.Tensor]]:
        parts = [
            _take(values, letters, pairs, trimmed)
            for pairs, trimmed in zip(layout.pairs, layout.trimmed, strict=True)
        ]
        return parts, lambda *upstream: _merge(upstream, letters, layout)

    return split(values)


def _merge(parts: Sequence[tf.Tensor], letters: str, layout: _Layout) -> tf.Tensor:
    """One padded batch in its own order from the parts of the groups.

    The copies get no derivative, else what a function holds would count them twice.
    """

    @tf.custom_gradient
    def merge(*parts: tf.Tensor) -> tuple[tf.Tensor, Callable[..., list[tf.Tensor]]]:
        padded = [
            _pad(part, letters, trimmed, layout.padded)
            for part, trimmed in zip(parts, layout.trimmed, strict=True)
        ]
        merged = tf.dynamic_stitch(layout.places, padded)[: layout.batch]

        def grad(upstream: tf.Tensor) -> list[tf.Tensor]:
            parts = _split(upstream, letters, layout)
            return [
                tf.where(_column(places < layout.batch, part), part, 0)
                for places, part in zip(layout.places, parts, strict=True)
            ]

        return merged, grad

    return merge(*parts)


def _take(
    values: tf.Tensor, letters: str, pairs: tf.Tensor, size: dict[str, tf.Tensor]
) -> tf.Tensor:
    """Rows of some pairs, trimmed; `[pairs, ...]`."""
    if letters[:1] not in size:
        return tf.gather(values, pairs)
    # Only the rows in question are read: gathering whole pairs would copy the padding.
    shape = tf.shape(values)
    rows = pairs[:, tf.newaxis] * shape[1] + tf.range(size[letters[0]])
    taken = tf.gather(tf.reshape(values, tf.concat([[-1], shape[2:]], 0)), rows)
    ends = [slice(size[x]) if x in size else slice(None) for x in letters[1:]]
    return taken[(slice(None), slice(None), *ends)]


def _column(values: tf.Tensor, like: tf.Tensor) -> tf.Tensor:
    return tf.reshape(values, [-1, *[1] * (like.shape.rank - 1)])


def _pad(
    part: tf.Tensor,
    letters: str,
    size: dict[str, tf.Tensor],
    padded: dict[str, tf.Tensor],
) -> tf.Tensor:
    missing = {side: padded[side] - size[side] for side in size}
    return tf.pad(part, [[0, 0], *([0, missing.get(x, 0)] for x in letters)])


@lru_cache(maxsize=64)
def _compiled_ipot(options: tuple[tuple[str, Any], ...]) -> Callable[..., tf.Tensor]:
    """One `tf.function` for each set of options, so that programs are kept."""

    def solve(cost: tf.Tensor, mu: tf.Tensor, nu: tf.Tensor) -> tf.Tensor:
        known = {"for_xla": True, **dict(options)}
        return ipot(cost, source_weights=mu, target_weights=nu, **known)

    return tf.function(solve, jit_compile=True, autograph=False, reduce_retracing=True)


def _parse(axes: str, inputs: Sequence[tf.Tensor]) -> list[str]:
    left, arrow, right = axes.partition("->")
    parts = left.split(",")
    ranks = [x.shape.rank for x in inputs]
    known = set(right) <= set(left)
    if not arrow or not known or [len(part) + 1 for part in parts] != ranks:
        raise ValueError(f"axes must fit inputs of ranks {ranks}; received {axes!r}")
    return [*parts, right]


def _lengths(mask: tf.Tensor) -> tf.Tensor:
    """The place after the last real word, `[batch]`."""
    places = tf.range(1, tf.shape(mask)[1] + 1)
    return tf.reduce_max(tf.where(tf.cast(mask, tf.bool), places, 1), 1)


def _round_up(lengths: tf.Tensor, sizes: Sequence[int], padded: tf.Tensor) -> tf.Tensor:
    """The least size that holds the longest, `[]`."""
    longest = tf.reduce_max(lengths, keepdims=True)
    steps = tf.concat([list(sizes), [padded]], 0)
    return tf.minimum(steps[tf.searchsorted(steps[:-1], longest)[0]], padded)
