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

from cane_gane.data.catalog import NAMES, canonical_name, find_dataset
from cane_gane.data.network import TextualNetwork, digests
from cane_gane.files import sha256

Example = dict[str, Any]

_EMPTY: Example = {"text": "", "labels": [], "name": "", "source": -1, "target": -1}


@dataclasses.dataclass(kw_only=True)
class NetworkConfig(tfds.core.BuilderConfig):
    """What to build from.

    Attributes:
        folder: A folder in CANE's format; None means the data set called `name`.
    """

    folder: str | None = None


class TextualNetworkBuilder(tfds.core.GeneratorBasedBuilder):
    """A textual network as the splits `nodes` and `edges`.

    A node has an `id`, a `text`, `labels` and a `name` (empty if the network has none).
    An edge has an `id`, its line of graph.txt from 0, and node ids `source` and
    `target`. Both splits have all fields, as TensorFlow Datasets requires: those that
    do not apply are empty, or -1. The order of the examples is not that of the files;
    sort by `id` if it matters.
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
        wanted = config.name if config.folder is None else Path(config.folder)
        folder = find_dataset(wanted)
        config = dataclasses.replace(config, folder=str(folder))
        content = sha256(repr(sorted(digests(folder).items())).encode())
        config.name = f"{canonical_name(config.name)}-{content[:12]}"
        super().__init__(config=config, **options)

    def _info(self) -> tfds.core.DatasetInfo:
        text = tfds.features.Text()
        features = dict.fromkeys(("id", "source", "target"), np.int64)
        features |= {"text": text, "name": text, "labels": tfds.features.Sequence(text)}
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
        labels = list(network.labels[node]) if network.labels else []
        name = network.names[node] if network.names else ""
        yield node, {**_EMPTY, "id": node, "text": text, "labels": labels, "name": name}


def _edges(network: TextualNetwork) -> Iterator[tuple[int, Example]]:
    for line, (source, target) in enumerate(network.edges.tolist()):
        yield line, {**_EMPTY, "id": line, "source": source, "target": target}
