"""The titles of protocols, baselines and methods for readers, from the registries.

A key that is not registered, such as one from another version, is its own title.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from cane_gane.evaluation import protocols
from cane_gane.methods import baselines, registry

MAIN = "strict"  # the protocol that readers see first


def protocol_title(key: str) -> str:
    """Returns the title of a protocol, marked if it does not test prediction."""
    mark = "" if predicts(key) else " (not a test of prediction)"
    return _title(protocols.PROTOCOLS, key) + mark


def predicts(key: str) -> bool:
    """Returns whether a protocol tests prediction, as far as known."""
    return key not in protocols.PROTOCOLS or protocols.PROTOCOLS[key].predicts


def ordered(keys: Iterable[str]) -> list[str]:
    """Returns protocols, `MAIN` first and those that do not test prediction last."""
    return sorted(dict.fromkeys(keys), key=lambda key: (key != MAIN, not predicts(key)))


def baseline_title(key: str) -> str:
    """Returns the title of a baseline."""
    return _title(baselines.BASELINES, key)


def method_title(key: str) -> str:
    """Returns the title of a method."""
    return _title(registry.METHODS, key)


def _title(known: Mapping[str, Any], key: str) -> str:
    return str(known[key].title) if key in known else key
