"""Joins documented objects into a network by the names in their docstrings."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass

from cane_gane.data.pydocs.docstrings import parse, plain
from cane_gane.data.pydocs.libraries import PublicObjects

_MIN_WORDS = 5
# A paragraph that occurs in more docstrings than this is boilerplate: it says nothing
# about a node.
_MAX_REPEATS = 10
# Mentioned everywhere in passing: such an edge says nothing about the topic.
_UBIQUITOUS = {
    "numpy.ndarray", "numpy.random.Generator", "numpy.random.RandomState",
    "numpy.random.default_rng", "scipy.optimize.OptimizeResult",
    "scipy.stats.rv_continuous", "scipy.stats.rv_discrete", "sklearn.utils.Bunch",
}  # fmt: skip

Edge = tuple[str, str]


@dataclass(frozen=True)
class _Paragraph:
    """Plain words, the nodes that they mention, and whether the words are text."""

    words: str
    mentions: list[str]
    is_text: bool


def assemble(objects: PublicObjects) -> tuple[dict[str, str], set[Edge]]:
    """Turns docstrings into texts and edges.

    Boilerplate is dropped from both, and so are nodes with hardly any text.

    Args:
        objects: The objects that may become nodes.

    Returns:
        The text of each node, by name, and the edges as pairs in alphabetical order.
    """
    paragraphs: dict[str, list[_Paragraph]] = {}
    see_also: dict[str, set[str]] = {}
    for name, docstring in objects.docstrings.items():
        paragraphs[name], see_also[name] = _read(name, docstring, objects)
    repeats = Counter(
        words for read in paragraphs.values() for words in {part.words for part in read}
    )
    texts: dict[str, str] = {}
    edges: set[Edge] = set()
    for name, read in paragraphs.items():
        kept = [part for part in read if repeats[part.words] <= _MAX_REPEATS]
        texts[name] = " ".join(part.words for part in kept if part.is_text)
        mentioned = {target for part in kept for target in part.mentions}
        for target in (mentioned - _UBIQUITOUS) | see_also[name]:
            edges.add((min(name, target), max(name, target)))
    texts = _cut_neighbours(texts, edges)
    texts = {n: text for n, text in texts.items() if len(text.split()) >= _MIN_WORDS}
    return texts, {(a, b) for a, b in edges if a != b and a in texts and b in texts}


def _cut_neighbours(texts: dict[str, str], edges: set[Edge]) -> dict[str, str]:
    """Removes the names of neighbours that occur in a text as plain words.

    A name that many texts use, such as `mean`, is a word and stays.
    """
    uses = Counter(word for text in texts.values() for word in set(text.split()))
    rare: defaultdict[str, set[str]] = defaultdict(set)
    for edge in edges:
        for name, neighbour in (edge, edge[::-1]):
            word = neighbour.rpartition(".")[-1].lower()
            if uses[word] <= _MAX_REPEATS:
                rare[name].add(word)
    return {
        name: " ".join(word for word in text.split() if word not in rare[name])
        for name, text in texts.items()
    }


def largest_component(
    texts: dict[str, str], edges: set[Edge]
) -> tuple[dict[str, str], set[Edge]]:
    """Keeps the largest connected component; among equals, the one with the first name.

    Args:
        texts: The text of each node, by name.
        edges: Pairs of names.

    Returns:
        Texts and edges of the component; names are in alphabetical order.
    """
    import numpy as np
    from scipy.sparse.csgraph import connected_components

    from cane_gane.data.graph import adjacency

    ids = {name: node for node, name in enumerate(sorted(texts))}
    pairs = np.array([(ids[one], ids[other]) for one, other in edges])
    _, component = connected_components(adjacency(pairs, len(ids)), directed=False)
    best = np.bincount(component).argmax()
    kept = {name: texts[name] for name, node in ids.items() if component[node] == best}
    return kept, {edge for edge in edges if edge[0] in kept}


def _read(
    name: str, docstring: str, objects: PublicObjects
) -> tuple[list[_Paragraph], set[str]]:
    """Reads one docstring: its paragraphs, and the nodes of its See Also."""
    parsed = parse(docstring)

    def find(mention: str) -> str | None:
        target = objects.resolve(mention, name)
        # If a parameter is called `size`, the parameter is meant, not numpy.size.
        return target if mention not in parsed.own or target == name else None

    paragraphs = [
        _Paragraph(*plain(paragraph, find), is_text)
        for part, is_text in ((parsed.paragraphs, True), (parsed.details, False))
        for paragraph in part
    ]
    see_also = (objects.resolve(entry, name) for entry in parsed.see_also)
    return paragraphs, {target for target in see_also if target is not None}
