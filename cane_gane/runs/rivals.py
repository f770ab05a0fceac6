"""The baselines of a split: measured during training, cached for its other runs."""

from __future__ import annotations

import hashlib
import io
import json
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from cane_gane import beside
from cane_gane.data.splits import Split
from cane_gane.evaluation.contests import Measured, Measures
from cane_gane.evaluation.outcomes import Outcomes
from cane_gane.evaluation.results import Draws, Roc, to_json
from cane_gane.files import digest, locked, write_atomically
from cane_gane.methods.baselines import measure_baselines

FOLDER = ".baselines"
_PACKAGES = ("numpy", "scipy", "scikit-learn")
_ARRAYS = ("shares", "places", "precisions")

Baselines = dict[str, Measures]


def begin_baselines(
    split: Split, seed: int, folder: Path, *, later: bool = False
) -> beside.Pending[Baselines]:
    """Begins to measure the baselines of a split, on another core.

    Args:
        split: The split.
        seed: The seed of samples and draws.
        folder: The folder of the cache, with a file for each split.
        later: Whether the next call of the second process goes first.
    """
    begin = beside.call_later if later else beside.call
    nodes = split.network.node_count
    return begin(nodes, kept_baselines, split, seed, folder / FOLDER)


def kept_baselines(split: Split, seed: int, folder: Path) -> Baselines:
    """Returns the baselines of a split, from the cache if an earlier run filled it.

    The file's name is a digest of everything that the figures depend on: texts, edges,
    seed, the code of this package and the versions of its libraries.
    """
    if split.network.node_count < beside.SMALL:  # a cache saves nothing
        return measure_baselines(split, seed)
    path = folder / f"{_key(split, seed)}.npz"
    with locked(path.with_suffix(".lock")):
        try:
            return unpack(path.read_bytes())
        except Exception:  # missing or damaged; many types of errors
            found = measure_baselines(split, seed)
            write_atomically(path, pack(found))
            return found


def pack(found: Baselines) -> bytes:
    """Returns baselines as the content of a cache file."""
    arrays: dict[str, Any] = {}
    records: dict[str, dict[str, Any]] = {}
    for key, measures in found.items():
        records[key] = {}
        for protocol, own in measures.items():
            outcomes = own.outcomes
            records[key][protocol] = {
                "draws": to_json(outcomes.draws),
                "notes": dict(outcomes.notes),
                "roc": to_json(own.roc),
            }
            for name in _ARRAYS:
                if (values := getattr(outcomes, name)) is not None:
                    arrays[f"{key}/{protocol}/{name}"] = values
    content = io.BytesIO()
    np.savez_compressed(content, records=np.array(json.dumps(records)), **arrays)
    return content.getvalue()


def unpack(content: bytes) -> Baselines:
    """Returns the baselines that `pack` packed."""
    with np.load(io.BytesIO(content)) as stored:
        arrays = dict(stored)
    found: dict[str, dict[str, Measured]] = {}
    for key, measures in json.loads(str(arrays["records"])).items():
        found[key] = {}
        for protocol, record in measures.items():
            shares, places, precisions = (
                arrays.get(f"{key}/{protocol}/{name}") for name in _ARRAYS
            )
            if shares is None or places is None:
                raise ValueError(f"no outcomes of {key} in {protocol}")
            outcomes = Outcomes(
                shares, places, precisions, Draws(**record["draws"]), record["notes"]
            )
            roc = record["roc"] and Roc(**record["roc"])
            found[key][protocol] = Measured(outcomes, roc)
    return dict(found)


def _key(split: Split, seed: int) -> str:
    hashed = hashlib.sha256()
    versions = [f"{name} {metadata.version(name)}" for name in _PACKAGES]
    texts = list(split.network.texts)
    hashed.update(json.dumps([seed, _code(), versions, texts]).encode())
    for edges in (split.network.edges, split.train, split.test):
        hashed.update(f"{edges.shape}".encode() + np.ascontiguousarray(edges).tobytes())
    return hashed.hexdigest()[:32]


@lru_cache(maxsize=1)
def _code() -> str:
    """Returns a digest of the code of this package."""
    home = Path(__file__).resolve().parent.parent
    files = sorted(home.rglob("*.py"))
    return "".join(str(digest(file)) for file in files)
