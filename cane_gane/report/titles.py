"""What readers call protocols, baselines and methods: the registries' titles.

A key that is not registered, as a run of another version may have, is its own title.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from cane_gane.evaluation import protocols
from cane_gane.methods import baselines, registry

MAIN = "strict"  # the protocol that a reader looks at first


def protocol_title(key: str) -> str:
    """Returns what readers call a protocol, marked where it does not predict."""
    mark = "" if predicts(key) else " (not a test of prediction)"
    return _title(protocols.PROTOCOLS, key) + mark


def predicts(key: str) -> bool:
    """Returns whether a protocol tests prediction, as far as that is known."""
    return key not in protocols.PROTOCOLS or protocols.PROTOCOLS[key].predicts


def ordered(keys: Iterable[str]) -> list[str]:
    """Returns protocols, `MAIN` first and those that do not predict last."""
    return sorted(dict.fromkeys(keys), key=lambda key: (key != MAIN, not predicts(key)))


def baseline_title(key: str) -> str:
    """Returns what readers call a baseline."""
    return _title(baselines.BASELINES, key)


def method_title(key: str) -> str:
    """Returns what readers call a method."""
    return _title(registry.METHODS, key)


def _title(known: Mapping[str, Any], key: str) -> str:
    return str(known[key].title) if key in known else key
