"""Builds `pydocs`: the documentation of numpy, scipy and scikit-learn as a network.

Nodes are public functions, classes, ufuncs and distributions. A node's text is the
prose of its docstring, an edge joins two nodes if one mentions the other, and a label
is the topic of the node's subpackage. The libraries are read in a subprocess, so that
the caller's imports and settings have no effect.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from importlib import metadata
from pathlib import Path

from absl import logging

from cane_gane.data.pydocs.graph import assemble, largest_component
from cane_gane.data.pydocs.libraries import TOPIC_OF, read_libraries
from cane_gane.errors import InputError
from cane_gane.files import new_folder, read_json, sha256, write_json

EXPECTED_VERSIONS = {"numpy": "2.4.6", "scipy": "1.17.1", "scikit-learn": "1.9.1"}

_FILES = ("data.txt", "graph.txt", "group.txt", "ids.txt")
_VERSIONS = "versions.json"


def build(folder: Path) -> None:
    """Builds the data set in CANE's format, in place of an older build.

    Writes data.txt (one text per line), graph.txt (two node ids per line), group.txt
    (one topic per line), ids.txt (one name per line) and versions.json. Nothing is left
    half-written.

    Args:
        folder: Where to write. It may exist only if it holds nothing else.

    Raises:
        InputError: If Python has dropped all docstrings, or `folder` holds other
            files or cannot be written.
    """
    _require_docstrings()
    if (installed := _installed_versions()) != EXPECTED_VERSIONS:
        found, expected = (
            " ".join(map(" ".join, versions.items()))
            for versions in (installed, EXPECTED_VERSIONS)
        )
        message = "pydocs: found %s; the published figures hold for %s"
        logging.warning(message, found, expected)
    folder = folder.absolute()
    try:
        present = {path.name for path in folder.iterdir()} if folder.exists() else set()
        if others := present - {*_FILES, _VERSIONS}:
            raise InputError(
                f"{folder}: found {min(others)}; expected a new folder or an older "
                "build of pydocs, which would be replaced: name another folder"
            )
        with new_folder(folder) as draft:
            _run(draft)
    except OSError as error:
        raise InputError(
            f"{folder}: found {error.strerror}; expected a folder that can be written"
        ) from error


def is_current(folder: Path) -> bool:
    """Returns whether a folder holds an unchanged build for the installed libraries."""
    try:
        return bool(read_json(folder / _VERSIONS) == _record(folder))
    except (OSError, ValueError):
        return False


def write(folder: Path) -> None:
    """Builds the data set in this process and writes it to a folder.

    Use `build`, which gives the same bytes whatever this process has imported.
    """
    import numpy as np

    from cane_gane.data.network import TextualNetwork

    _require_docstrings()
    texts, edges = largest_component(*assemble(read_libraries()))
    ids = {name: node for node, name in enumerate(texts)}
    pairs = np.array(sorted((ids[one], ids[other]) for one, other in edges))
    labels = [(TOPIC_OF[name.rpartition(".")[0]],) for name in texts]
    TextualNetwork(list(texts.values()), pairs, labels, list(texts)).write(folder)
    write_json(folder / _VERSIONS, _record(folder))


def _run(folder: Path) -> None:
    """Runs `write` in a clean process."""
    environment = dict(os.environ, PYTHONWARNINGS="ignore")
    # With this variable set, scipy's functions have other docstrings.
    environment.pop("SCIPY_ARRAY_API", None)
    root = str(Path(__file__).resolve().parents[3])
    paths = filter(None, (environment.get("PYTHONPATH"), root))
    environment["PYTHONPATH"] = os.pathsep.join(paths)
    command = [sys.executable, "-P", "-m", "cane_gane.data.pydocs", str(folder)]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, errors="replace"
    )
    if done.returncode == InputError.exit_code:
        raise InputError(done.stderr.strip().splitlines()[-1])
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stderr}")


def _require_docstrings() -> None:
    if sys.flags.optimize >= 2:
        raise InputError(
            "pydocs: found Python without docstrings (-OO or PYTHONOPTIMIZE=2); "
            "expected Python with them: run it without -OO"
        )


def _installed_versions() -> dict[str, str]:
    return {name: metadata.version(name) for name in EXPECTED_VERSIONS}


def _record(folder: Path) -> dict[str, object]:
    """Returns the content of versions.json for the files of a folder."""
    content = b"".join((folder / file).read_bytes() for file in _FILES)
    versions = _installed_versions() | {"python": platform.python_version()}
    return {"versions": versions, "sha256": sha256(content)}
