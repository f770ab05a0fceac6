"""GANE: embeddings of textual networks by optimal transport, in TensorFlow and Keras.

Public names load on first use, so that `import cane_gane` does not wait for
TensorFlow.
"""

from __future__ import annotations

import importlib
from importlib import metadata
from typing import Any

from cane_gane.version import VERSION

__version__ = VERSION

_HOME_OF = {
    "load": "api",
    "fit": "api",
    "open": "api",
    "Model": "api",
    "InputError": "errors",
    "TextualNetwork": "data.network",
    "Split": "data.splits",
    "split_edges": "data.splits",
    "find_dataset": "data.catalog",
    "CleanTokenizer": "data.tokens",
    "UpstreamTokenizer": "data.tokens",
    "EncodedTexts": "data.tokens",
    "read_embeddings": "data.vectors",
    "NoiseSampler": "sampling.negatives",
    "noise_table": "sampling.negatives",
    "EdgeSampler": "sampling.edges",
    "UpstreamSampler": "sampling.edges",
    "edge_batches": "sampling.batches",
    "ipot": "transport",
    "cosine_cost": "transport",
    "euclidean_cost": "transport",
    "Aggregation": "layers",
    "AttentionParsing": "layers",
    "InnerProduct": "layers",
    "MutualAttention": "layers",
    "TransportAlignment": "layers",
    "TransportPlan": "layers",
    "WordAlignment": "layers",
    "Fitted": "evaluation.fitted",
    "evaluate": "evaluation.evaluate",
    "classify_nodes": "evaluation.classification",
    "PROTOCOLS": "evaluation.protocols",
    "Method": "methods.method",
    "METHODS": "methods.registry",
}

__all__ = ["__version__", *_HOME_OF]


def _require(names: tuple[str, ...], minimum: tuple[int, int]) -> None:
    """Raises ImportError, in one line, unless one of `names` is new enough."""
    wanted = ".".join(map(str, minimum))
    for name in names:
        try:
            found = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
        if tuple(int(part) for part in found.split(".")[:2]) >= minimum:
            return
        raise ImportError(
            f"cane_gane needs {name} {wanted} or newer, found {found}: "
            f"pip install '{name}>={wanted}'"
        )
    raise ImportError(
        f"cane_gane needs {names[0]} {wanted} or newer, found none: "
        f"pip install '{names[0]}>={wanted}'"
    )


_require(("tensorflow", "tensorflow-cpu"), (2, 21))
_require(("keras",), (3, 15))


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'cane_gane' has no attribute '{name}'")
    return getattr(importlib.import_module(f".{_HOME_OF[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted(__all__)
