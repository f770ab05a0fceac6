"""Imports a network from common files: tables of nodes, and of edges."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from cane_gane.data.lines import number_of, quoted
from cane_gane.data.network import TextualNetwork
from cane_gane.data.tables import Table, as_text, read_table
from cane_gane.data.weights import RULE, is_weight
from cane_gane.errors import fault

# The usual names of columns, likeliest first.
USUAL: Mapping[str, Sequence[str]] = {
    "id": ("id", "node", "node_id", "key", "name", "url"),
    "text": ("text", "abstract", "content", "body", "description", "summary", "title"),
    "links": (
        "links", "link", "references", "refs", "cites", "neighbours", "neighbors",
        "related", "see_also",
    ),
    "label": ("label", "labels", "class", "category", "topic", "group"),
    "source": ("source", "from", "src", "source_id", "citing"),
    "target": ("target", "to", "dst", "target_id", "cited"),
    "weight": ("weight", "w", "count"),
}  # fmt: skip
Edge = tuple[int, str, str, float | None]  # its line, two ids, its weight


@dataclass
class Imported:
    """An imported network, and how the files were read.

    Attributes:
        network: The network.
        columns: The column used for each part.
        unused: Columns of the nodes that are not used.
        notes: What else a user should know, one line each.
    """

    network: TextualNetwork
    columns: Mapping[str, str]
    unused: Sequence[str]
    notes: list[str] = field(default_factory=list)


def import_files(
    nodes: Path,
    edges: Path | None = None,
    chosen: Mapping[str, str] | None = None,
    skip_unknown: bool = False,
) -> Imported:
    """Makes a network from a table of nodes with links, or from nodes and edges.

    Args:
        nodes: A table with a row for each node.
        edges: A table with a row for each edge; without it, a column of `nodes` holds
            links.
        chosen: The names of columns, by the keys of `USUAL`; others are found by their
            usual names. Several columns for `text`, separated by commas, are joined.
        skip_unknown: Whether links to unknown ids are skipped rather than refused.

    Returns:
        The network, with ids as names.

    Raises:
        InputError: A file is missing or faulty, or a column is missing.
    """
    chosen = chosen or {}
    table = read_table(nodes, lambda _: True)
    places = _node_places(table, chosen, linked=edges is None)
    ids = _ids(table, places["id"][0])
    found = list(
        _links(table, places["links"][0], ids)
        if edges is None
        else _edges(read_table(edges, _is_header(ids, chosen)), chosen)
    )
    path = nodes if edges is None else edges
    kept = [row for row in found if row[1] in ids and row[2] in ids]
    notes = _missing(path, found, ids, skip_unknown)
    if not kept:
        raise fault(path, None, "no edge", "at least one link between two nodes")
    pairs, weights = _merged([(ids[u], ids[v], w) for _, u, v, w in kept], notes)
    labels = None
    if "label" in places:
        labels = [_labels(cells[places["label"][0]]) for _, cells in table.rows]
    texts = [
        " ".join(filter(None, (as_text(cells[at]) for at in places["text"])))
        for _, cells in table.rows
    ]
    network = TextualNetwork(texts, pairs, labels, tuple(ids), weights=weights)
    names = table.columns
    used = {at for own in places.values() for at in own}
    unused = [name for at, name in enumerate(names) if at not in used]
    columns = {
        part: " + ".join(names[at] for at in own) for part, own in places.items()
    }
    return Imported(network, columns, unused, notes)


def _node_places(
    table: Table, chosen: Mapping[str, str], linked: bool
) -> dict[str, list[int]]:
    """Returns the column indices of each part of a node."""
    places = {}
    for part in ("id", "text", *(["links"] if linked else []), "label"):
        names = [chosen.get(part)]
        if part == "text" and names[0]:
            names = list(filter(None, names[0].split(","))) or names
        needed = part != "label"
        own = [table.place(part, name, USUAL[part], needed=needed) for name in names]
        if own[0] is not None:
            places[part] = [at for at in own if at is not None]
    return places


def _ids(table: Table, column: int) -> dict[str, int]:
    """Returns the number of each node by its id, in the order of the rows."""
    ids: dict[str, int] = {}
    for number, cells in table.rows:
        name = as_text(cells[column])
        if not name:
            raise fault(table.path, number, "no id", "an id in each row")
        if name in ids:
            first = table.rows[ids[name]][0]
            found = f"id {quoted(name)}, which is on line {first} already"
            raise fault(table.path, number, found, "an id of its own for each node")
        ids[name] = len(ids)
    if not ids:
        raise fault(table.path, None, "a header alone", "a row for each node")
    return ids


def _links(table: Table, column: int, ids: Mapping[str, int]) -> Iterator[Edge]:
    names = list(ids)
    for (number, cells), source in zip(table.rows, names, strict=True):
        for target in _parts(cells[column], ids):
            yield number, source, target, None


def _parts(cell: Any, ids: Mapping[str, int]) -> list[str]:
    """Returns the ids in a cell: the whole cell, or separated by ; or , or spaces."""
    if isinstance(cell, list):
        return [name for name in map(as_text, cell) if name]
    text = as_text(cell)
    if text in ids:
        return [text]
    divider = next((one for one in ";," if one in text), None)
    return [part.strip() for part in text.split(divider) if part.strip()]


def _labels(cell: Any) -> tuple[str, ...]:
    """Splits labels at ; or , and replaces spaces inside them by underscores."""
    own = cell if isinstance(cell, list) else as_text(cell).replace(";", ",").split(",")
    return tuple("_".join(as_text(one).split()) for one in own if as_text(one))


def _is_header(ids: Mapping[str, int], chosen: Mapping[str, str]) -> Any:
    """Returns a function that recognises the header of a table of edges."""
    named = any(part in chosen for part in ("source", "target", "weight"))
    usual = {*USUAL["source"], *USUAL["target"]}

    def is_header(row: list[str]) -> bool:
        cells = [as_text(cell) for cell in row[:2]]
        if named or {cell.lower() for cell in cells} <= usual:
            return True
        return not any(cell in ids for cell in cells)

    return is_header


def _edges(table: Table, chosen: Mapping[str, str]) -> Iterator[Edge]:
    """Yields edges from columns found by name, or else the first two and the weight."""
    width = len(table.columns) or max((len(row) for _, row in table.rows), default=2)
    if width < 2 or (not table.columns and width > 3):
        found = f"{width} column{'s' * (width != 1)}"
        expected = "source, target and perhaps weight, or a header that names them"
        raise fault(table.path, 1, found, expected)
    source, target, weight = 0, 1, 2 if width == 3 else None
    if table.columns:
        places = {
            part: table.place(part, chosen.get(part), USUAL[part], needed=False)
            for part in ("source", "target", "weight")
        }
        named = places["source"], places["target"]
        source, target = (0, 1) if None in named else named  # type: ignore[assignment]
        weight = places["weight"]
    for number, cells in table.rows:
        value = None
        if weight is not None:
            value = number_of(as_text(cells[weight]))
            if not is_weight(np.array(value)):
                found = quoted(as_text(cells[weight]))
                raise fault(table.path, number, found, f"a weight, {RULE}")
        yield number, as_text(cells[source]), as_text(cells[target]), value


def _missing(
    path: Path, found: Sequence[Edge], ids: Mapping[str, int], skip: bool
) -> list[str]:
    """Refuses links to unknown ids, or returns a note on how many are skipped."""
    unknown = [(row[0], n) for row in found for n in row[1:3] if n not in ids]
    if not unknown:
        return []
    line, first = unknown[0]
    count = f"{len(unknown):,} link{'s' * (len(unknown) != 1)} to unknown ids"
    if skip:
        return [f"left out {count}, the first of them {quoted(first)} on line {line}"]
    example = f"{count}, the first of them {quoted(first)}"
    expected = "ids of the nodes: mend them, or add --skip_unknown to leave them out"
    raise fault(path, line, example, expected)


def _merged(
    edges: Sequence[tuple[int, int, float | None]], notes: list[str]
) -> tuple[Any, Any]:
    """Returns edges and weights; the weights of duplicate edges are summed."""
    if edges[0][2] is None:
        return np.array([edge[:2] for edge in edges]), None
    total: dict[tuple[int, int], float] = {}
    for source, target, weight in edges:
        total[source, target] = total.get((source, target), 0.0) + (weight or 0.0)
    if again := len(edges) - len(total):
        notes.append(f"added the weights of {again:,} repeated edges to the first ones")
    return np.array(list(total)), np.array(list(total.values()))
