"""Inner products of embeddings: three kernels, and a map between two spaces."""

from __future__ import annotations

from typing import Any

import keras
import tensorflow as tf

from cane_gane.layers.masking import MaskConsumer, Shape, check_choice, precise


@keras.saving.register_keras_serializable(package="cane_gane")
class InnerProduct(MaskConsumer):
    """The inner product <x, y> of two embeddings, or <x, A y> across spaces.

    One of the four terms <z_u^a, z_v^b>_ab of the paper's score (section "Model
    framework overview"):

    - `"euclidean"`: x'y, the paper's choice;
    - `"rbf"`: exp(-||x - y||^2 / (2 h^2));
    - `"imq"`: 1 / sqrt(1 + ||x - y||^2 / h^2),

    with h the bandwidth. `mapped` takes the trainable A y for y. A starts as the
    identity, as in CANE, which compares structure and text without a map.

    Example:
        >>> source = keras.ops.ones((2, 1, 4))
        >>> negatives = keras.ops.ones((2, 3, 4))
        >>> InnerProduct()(source, negatives).numpy().tolist()
        [[4.0, 4.0, 4.0], [4.0, 4.0, 4.0]]

    Args:
        kernel: `"euclidean"`, `"rbf"` or `"imq"`.
        mapped: Map y into the space of x first; needed if their widths differ.
        bandwidth: h of the last two kernels.
        **kwargs: Options of `keras.layers.Layer`: `name`, `dtype`.

    Call arguments:
        x: `[..., d]`.
        y: `[..., e]`; leading axes are broadcast, as for several negatives.

    Returns:
        `[...]`.

    Raises:
        ValueError: The kernel is unknown, the bandwidth is not above 0, or d differs
            from e and there is no map.
    """

    def __init__(
        self,
        kernel: str = "euclidean",
        mapped: bool = False,
        bandwidth: float = 1.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.kernel = check_choice("kernel", kernel, ["euclidean", "rbf", "imq"])
        self.mapped = mapped
        if not bandwidth > 0:
            received = f"received bandwidth={bandwidth!r}"
            raise ValueError(f"bandwidth must be above 0; {received}")
        self.bandwidth = bandwidth

    def build(self, x_shape: Shape, y_shape: Shape) -> None:
        """Makes the map A, d x e."""
        if self.mapped:
            shape = (x_shape[-1], y_shape[-1])
            self.map = self.add_weight(shape, "identity", name="map")
        elif x_shape[-1] != y_shape[-1]:
            raise ValueError(
                "x and y must be equally wide, or mapped=True; "
                f"received shapes {tuple(x_shape)} and {tuple(y_shape)}"
            )

    def call(self, x: tf.Tensor, y: tf.Tensor) -> tf.Tensor:
        """Returns the kernel's value for each pair."""
        if self.mapped:
            y = tf.tensordot(y, self.map, [[-1], [1]])
        x, y = precise(x), precise(y)
        if self.kernel == "euclidean":
            value = tf.reduce_sum(x * y, -1)
        else:
            distance = tf.reduce_sum(tf.square((x - y) / self.bandwidth), -1)
            rbf = self.kernel == "rbf"
            value = tf.exp(-distance / 2) if rbf else tf.math.rsqrt(1 + distance)
        return tf.cast(value, self.compute_dtype)
