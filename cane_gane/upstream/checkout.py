"""A user's checkout of thunlp/CANE: checked, copied to run, never written to."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from cane_gane.data.catalog import COMMIT, find_dataset
from cane_gane.data.splits import Split
from cane_gane.errors import InputError
from cane_gane.files import sha256, write_atomically

# The files that a run needs, each with its SHA-256 at `COMMIT`.
CODE: Mapping[str, str] = {
    "config.py": "2462109dcb56ec75f4e76e680a3d21ef25b1d578cf2e6b251fda33321449e648",
    "DataSet.py": "ae9220558331aefd4876a92c72f91ad76cb2db572e25ab1f82b2e8bb06fdd32a",
    "negativeSample.py": (
        "2c7a32811c91a6b7623714914663f1d228f87175d727a250b0c10e89584223ed"
    ),
    "cane.py": "bb3010b7acb25a8e8ec6d8c57f0044eb3d31b163ec705a5671e5af7d94b694c0",
    "train.py": "16c995a175a3de20500bc47cc87d536b7fd0a4134f479dc66707e173057cb990",
    "auc.py": "45b874a2fda637a51f799a71983cdff12e73df9e0c2191a09dd07862950727db",
}


@dataclass(frozen=True)
class Checkout:
    """Upstream's code, as read from a folder.

    Attributes:
        folder: The checkout.
        files: The content of each file in its folder `code`, by name.
    """

    folder: Path
    files: Mapping[str, bytes]

    @classmethod
    def read(cls, folder: Path) -> Checkout:
        """Reads the code of a checkout.

        Raises:
            InputError: The folder is not a checkout of upstream.
        """
        code = folder / "code"
        for name in CODE:
            if not (code / name).is_file():
                raise InputError(
                    f"{folder}: found no code/{name}; expected a checkout of upstream "
                    "CANE: git clone https://github.com/thunlp/CANE"
                )
        files = {path.name: path.read_bytes() for path in sorted(code.glob("*.py"))}
        return cls(folder, files)

    @property
    def digests(self) -> dict[str, str]:
        """The SHA-256 of each file that a run needs."""
        return {name: sha256(self.files[name]) for name in CODE}

    def warning(self) -> str | None:
        """Returns a warning about code of another commit, or None."""
        changed = [name for name in CODE if self.digests[name] != CODE[name]]
        if not changed:
            return None
        return (
            f"{self.folder}: found {', '.join(changed)} other than at commit "
            f"{COMMIT[:7]}; it runs, but its figures may differ"
        )

    def copy_to(self, work: Path, split: Split, dataset: str) -> None:
        """Writes the files that upstream expects, with our data and our split.

        Args:
            work: The folder to write to; upstream runs in its folder `code`.
            split: The network, and its training and test edges.
            dataset: The name of its folder under `datasets`.
        """
        for name, content in self.files.items():
            write_atomically(work / "code" / name, content)
        split.write(work / "code" / "temp")
        texts = b"".join(split.network.lines)
        write_atomically(work / "datasets" / dataset / "data.txt", texts)


def find_data(name: str, checkout: Checkout) -> Path:
    """Returns the folder of a data set, which may be the checkout's own.

    After that, this process and its children also look there.

    Raises:
        InputError: The data set is not found.
    """
    own = checkout.folder.resolve() / "datasets"
    places = [os.environ.get("CANE_DATASETS", ""), str(own)]
    os.environ["CANE_DATASETS"] = os.pathsep.join(filter(None, places))
    try:
        return find_dataset(name)
    except InputError as error:
        reason, failed, _ = str(error).partition("; expected the data set:")
        if not failed:
            raise
        raise InputError(f"{reason}; expected it in {own / name}, say") from None
