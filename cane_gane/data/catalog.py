"""Data sets by name (found in a folder, downloaded, or built), or any folder."""

from __future__ import annotations

import hashlib
import http.client
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from cane_gane.config import suggestion
from cane_gane.data import pydocs
from cane_gane.data.downloads import download
from cane_gane.data.network import TextualNetwork
from cane_gane.errors import InputError
from cane_gane.files import locked, sha256, write_atomically
from cane_gane.progress import say

COMMIT = "a0e7e7802c3e0f9daf3c230ca6ba91e314f3a749"
CANE, DMTE = "thunlp/CANE", "dylanz0426/DMTE"
COMMITS = {CANE: COMMIT, DMTE: "63bbfd61c6b3466b763b8b626dff40a3d2a17daa"}
ROOT = Path(__file__).resolve().parents[2]

# SHA-256 of each file, or `git:` and the git blob id where only that is known.
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
    "dblp": {
        "data.txt": "7a39c755d240651677a3158de5f5e71d1097bf72c5fdfd149503b3a05b2bbccc",
        "graph.txt": "7419fb69f4eb8a8a1926d9e7e5a3a2ecef8c25f21d5b0c9bdc3d38d6a75c3224",
        "group.txt": "3a569dc0b95a799941e70519d27a31c026548267d1fe55b3344f67c8b7f7d35a",
    },
}
NAMES = ("pydocs", *PUBLISHED)


def home() -> Path:
    """Returns the folder where data sets are built and downloaded.

    In a checkout this is `datasets/` beside `run.sh`; an installed package uses the
    user's cache folder.
    """
    if (ROOT / "run.sh").is_file():
        return ROOT / "datasets"
    if sys.platform == "darwin":
        caches = Path.home() / "Library" / "Caches"
    else:
        caches = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return caches / "cane_gane" / "datasets"


def load(name: str | Path) -> TextualNetwork:
    """Reads a data set by its name, or any folder in CANE's format.

    Args:
        name: See `find_dataset`.

    Returns:
        The network. Its `source` is the catalog's spelling of the name, or the folder
        as it was given.

    Raises:
        InputError: There is no such data set, or a file of it is faulty.
    """
    return TextualNetwork.read(find_dataset(name), source=canonical_name(name))


def canonical_name(name: str | Path) -> str:
    """Returns the catalog's spelling of a name, such as `HepTh`; folders unchanged."""
    spellings = {known.lower(): known for known in NAMES}
    return str(name) if isinstance(name, Path) else spellings.get(name.lower(), name)


def find_dataset(name: str | Path) -> Path:
    """Returns the folder of a data set; downloads or builds it if needed.

    `cora`, `HepTh`, `zhihu` and `dblp` are looked for in `home()`, then in each folder
    of the search path `CANE_DATASETS`, then downloaded into `home()`. `pydocs` is
    built there. Anything else is a folder.

    Args:
        name: A name from `NAMES`, in any case, or a folder: `./cora` and any `Path`
            are folders.

    Returns:
        The folder.

    Raises:
        InputError: There is no such data set, and no way to get it now.
    """
    known = canonical_name(name)
    if isinstance(name, Path) or known not in NAMES:
        if Path(name).is_file():
            raise InputError(
                f"found a file, '{name}'; expected a folder, or one of "
                f"{', '.join(NAMES)}: bash run.sh import makes a folder of a table"
            )
        if not Path(name).is_dir():
            raise InputError(
                f"found no data set and no folder '{name}'; expected one of "
                f"{', '.join(NAMES)}, or a folder as docs/data.md describes it"
                f"{suggestion(str(name), NAMES)}"
            )
        return Path(name)
    if known == "pydocs":
        return _build_pydocs()
    search_path = os.environ.get("CANE_DATASETS", "").split(os.pathsep)
    for folder in [home(), *map(Path, filter(None, search_path))]:
        if all((folder / known / file).is_file() for file in PUBLISHED[known]):
            return folder / known
    return _download(known)


def _build_pydocs() -> Path:
    folder = home() / "pydocs"
    with locked(home() / ".lock"):
        if not pydocs.is_current(folder):
            say("pydocs: building from the installed numpy, scipy and scikit-learn …")
            pydocs.build(folder)
    return folder


def _download(name: str) -> Path:
    """Downloads the missing files of a data set's folder; existing files stay."""
    folder = home() / name
    with locked(home() / ".lock"):
        files = PUBLISHED[name]
        present = [file for file in files if (folder / file).is_file()]
        for file in present:
            if _digest_like(files[file], (folder / file).read_bytes()) != files[file]:
                raise InputError(
                    f"{folder / file}: found another file than the published one, in a "
                    "folder that lacks some; expected all files of one data set: move "
                    "the folder away, or complete it"
                )
        for file in [file for file in files if file not in present]:
            say(f"{name}: downloading {file} …")
            content = _fetch(name, file)
            if (digest := _digest_like(files[file], content)) != files[file]:
                kind = "web page" if content.lstrip()[:1] == b"<" else "download"
                raise InputError(
                    f"{name}/{file}: found a {kind} of {len(content)} bytes with "
                    f"digest {digest}; expected {files[file]}: try again, or copy the "
                    "file by hand"
                )
            write_atomically(folder / file, content)
    return folder


def _fetch(name: str, file: str) -> bytes:
    repository = DMTE if name == "dblp" else CANE
    usual = f"https://raw.githubusercontent.com/{repository}/{COMMITS[repository]}"
    address = os.environ.get("CANE_DATASETS_URL", f"{usual}/datasets")
    part = home() / name / f".{file}.part"
    known = PUBLISHED[name][file]
    try:
        return download(
            f"{address}/{name}/{file}",
            part,
            lambda content: _digest_like(known, content) == known,
        )
    except (OSError, ValueError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", None) or error or type(error).__name__
        folder, search_path = home() / name, os.environ.get("CANE_DATASETS", "")
        raise InputError(
            f"{name}: found in neither {folder} nor CANE_DATASETS "
            f"('{search_path}'), and the download failed ({reason}); expected the "
            "data set: run this again with a network connection; or copy the folder "
            f"datasets/{name} of github.com/{repository} to {folder}; or set "
            f"CANE_DATASETS to a folder that holds {name}/. The data set pydocs needs "
            "no download: it is built from the installed libraries"
        ) from None


def _digest_like(expected: str, content: bytes) -> str:
    """Returns the digest of `content`, of the same kind as `expected`."""
    if expected.startswith("git:"):
        blob = b"blob %d\0" % len(content) + content
        return f"git:{hashlib.sha1(blob, usedforsecurity=False).hexdigest()}"
    return sha256(content)
