"""TensorFlow Datasets builders: `tfds.load("textual_network/cora")`, or any folder.

Import this module, then load. The prepared copy is named after the content of
the network's files, so that it is never stale.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow_datasets as tfds

from cane_gane.catalog import NAMES, find_dataset
from cane_gane.files import sha256
from cane_gane.network import FILES, TextualNetwork

Example = dict[str, Any]


@dataclasses.dataclass(kw_only=True)
class NetworkConfig(tfds.core.BuilderConfig):
    """What to build from.

    Attributes:
        folder: A folder in CANE's format; None is the data set called `name`.
    """

    folder: str | None = None


class TextualNetworkBuilder(tfds.core.GeneratorBasedBuilder):
    """A textual network as the splits `nodes` and `edges`.

    A node has an `id`, a `text`, `labels` and a `name` (empty where the network
    has none). An edge has an `id`, its place in graph.txt from 0, and node ids
    `source` and `target`. Both splits have all fields, as TensorFlow Datasets
    wants: those that do not apply are empty, or -1. The order of the examples is
    not that of the files; sort by `id` where it matters.
    """

    name = "textual_network"
    VERSION = tfds.core.Version("1.0.0")
    BUILDER_CONFIGS = tuple(NetworkConfig(name=name) for name in NAMES)

    def __init__(
        self, *, config: NetworkConfig | str | None = None, **options: Any
    ) -> None:
        """Takes a `NetworkConfig` or the name of a data set (default: pydocs)."""
        if not isinstance(config, NetworkConfig):
            config = NetworkConfig(name=config or NAMES[0])
        folder = find_dataset(config.folder or config.name)
        config = dataclasses.replace(config, folder=str(folder))
        config.name = f"{config.name}-{_digest(folder)[:12]}"
        super().__init__(config=config, **options)

    def _info(self) -> tfds.core.DatasetInfo:
        features = {
            "id": np.int64,
            "text": tfds.features.Text(),
            "labels": tfds.features.Sequence(tfds.features.Text()),
            "name": tfds.features.Text(),
            "source": np.int64,
            "target": np.int64,
        }
        return tfds.core.DatasetInfo(
            builder=self,
            description="Nodes with text, and the edges between them.",
            features=tfds.features.FeaturesDict(features),
        )

    def _split_generators(
        self, dl_manager: tfds.download.DownloadManager
    ) -> dict[str, Iterator[tuple[int, Example]]]:
        network = TextualNetwork.read(self.builder_config.folder)
        return {"nodes": _nodes(network), "edges": _edges(network)}

    def _generate_examples(self) -> Iterator[tuple[int, Example]]:
        raise NotImplementedError("_split_generators makes the examples")


def _nodes(network: TextualNetwork) -> Iterator[tuple[int, Example]]:
    for node, text in enumerate(network.texts):
        yield (
            node,
            {
                "id": node,
                "text": text,
                "labels": list(network.labels[node]) if network.labels else [],
                "name": network.names[node] if network.names else "",
                "source": -1,
                "target": -1,
            },
        )


def _edges(network: TextualNetwork) -> Iterator[tuple[int, Example]]:
    for place, (source, target) in enumerate(network.edges.tolist()):
        yield (
            place,
            {
                "id": place,
                "text": "",
                "labels": [],
                "name": "",
                "source": source,
                "target": target,
            },
        )


def _digest(folder: Path) -> str:
    """Returns a digest of the content of the network's files."""
    present = (folder / name for name in FILES if (folder / name).is_file())
    return sha256(
        b"".join(f"{p.name} {sha256(p.read_bytes())}\n".encode() for p in present)
    )
