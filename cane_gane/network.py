"""A textual network, and how it is read from a folder in CANE's format."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from cane_gane.errors import InputError, fault

FILES = ("data.txt", "graph.txt", "group.txt", "ids.txt")


@dataclass(frozen=True)
class TextualNetwork:
    """Nodes with text, and edges between them.

    Attributes:
        texts: The text of each node.
        edges: Pairs of node ids, `[edges, 2]`, in the order of the file.
        labels: The labels of each node (none, one or several), or None.
        names: The name of each node, or None.
        lines: The lines of data.txt as bytes, line ends included. Upstream's
            tokenizer reads these; without a file they follow from `texts`.
    """

    texts: Sequence[str]
    edges: npt.NDArray[np.int64]
    labels: Sequence[tuple[str, ...]] | None = None
    names: Sequence[str] | None = None
    lines: Sequence[bytes] = ()

    def __post_init__(self) -> None:
        edges = np.asarray(self.edges, np.int64)
        object.__setattr__(self, "edges", edges)
        if not self.lines:
            lines = tuple(text.encode() + b"\n" for text in self.texts)
            object.__setattr__(self, "lines", lines)
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
        for what, values in (("labels", self.labels), ("names", self.names)):
            if values is not None and len(values) != len(self.texts):
                raise InputError(
                    f"found {len(values)} {what}; expected {len(self.texts)}, "
                    "one for each node"
                )

    @property
    def node_count(self) -> int:
        """The number of nodes."""
        return len(self.texts)

    @classmethod
    def read(cls, folder: Path | str) -> TextualNetwork:
        """Reads data.txt, graph.txt and, where present, group.txt and ids.txt.

        Args:
            folder: A folder in CANE's format.

        Returns:
            The network.

        Raises:
            InputError: A file is missing or faulty; the message names the file,
                the line, what was found and what was expected.
        """
        folder = Path(folder)
        lines = _read_lines(folder / "data.txt")
        if not lines:
            raise fault(folder / "data.txt", None, "no text", "one line for each node")
        texts = _decode(folder / "data.txt", lines)
        names = _read_names(folder / "ids.txt", len(texts))
        edges = read_edges(folder / "graph.txt", len(texts), names)
        labels = _read_labels(folder / "group.txt", len(texts))
        return cls(texts, edges, labels, names, tuple(lines))


def _read_lines(path: Path) -> list[bytes]:
    """Returns the lines of a file, line ends included."""
    if not path.is_file():
        present = sorted(p.name for p in path.parent.glob("*")) or ["nothing"]
        raise fault(
            path,
            None,
            "no such file",
            f"it beside {', '.join(present[:8])}; docs/data.md shows the format",
        )
    lines = path.read_bytes().split(b"\n")
    last = lines.pop()
    lines = [line + b"\n" for line in lines]
    return [*lines, last] if last else lines


def _decode(path: Path, lines: Sequence[bytes]) -> list[str]:
    """Returns the lines as text, without their ends and a byte order mark."""
    texts = []
    for number, line in enumerate(lines, 1):
        if number == 1:
            line = line.removeprefix(codecs.BOM_UTF8)
        if b"\0" in line:
            raise fault(path, number, "a NUL byte", "text in UTF-8")
        try:
            text = line.decode()
        except UnicodeDecodeError as error:
            raise fault(
                path,
                number,
                f"byte 0x{line[error.start]:02x} at column {error.start + 1}",
                f"text in UTF-8 (iconv -f latin1 -t utf8 {path.name} converts it)",
            ) from None
        texts.append(text.removesuffix("\n").removesuffix("\r"))
    return texts


def _read_names(path: Path, node_count: int) -> tuple[str, ...] | None:
    """Returns the name of each node, or None where there is no such file."""
    if not path.exists():
        return None
    names = _decode(path, _read_lines(path))
    _check_length(path, names, node_count)
    first_line: dict[str, int] = {}
    for number, name in enumerate(names, 1):
        if not name or len(name.split()) != 1:
            raise fault(path, number, f"'{name}'", "one name without white space")
        if name in first_line:
            raise fault(
                path,
                number,
                f"'{name}', which line {first_line[name]} holds too",
                "a name of its own for each node",
            )
        first_line[name] = number
    return tuple(names)


def _read_labels(path: Path, node_count: int) -> tuple[tuple[str, ...], ...] | None:
    """Returns the labels of each node, or None where there is no such file."""
    if not path.exists():
        return None
    labels = [tuple(line.split()) for line in _decode(path, _read_lines(path))]
    _check_length(path, labels, node_count)
    return tuple(labels)


def _check_length(path: Path, values: Sequence[object], node_count: int) -> None:
    if len(values) != node_count:
        raise fault(
            path,
            None,
            f"{len(values)} lines",
            f"{node_count}, one for each line of data.txt (a blank line for none)",
        )


def read_edges(
    path: Path, node_count: int, names: Sequence[str] | None = None
) -> npt.NDArray[np.int64]:
    """Reads a file of edges.

    Args:
        path: The file, two node ids a line.
        node_count: The number of nodes.
        names: The names of the nodes, which may stand in place of ids.

    Returns:
        The edges, `[edges, 2]`, in the order of the file.

    Raises:
        InputError: The file is missing or faulty.
    """
    rows: list[tuple[int, list[str]]] = []
    for number, line in enumerate(_decode(path, _read_lines(path)), 1):
        columns = line.split()
        if not columns:
            continue
        if len(columns) != 2:
            raise fault(
                path,
                number,
                f"{len(columns)} column{'s' * (len(columns) > 1)} ('{line.strip()}')",
                "two node ids, with white space between them",
            )
        rows.append((number, columns))
    if not rows:
        raise fault(path, None, "no edge", "two node ids on each line")
    look_up, expected = _node_look_up(rows, node_count, names)
    edges = np.empty((len(rows), 2), np.int64)
    for index, (number, columns) in enumerate(rows):
        for side, column in enumerate(columns):
            node = look_up(column)
            if node is None:
                raise fault(path, number, f"'{column}'", expected)
            edges[index, side] = node
    return edges


def _node_look_up(
    rows: Sequence[tuple[int, list[str]]], node_count: int, names: Sequence[str] | None
) -> tuple[Callable[[str], int | None], str]:
    """Returns what turns a column into a node id, and what a column may hold.

    With ids.txt the columns are names, unless all are numbers that are no names.
    """
    if names is not None:
        node_of = {name: node for node, name in enumerate(names)}
        cells = [column for _, columns in rows for column in columns]
        if all(c in node_of for c in cells) or not all(map(_is_number, cells)):
            return node_of.get, "a name that stands in ids.txt"

    def as_id(column: str) -> int | None:
        return int(column) if _is_number(column) and int(column) < node_count else None

    return as_id, f"a node id from 0 to {node_count - 1}, the lines of data.txt"


def _is_number(column: str) -> bool:
    return column.isascii() and column.isdigit() and len(column) < 19
