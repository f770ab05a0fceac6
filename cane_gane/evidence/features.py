"""The features of two nodes: what texts and training edges say about their edge."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse

from cane_gane.data.graph import Edges, directed, neighbours, random_step, reach
from cane_gane.evidence.closest import Levels, best_of
from cane_gane.evidence.likeness import Likeness, Texts
from cane_gane.evidence.walks import SIMILAR, Walks, nearest

Floats = npt.NDArray[np.float32]
Integers = npt.NDArray[np.int64]

FLOOR = 1e-4
_RARE = 1e-3  # smaller shares of similar nodes say nothing
STEPS = 8  # steps of the walks that PageRank follows
_SHORT = 0.5  # the probability that a short walk takes another step
ALIKE = 30  # similar nodes whose edges count as a node's own


class Hop(NamedTuple):
    """The similarity of sources to all nodes, with the texts of their neighbours.

    Attributes:
        one_hop: Cosine of the texts with those of the neighbours added.
        across: The similarity of each text to those of the other node's neighbours.
        neighbours: The similarity of the texts of both nodes' neighbours.
    """

    one_hop: Floats
    across: Floats
    neighbours: Floats


class Near:
    """Texts together with those of their training neighbours.

    N_u is the normalised mean of the neighbours' vectors, H_u that of X_u + N_u. All
    inner products of N and H follow from those of X, so that no vector of a
    neighbourhood, with many words, is ever multiplied.
    """

    def __init__(self, texts: Likeness, step: Any) -> None:
        """Takes texts as vectors of length 1 or 0, and the probabilities of a step."""
        self._texts = texts
        self._step = sparse.csr_array(step, dtype=np.float32)
        means = self._step @ texts.vectors
        lengths = np.sqrt(_products(means, means))
        self._scale = np.divide(
            1, lengths, out=np.zeros_like(lengths), where=lengths > 1e-9
        )
        own = _products(texts.vectors, texts.vectors)
        both = 2 * self._scale * _products(texts.vectors, means)
        self._hop_scale = 1 / np.sqrt(np.maximum(own + both + (self._scale > 0), 1e-9))

    def of(self, sources: Integers) -> Hop:
        """Returns the three similarities of sources to all nodes."""
        near = self._scale[sources, None] * self._texts.mixed(self._step[sources])
        own, scale = self._texts.rows(sources), self._hop_scale[sources, None]
        return self._between(own, near, scale)

    def of_new(self, text: Any, step: Any) -> Hop:
        """Returns the three similarities of a new node to all nodes.

        Args:
            text: The vector of its text, `[1, size]`, sparse.
            step: The probabilities of a step to its neighbours, `[1, nodes]`, sparse.
        """
        mean = sparse.csr_array(step @ self._texts.vectors)
        length = float(np.sqrt(_products(mean, mean)[0]))
        mine = 1 / length if length > 1e-9 else 0.0
        own = float(_products(text, text)[0]) + (mine > 0)
        own += 2 * mine * float(_products(text, mean)[0])
        scale = np.float32(1 / np.sqrt(max(own, 1e-9)))
        near = np.float32(mine) * self._texts.mixed(step)
        return self._between(self._texts.of(text), near, scale)

    def _between(self, own: Floats, near: Floats, scale: Any) -> Hop:
        """Returns the three similarities, given those of sources and their neighbours.

        Args:
            own: Inner products of the sources' texts with all, `[sources, nodes]`.
            near: Inner products of the sources' N with all texts, of the same shape.
            scale: One over the length of X + N of the sources, `[sources, 1]`.
        """
        across = (self._step @ own.T).T * self._scale + near
        both = (self._step @ near.T).T * self._scale
        one_hop = (own + across + both) * self._hop_scale
        return Hop(scale * one_hop, across, both)

    def one_hop(self, sources: Integers) -> Floats:
        """Returns only the first of the three."""
        return self.of(sources).one_hop


def _products(left: Any, right: Any) -> Floats:
    """Returns the inner products of corresponding rows."""
    return np.asarray(left.multiply(right).sum(axis=1), np.float32).ravel()


class Evidence:
    """Features of any two nodes, given training edges, by name.

    Of the texts alone:

    - `words`, `word_pairs`, `letters`: cosine of TF-IDF vectors.
    - `shared_words`: log(1 + summed IDF² of the words that both have).

    Of the texts of training neighbours:

    - `words_one_hop`, `pairs_one_hop`, `letters_one_hop`, `across`, `neighbours`: see
      `Hop`; the last two by pairs of words.
    - `closest_target`, `closest_source`: the similarity of the target to the most
      similar target of the source, and of the source to the most similar source of the
      target; by pairs of words.
    - `target_height`, `source_height`: how far up the target is among all nodes that
      are not neighbours of the source, by `pairs_one_hop`, and the source among those
      that are not neighbours of the target; see `Levels`.

    Of the training edges and similar texts:

    - `walks`, `short_walks`: log of how often walks over edges and similar texts lead
      from one to the other, with a probability of 0.85 or 0.5 for each further step.
    - `letter_walks`: the same with texts that are similar by letters.
    - `adamic_adar`: log(1 + sum over common neighbours of 1 / log degree).
    - `pagerank`: log of personalised PageRank divided by the target's degree.
    - `similar_sources`, `similar_targets`: log of the share of the 30 nodes most like
      the source with an edge to the target, and of those most like the target that
      are neighbours of the source; `near_sources`, `near_targets`: the same by
      `pairs_one_hop`.

    Of the target alone:

    - `popularity`, `degree`, `out_degree`, `seen`: log(1 + edges that end there),
      log(1 + neighbours), log(1 + edges that begin there), and whether it has any.

    Attributes:
        texts: The texts.
        node_count: The number of nodes.
        joined: The adjacency of the training edges, `[nodes, nodes]`, sparse.
        step: The same as probabilities of a step, rows summing to 1 or 0.
        directed: Marks the targets of each source, `[nodes, nodes]`, sparse.
        degrees: The number of neighbours of each node, `[nodes]`.
    """

    def __init__(
        self, texts: Texts, train: Edges, node_count: int, whole: bool = True
    ) -> None:
        """Takes the texts and the only edges that may be used.

        Args:
            texts: The texts.
            train: The edges, `[train, 2]`.
            node_count: The number of nodes.
            whole: Whether matrices of all pairs may be kept, for many sources.
        """
        self.texts = texts
        self._whole = whole
        self.node_count = node_count
        self.joined = neighbours(train, node_count)
        self.step = random_step(self.joined)
        self.directed = directed(train, node_count)
        self.degrees = np.asarray(self.joined.sum(axis=1)).ravel()

    def graphs(self) -> dict[str, Any]:
        """Returns which nodes are similar, sparse: what takes longest to compute."""
        first, second = self.alike
        ties = {"ties": self.ties, "letter_ties": self._letter_ties}
        levels = {"levels": sparse.csr_array(self.levels.of)}
        return {"alike": first, "near_alike": second, **ties, **levels}

    def take(self, graphs: Mapping[str, Any]) -> None:
        """Takes what `graphs` returned, or its ties alone, in place of computing it."""
        self.ties = graphs["ties"]
        if "alike" in graphs:  # otherwise, only walks are needed
            self.alike = graphs["alike"], graphs["near_alike"]
            self._letter_ties = graphs["letter_ties"]
            self.levels = Levels(graphs["levels"].toarray())

    @cached_property
    def near(self) -> dict[str, Near]:
        """Texts together with those of their neighbours, by kind."""
        return {
            "words": Near(self.texts.words, self.step),
            "pairs": Near(self.texts.pairs, self.step),
            "letters": Near(self.texts.letters, self.step),
        }

    def _similar(self, kind: str, count: int) -> tuple[Any, Any]:
        """The nodes most similar to each by texts, alone and with their neighbours'."""
        own = _similar_texts(self.texts, kind, self.node_count, count)
        near = nearest(self.near[kind].one_hop, self.node_count, count)
        return own, near

    @cached_property
    def alike(self) -> tuple[Any, Any]:
        """The same for more nodes, as shares: rows sum to 1."""
        first, second = map(random_step, self._similar("pairs", ALIKE))
        return first, second

    @cached_property
    def ties(self) -> Any:
        """The similarities of the texts that walks may go between, sparse."""
        return sum(self._similar("pairs", SIMILAR)) / 2

    @cached_property
    def walks(self) -> Walks:
        """Walks over edges and similar texts."""
        return Walks(self.joined, self.ties, whole=self._whole)

    @cached_property
    def short_walks(self) -> Walks:
        """The same, shorter."""
        return Walks(self.joined, self.ties, _SHORT, self._whole)

    @cached_property
    def _letter_ties(self) -> Any:
        return sum(self._similar("letters", SIMILAR)) / 2

    @cached_property
    def letter_walks(self) -> Walks:
        """Walks over edges and texts that are similar by letters."""
        return Walks(self.joined, self._letter_ties, whole=self._whole)

    @cached_property
    def levels(self) -> Levels:
        """The similarity of each node to those of its list, by `pairs_one_hop`."""
        return Levels.of_lists(self.near["pairs"].one_hop, self.joined)

    @cached_property
    def columns(self) -> dict[str, Floats]:
        """The features that depend on the target alone."""
        ends, begins = (
            np.asarray(self.directed.sum(axis=axis)).ravel() for axis in (0, 1)
        )
        columns = {
            "popularity": np.log1p(ends),
            "degree": np.log1p(self.degrees),
            "out_degree": np.log1p(begins),
            "seen": self.degrees > 0,
        }
        return {name: np.asarray(own, np.float32) for name, own in columns.items()}

    def features(self, sources: Integers, names: Sequence[str]) -> Iterator[Floats]:
        """Yields features of sources with all nodes, `[sources, nodes]`, in turn."""
        for name in names:
            found = np.asarray(FEATURES[name](self, sources), np.float32)
            yield np.broadcast_to(found, (len(sources), self.node_count))

    def rows(self, sources: Integers, names: Sequence[str]) -> Floats:
        """Returns features of sources with all nodes, `[sources, nodes, names]`."""
        return np.stack(list(self.features(sources, names)), axis=-1)

    def _adamic_adar(self, sources: Integers) -> Floats:
        weights = sparse.diags_array(1 / np.log(np.maximum(self.degrees, 2)))
        return np.log1p((self.joined[sources] @ weights @ self.joined).toarray())

    def _pagerank(self, sources: Integers) -> Any:
        visits = reach(self.step, sources, STEPS) / np.maximum(self.degrees, 1)
        return np.log(visits + FLOOR)

    def _closest_target(self, sources: Integers) -> Floats:
        """The similarity of all nodes to the closest target of each source."""
        mine = self.directed[sources]
        targets, place_of = np.unique(mine.indices, return_inverse=True)
        alike = self.texts.pairs.rows(targets)
        alike[np.arange(len(targets)), targets] = 0  # a node is no evidence for itself
        shape = (len(sources), len(targets))
        groups = sparse.csr_array((mine.data, place_of, mine.indptr), shape)
        return best_of(alike.T, groups).T

    def _closest_source(self, sources: Integers) -> Floats:
        """The similarity of each source to the closest source of all nodes."""
        alike = self.texts.pairs.rows(sources)
        alike[np.arange(len(sources)), sources] = 0
        return best_of(alike, sparse.csr_array(self.directed.T))

    def _height(self, sources: Integers, levels: Floats) -> Floats:
        alike = self.near["pairs"].one_hop(sources)
        return self.levels.heights(alike, levels)

    def _edges_of_alike(self, sources: Integers, kind: int) -> Floats:
        """The share of the nodes most like the source with an edge to the target."""
        return log_share(self.alike[kind][sources] @ self.directed)

    def _alike_among_neighbours(self, sources: Integers, kind: int) -> Floats:
        """The share of the nodes most like the target among the source's neighbours."""
        return log_share(self.joined[sources] @ self.alike[kind].T)


@lru_cache(maxsize=3)  # independent of edges; every fold needs these three
def _similar_texts(texts: Texts, kind: str, node_count: int, count: int) -> Any:
    return nearest(getattr(texts, kind).rows, node_count, count)


def log_share(shares: Any) -> Floats:
    """Returns the logarithm of sparse shares, dense, as used by features."""
    return np.log(shares.toarray() + _RARE)


# Each feature of sources with all nodes, `[sources, nodes]` or `[nodes]`.
FEATURES: dict[str, Callable[[Evidence, Integers], Any]] = {
    "words": lambda own, of: own.texts.words.rows(of),
    "word_pairs": lambda own, of: own.texts.pairs.rows(of),
    "letters": lambda own, of: own.texts.letters.rows(of),
    "shared_words": lambda own, of: np.log1p(own.texts.shared.rows(of)),
    "words_one_hop": lambda own, of: own.near["words"].one_hop(of),
    "pairs_one_hop": lambda own, of: own.near["pairs"].one_hop(of),
    "letters_one_hop": lambda own, of: own.near["letters"].one_hop(of),
    "across": lambda own, of: own.near["pairs"].of(of).across,
    "neighbours": lambda own, of: own.near["pairs"].of(of).neighbours,
    "closest_target": lambda own, of: own._closest_target(of),
    "closest_source": lambda own, of: own._closest_source(of),
    "target_height": lambda own, of: own._height(of, own.levels.of[of, None]),
    "source_height": lambda own, of: own._height(of, own.levels.of[None]),
    "walks": lambda own, of: own.walks.rows(of),
    "short_walks": lambda own, of: own.short_walks.rows(of),
    "letter_walks": lambda own, of: own.letter_walks.rows(of),
    "adamic_adar": lambda own, of: own._adamic_adar(of),
    "pagerank": lambda own, of: own._pagerank(of),
    "similar_sources": lambda own, of: own._edges_of_alike(of, 0),
    "similar_targets": lambda own, of: own._alike_among_neighbours(of, 0),
    "near_sources": lambda own, of: own._edges_of_alike(of, 1),
    "near_targets": lambda own, of: own._alike_among_neighbours(of, 1),
    "popularity": lambda own, of: own.columns["popularity"],
    "degree": lambda own, of: own.columns["degree"],
    "out_degree": lambda own, of: own.columns["out_degree"],
    "seen": lambda own, of: own.columns["seen"],
}
# The features of any two texts, whether or not they belong to nodes.
WORD_FEATURES = ("words", "shared_words")
