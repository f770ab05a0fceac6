"""A textual network: from a folder in CANE's format, from lists, or from a library."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from cane_gane.data import lines as text_files
from cane_gane.data.edges import edge_lines, read_edges
from cane_gane.data.graph import Edges
from cane_gane.data.libraries import networkx_fields, pandas_fields
from cane_gane.data.splits import Split, split_edges
from cane_gane.data.weights import EdgeWeights, Weights, as_weights
from cane_gane.errors import InputError, fault
from cane_gane.files import sha256, write_atomically

FILES = ("data.txt", "graph.txt", "group.txt", "ids.txt")


@dataclass(frozen=True, eq=False)
class TextualNetwork:
    """Nodes with texts, and edges between them.

    Attributes:
        texts: The text of each node.
        edges: Pairs of node ids, `[edges, 2]`, in the order of the file.
        labels: The labels of each node (none, one or several), or None.
        names: The name of each node, or None. Names are distinct; one may have single
            spaces inside.
        lines: The lines of data.txt as bytes, line ends included. Upstream's
            tokenizer reads these; without a file they follow from `texts`.
        source: The name or folder that it was loaded from; None for one from Python.
        weights: The weight of each edge, `[edges]`, the paper's w_uv; None stands for
            ones.
    """

    texts: Sequence[str]
    edges: Edges
    labels: Sequence[tuple[str, ...]] | None = None
    names: Sequence[str] | None = None
    lines: Sequence[bytes] = ()
    source: str | None = None
    weights: Weights | None = None

    def __post_init__(self) -> None:
        edges = np.asarray(self.edges)
        if edges.size and not np.issubdtype(edges.dtype, np.integer):
            raise InputError(f"found edges of {edges.dtype}; expected whole numbers")
        edges = edges.astype(np.int64)
        if not len(self.texts) or not edges.size:
            raise InputError(
                f"found {len(self.texts)} nodes and {edges.size // 2} edges; "
                "expected a network with at least one edge"
            )
        if edges.ndim != 2 or edges.shape[1] != 2:
            raise InputError(f"found edges of shape {edges.shape}; expected [edges, 2]")
        if edges.min() < 0 or edges.max() >= len(self.texts):
            raise InputError(
                f"found node ids {edges.min()} to {edges.max()} in the edges; "
                f"expected 0 to {len(self.texts) - 1}"
            )
        if not self.lines:
            lines = tuple(f"{text}\n".encode(errors="replace") for text in self.texts)
            object.__setattr__(self, "lines", lines)
        for what in ("labels", "names", "lines"):
            values = getattr(self, what)
            if values is not None and len(values) != len(self.texts):
                expected = f"expected {len(self.texts)}, one for each node"
                raise InputError(f"found {len(values)} {what}; {expected}")
        object.__setattr__(self, "edges", edges)
        if self.weights is not None:
            object.__setattr__(self, "weights", as_weights(self.weights, len(edges)))
            self.weights_of(edges[:1])  # refuses an edge with two weights
        if self.labels is not None:
            labels = tuple(map(_as_labels, self.labels))
            _check_labels({label for own in labels for label in own})
            object.__setattr__(self, "labels", labels)
        if self.names is not None:
            _check_names(self.names)
            name, count = Counter(self.names).most_common(1)[0]
            if count > 1:
                raise InputError(
                    f"found '{name}' {count} times in the names; expected a name of "
                    "its own for each node"
                )

    @property
    def node_count(self) -> int:
        """The number of nodes."""
        return len(self.texts)

    @property
    def has_texts(self) -> bool:
        """Whether any node has a text."""
        return any(map(str.strip, self.texts))

    def name_of(self, node: int) -> str:
        """Returns the name of a node, or `node N` if nodes have no names."""
        return self.names[node] if self.names else f"node {node}"

    @cached_property
    def _edge_weights(self) -> EdgeWeights | None:
        if self.weights is None:
            return None
        return EdgeWeights(self.edges, self.weights)

    def weights_of(self, edges: Edges) -> Weights | None:
        """Returns the weights of some edges of the network, `[edges]`, or None."""
        known = self._edge_weights
        return None if known is None else known.of(edges)

    def split(self, ratio: float, rule: str = "upstream", seed: int = 1) -> Split:
        """Draws training edges; the rest are test edges. See `split_edges`."""
        train, test = split_edges(self.edges, ratio, rule, seed)
        return Split(self, train, test, ratio, rule, seed)

    @classmethod
    def read(cls, folder: Path | str, source: str | None = None) -> TextualNetwork:
        """Reads data.txt, graph.txt and, where present, group.txt and ids.txt.

        Args:
            folder: A folder in CANE's format.
            source: The name of the data set, if it has one.

        Returns:
            The network.

        Raises:
            InputError: A file is missing or faulty; the message names the file,
                the line, what was found and what was expected.
        """
        folder = Path(folder)
        lines = text_files.read_lines(folder / "data.txt")
        if not lines:
            raise fault(folder / "data.txt", None, "no text", "one line for each node")
        texts = text_files.decode(folder / "data.txt", lines)
        names = text_files.read_names(folder / "ids.txt", len(texts))
        edges, weights = read_edges(folder / "graph.txt", len(texts), names)
        groups = text_files.read_optional(folder / "group.txt", len(texts))
        labels = None if groups is None else [tuple(own.split()) for own in groups]
        source = source or str(folder)
        try:
            return cls(texts, edges, labels, names, tuple(lines), source, weights)
        except InputError as error:  # a fault that only the files together show
            raise InputError(f"{folder / 'graph.txt'}: {error}") from None

    def write(self, folder: Path | str) -> None:
        """Writes the network to a folder in CANE's format.

        A line end or a NUL byte inside a text becomes a space. Edges are written with
        ids, or with names where these could be taken for ids.
        """
        folder = Path(folder)
        lines = (re.sub(rb"\0|\n(?!\Z)|\r(?!\n\Z)", b" ", line) for line in self.lines)
        write_atomically(folder / "data.txt", b"".join(lines))
        numeric = self.names is not None and any(map(text_files.is_number, self.names))
        columns = np.array(self.names)[self.edges] if numeric else self.edges
        write_atomically(folder / "graph.txt", edge_lines(columns, self.weights))
        if self.labels is not None:
            labels = "".join(f"{' '.join(own)}\n" for own in self.labels)
            write_atomically(folder / "group.txt", labels.encode())
        if self.names is not None:
            names = "".join(f"{name}\n" for name in self.names)
            write_atomically(folder / "ids.txt", names.encode())

    @classmethod
    def from_networkx(
        cls,
        graph: Any,
        text: str = "text",
        label: str = "label",
        weight: str = "weight",
    ) -> TextualNetwork:
        """Converts a networkx graph; node keys become names.

        Args:
            graph: The graph. Each edge of an undirected graph counts once.
            text: The node attribute that holds the text; nodes without it have none.
            label: The node attribute that holds one label or several, if there are any.
            weight: The edge attribute that holds the weight, if there is one; an
                edge without it has weight 1.

        Returns:
            The network.
        """
        return cls(**networkx_fields(graph, text, label, weight))

    @classmethod
    def from_pandas(
        cls,
        nodes: Any,
        edges: Any,
        text: str = "text",
        label: str = "label",
        source: str = "source",
        target: str = "target",
        weight: str = "weight",
    ) -> TextualNetwork:
        """Converts two pandas data frames; the index of `nodes` becomes names.

        Args:
            nodes: A row for each node, with a column of texts and optionally of labels.
            edges: A row for each edge, with two columns of values of that index.
            text: The column of texts.
            label: The column of labels, if there is one.
            source: The column of the edges' sources.
            target: The column of the edges' targets.
            weight: The column of the edges' weights, if there is one.

        Returns:
            The network.

        Raises:
            InputError: A column is missing, or an edge names no row of `nodes`.
        """
        return cls(**pandas_fields(nodes, edges, text, label, source, target, weight))


def digests(folder: Path) -> Mapping[str, str]:
    """Returns the SHA-256 of each file of a network's folder, by name."""
    present = (name for name in FILES if (folder / name).is_file())
    return {name: sha256((folder / name).read_bytes()) for name in present}


def _check_labels(labels: Iterable[str]) -> None:
    for label in labels:
        if label.split() != [label]:
            raise InputError(
                f"found '{label}' in the labels; expected a word without white space"
            )


def _check_names(names: Iterable[str]) -> None:
    for name in names:
        if not text_files.is_name(name):
            raise InputError(
                f"found '{name}' in the names; expected a name with "
                f"{text_files.NAME_RULE}"
            )


def _as_labels(value: Any) -> tuple[str, ...]:
    """Returns a node's labels: none, one, or several."""
    if value is None or (isinstance(value, float) and np.isnan(value)):
        return ()
    if isinstance(value, str):
        return tuple(value.split())
    if isinstance(value, Iterable):
        return tuple(map(str, value))
    return (str(value),)
