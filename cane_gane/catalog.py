"""Data sets by name: found in a folder, downloaded, or built; or any folder."""

from __future__ import annotations

import hashlib
import os
import sys
import urllib.error
import urllib.request
from collections.abc import Mapping
from pathlib import Path

from cane_gane import pydocs
from cane_gane.errors import InputError
from cane_gane.files import locked, new_folder, sha256

COMMIT = "a0e7e7802c3e0f9daf3c230ca6ba91e314f3a749"
ADDRESS = f"https://raw.githubusercontent.com/thunlp/CANE/{COMMIT}/datasets"
HOME = Path(__file__).resolve().parent.parent / "datasets"
TIMEOUT_SECONDS = 30

# SHA-256 of each file, or `git:` and the git blob id where that is what is known.
PUBLISHED: Mapping[str, Mapping[str, str]] = {
    "cora": {
        "data.txt": "0b3f7748134974d3d261365f625e532ea889edf27560b28cd24f6d1f9c71fbb9",
        "graph.txt": "b2202fda793a7ef9216aa55ce1b21f96985129ba009c5b49ec39a9f0abc18b23",
        "group.txt": "77b948c2a5fd7ff8e8cddeeaa06f0c8789fbde1edfc3795d2c8a98f6f0e2a502",
    },
    "HepTh": {
        "data.txt": "0f50f28ef7a67e0945e18cf2752434d170b26314c6a8b0c2e0b7d3835043c77a",
        "graph.txt": "babc7eae2308607df168a6d65e1d2eb147bd280212fd52b451d6697fb544cb26",
    },
    "zhihu": {
        "data.txt": "git:ec4932a37d80de84583f0c01548ef3d98344e4dc",
        "graph.txt": "ad7b59c76af4740d2a594bf0a9625652bc47acd4d183b14b91c07c4fab11ff4a",
    },
}
NAMES = ("pydocs", *PUBLISHED)


def find_dataset(name: str) -> Path:
    """Returns the folder of a data set; downloads or builds it where needed.

    `cora`, `HepTh` and `zhihu` are looked for in `datasets/`, then in each
    folder of the search path `CANE_DATASETS`, then downloaded into `datasets/`.
    `pydocs` is built there. Anything else is a folder.

    Args:
        name: A name from `NAMES`, in any case, or a path. `./cora` is a path.

    Returns:
        The folder.

    Raises:
        InputError: There is no such data set, and no way to get it now.
    """
    known = {known.lower(): known for known in NAMES}.get(name.lower())
    if known is None:
        if not Path(name).is_dir():
            raise InputError(
                f"found no data set and no folder '{name}'; expected one of "
                f"{', '.join(NAMES)}, or a folder as docs/data.md describes it"
            )
        return Path(name)
    if known == "pydocs":
        return _build_pydocs()
    places = [HOME, *map(Path, filter(None, _search_path().split(os.pathsep)))]
    for place in places:
        if all((place / known / file).is_file() for file in PUBLISHED[known]):
            return place / known
    return _download(known)


def _search_path() -> str:
    return os.environ.get("CANE_DATASETS", "")


def _build_pydocs() -> Path:
    folder = HOME / "pydocs"
    with locked(HOME / ".lock"):
        if not pydocs.is_current(folder):
            _say("pydocs: building from the installed numpy, scipy and scikit-learn …")
            pydocs.build(folder)
    return folder


def _download(name: str) -> Path:
    folder = HOME / name
    with locked(HOME / ".lock"):
        if folder.is_dir() and all((folder / f).is_file() for f in PUBLISHED[name]):
            return folder  # another process was faster
        with new_folder(folder) as draft:
            for file, digest in PUBLISHED[name].items():
                _say(f"{name}: downloading {file} …")
                content = _fetch(name, file)
                if _digest_like(digest, content) != digest:
                    raise InputError(
                        f"{name}/{file}: found a download of {len(content)} bytes with "
                        f"digest {_digest_like(digest, content)}; expected {digest}: "
                        "try again, or copy the file by hand"
                    )
                (draft / file).write_bytes(content)
    return folder


def _fetch(name: str, file: str) -> bytes:
    address = os.environ.get("CANE_DATASETS_URL", ADDRESS)
    try:
        with urllib.request.urlopen(
            f"{address}/{name}/{file}", timeout=TIMEOUT_SECONDS
        ) as answer:
            content: bytes = answer.read()
            return content
    except (OSError, ValueError) as error:
        reason = getattr(error, "reason", error)
        raise InputError(
            f"{name}: found in neither {HOME / name} nor CANE_DATASETS "
            f"('{_search_path()}'), and the download failed ({reason}). "
            "Three ways to get it:\n"
            "  1. run this again with a network connection;\n"
            f"  2. copy the folder datasets/{name} of github.com/thunlp/CANE "
            f"to {HOME / name};\n"
            f"  3. set CANE_DATASETS to a folder that holds {name}/.\n"
            "`bash run.sh` alone needs none of them: its data set is built on the spot."
        ) from None


def _digest_like(expected: str, content: bytes) -> str:
    """Returns the digest of `content`, of the kind that `expected` is."""
    if expected.startswith("git:"):
        blob = b"blob %d\0" % len(content) + content
        return f"git:{hashlib.sha1(blob, usedforsecurity=False).hexdigest()}"
    return sha256(content)


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
