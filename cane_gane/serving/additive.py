"""A fitted sum of functions and products of features, inside a TensorFlow graph."""

from __future__ import annotations

import numpy as np
import tensorflow as tf

from cane_gane.evidence.additive import Additive


def parts_of(functions: Additive, features: tf.Tensor) -> tf.Tensor:
    """Returns what each feature adds, like `Additive.parts`.

    Args:
        functions: The sum.
        features: `[..., features]`, in the order of its names.

    Returns:
        The parts, `[..., features]`.
    """
    slopes, bends, centres, products = (
        np.asarray(own, np.float32)
        for own in (
            functions.slopes,
            functions.bends,
            functions.centres,
            functions.products,
        )
    )
    if functions.bounds is not None:
        low, high = np.asarray(functions.bounds, np.float32)
        features = tf.clip_by_value(features, low, high)
    total = slopes[:, 0] * features
    for place in range(bends.shape[1]):
        total += slopes[:, place + 1] * tf.nn.relu(features - bends[:, place])
    if products.any():
        centred = features - centres
        total += centred * tf.linalg.matvec(products, centred)
    return total
