"""Files of edges: two nodes on each line, and optionally the weight of the edge."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from cane_gane.data.graph import Edges
from cane_gane.data.lines import decode, is_number, number_of, quoted, read_lines
from cane_gane.data.weights import RULE, Weights, is_weight
from cane_gane.errors import fault


def read_edges(
    path: Path, node_count: int, names: Sequence[str] | None = None
) -> tuple[Edges, Weights | None]:
    """Reads a file of edges.

    Args:
        path: The file: two node ids on each line, and the weight if edges have one.
        node_count: The number of nodes.
        names: The names of the nodes, which may be used in place of ids. If a name
            contains spaces, columns are separated by tabs.

    Returns:
        The edges, `[edges, 2]`, in the order of the file, and their weights,
        `[edges]`, or None.

    Raises:
        InputError: The file is missing or faulty.
    """
    lines = decode(path, read_lines(path))
    divider = "\t" if _spaced(names) and any("\t" in line for line in lines) else None
    rows: list[tuple[int, list[str]]] = []
    width = 2
    for number, line in enumerate(lines, 1):
        columns = [column.strip() for column in line.strip().split(divider)]
        if not any(columns):
            continue
        if not rows and len(columns) == 3:
            width = 3
        if len(columns) != width:
            found = f"{len(columns)} column{'s' * (len(columns) > 1)} ({quoted(line)})"
            raise fault(path, number, found, _columns(width, divider, rows))
        rows.append((number, columns))
    if not rows:
        raise fault(path, None, "no edge", "two node ids on each line")
    look_up, expected = _node_look_up(rows, node_count, names)
    edges = [[look_up(column) for column in columns[:2]] for _, columns in rows]
    for nodes, (number, columns) in zip(edges, rows, strict=True):
        if None in nodes:
            raise fault(path, number, quoted(columns[nodes.index(None)]), expected)
    weights = _weights(path, rows) if width == 3 else None
    return np.array(edges, np.int64), weights


def edge_lines(edges: npt.NDArray[Any], weights: Weights | None = None) -> bytes:
    """Returns edges as upstream writes them: two ids (or names), tab-separated.

    Weights, if there are any, are a third column.
    """
    pairs = edges.tolist()
    if weights is None:
        return "".join(f"{source}\t{target}\n" for source, target in pairs).encode()
    ends = (str(weight).removesuffix(".0") for weight in weights.tolist())
    rows = zip(pairs, ends, strict=True)
    return "".join(f"{u}\t{v}\t{end}\n" for (u, v), end in rows).encode()


def _spaced(names: Sequence[str] | None) -> bool:
    return any(" " in name for name in names or ())


def _columns(
    width: int, divider: str | None, before: Sequence[tuple[int, list[str]]]
) -> str:
    """Returns which columns a line of edges should have."""
    if before and width == 3:
        return f"two node ids and a weight, as on line {before[0][0]}"
    between = "a tab" if divider else "white space"
    more = "" if before else ", and perhaps a weight"
    return f"two node ids, with {between} between them{more}"


def _weights(path: Path, rows: Sequence[tuple[int, list[str]]]) -> Weights:
    weights = np.array([number_of(columns[2]) for _, columns in rows])
    for place in np.flatnonzero(~is_weight(weights))[:1].tolist():
        number, columns = rows[place]
        raise fault(path, number, quoted(columns[2]), f"a weight, {RULE}")
    return weights


def _node_look_up(
    rows: Sequence[tuple[int, list[str]]], node_count: int, names: Sequence[str] | None
) -> tuple[Callable[[str], int | None], str]:
    """Returns a function from a column to a node id, and what a column may hold.

    With ids.txt the columns are names, unless all are numbers that are not names.
    """
    if names is not None:
        node_of = {name: node for node, name in enumerate(names)}
        cells = [column for _, columns in rows for column in columns[:2]]
        if all(c in node_of for c in cells) or not all(map(is_number, cells)):
            tabs = ", with tabs between names that have spaces" * _spaced(names)
            return node_of.get, f"a name from ids.txt{tabs}"

    def as_id(column: str) -> int | None:
        return int(column) if is_number(column) and int(column) < node_count else None

    return as_id, f"a node id from 0 to {node_count - 1}, the lines of data.txt"
