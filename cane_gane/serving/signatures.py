"""The signatures of a SavedModel: their inputs, and ids of any integer type."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import tensorflow as tf

_TEXTS, _IDS = (tf.TensorSpec([None], kind) for kind in (tf.string, tf.int64))
_NUMBER = tf.TensorSpec([], tf.int64)
_VECTORS = tf.TensorSpec([None, None], tf.float32)
INPUTS: Mapping[str, Mapping[str, tf.TensorSpec]] = {
    "score": {"source": _TEXTS, "target": _TEXTS},
    "score_nodes": {"source": _IDS, "target": _IDS},
    "score_new": {"source": _TEXTS, "structure": _VECTORS, "target": _IDS},
    "explain": {"source": _TEXTS, "target": _TEXTS},
    "explain_nodes": {"source": _IDS, "target": _IDS},
    "recommend": {"nodes": _IDS, "top": _NUMBER},
    "evidence": {"nodes": _IDS},
    "explain_evidence": {"source": _IDS, "target": _IDS},
    "embed": {"text": _TEXTS, "context": _TEXTS},
    "embed_text": {"text": _TEXTS},
    "embed_nodes": {"nodes": _IDS, "contexts": _IDS},
    "plan": {"source": _TEXTS, "target": _TEXTS},
}
_OTHERS = (tf.int32, tf.int16, tf.int8, tf.uint64, tf.uint32, tf.uint16, tf.uint8)


def as_signature(name: str, function: Callable[..., Any]) -> Any:
    """Returns a function with the inputs that `INPUTS` lists."""
    specs = [_named(spec, key) for key, spec in INPUTS[name].items()]
    return tf.function(function, input_signature=specs, autograph=False)


def of_any_integers(name: str, function: Any) -> Any:
    """Returns the same function for ids of any integer type.

    A signature takes one type, int64; the method of a loaded SavedModel takes all.

    Args:
        name: The signature.
        function: What `as_signature` returned.
    """
    specs = INPUTS[name]
    if all(spec.dtype != tf.int64 for spec in specs.values()):
        function.get_concrete_function()
        return function

    def cast(*given: tf.Tensor) -> Any:
        pairs = zip(given, specs.values(), strict=True)
        return function(*(tf.cast(value, spec.dtype) for value, spec in pairs))

    typed = tf.function(_with_parameters(cast, list(specs)), autograph=False)
    for kind in (tf.int64, *_OTHERS):
        asked = {
            key: _named(spec, key, kind if spec.dtype == tf.int64 else spec.dtype)
            for key, spec in specs.items()
        }
        typed.get_concrete_function(**asked)
    return typed


def _named(spec: Any, name: str, kind: Any = None) -> Any:
    return tf.TensorSpec(spec.shape, kind or spec.dtype, name=name)


def _with_parameters(function: Callable[..., Any], names: list[str]) -> Any:
    """Returns a function with named parameters, which TensorFlow requires."""
    import inspect

    def named(*given: Any, **by_name: Any) -> Any:
        return function(*given, *(by_name[name] for name in names[len(given) :]))

    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [inspect.Parameter(name, kind) for name in names]
    named.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return named
