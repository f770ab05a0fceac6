"""What readers call protocols, baselines and methods: the registries' titles.

A key that is not registered, as a run of another version may have, is its own title.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cane_gane.evaluation import protocols
from cane_gane.methods import baselines, registry


def protocol_title(key: str) -> str:
    """Returns what readers call a protocol."""
    return _title(protocols.PROTOCOLS, key)


def baseline_title(key: str) -> str:
    """Returns what readers call a baseline."""
    return _title(baselines.BASELINES, key)


def method_title(key: str) -> str:
    """Returns what readers call a method."""
    return _title(registry.METHODS, key)


def _title(known: Mapping[str, Any], key: str) -> str:
    return str(known[key].title) if key in known else key
