"""The evidence of a large network: functions of inner products of sparse rows.

Each node has rows in several matrices. The features of two nodes follow from products
of a row of one with a row of the other, so that no nodes x nodes matrix is needed, and
a program that has only these matrices can score any pair. numpy fits the evidence and
TensorFlow serves it, by the same definitions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

FEW = 1e-6  # with fewer visits, two nodes are as far apart as any
RARE = 1e-3  # smaller shares of similar nodes say nothing


class Product(NamedTuple):
    """The inner product of the source's row of one matrix with the target's of another.

    Attributes:
        left: The source's matrix.
        right: The target's matrix.
    """

    left: str
    right: str


# Sparse matrices: TF-IDF of words and of pairs of words, IDF of words, the mean text of
# neighbours, neighbours by degree, shares of similar nodes, and edges.
PRODUCTS: Mapping[str, Product] = {
    "words": Product("words", "words"),
    "shared": Product("shared", "shared"),
    "pairs": Product("pairs", "pairs"),
    "there": Product("pairs", "near"),
    "back": Product("near", "pairs"),
    "near": Product("near", "near"),
    "common": Product("common", "common"),
    "similar_sources": Product("alike", "cited"),
    "near_sources": Product("near_alike", "cited"),
    "similar_targets": Product("joined", "alike"),
    "near_targets": Product("joined", "near_alike"),
}
VISITS = "visits"  # the sparse matrix of which the entry of both nodes is read
WALKS = "walks"  # the only dense matrix of vectors
SCALE = "scale"  # one number per node, used for the source and the target
COLUMNS = ("popularity", "degree", "out_degree", "seen")  # four numbers of the target
# Numbers of each node: these, its number of neighbours, and its weight as a common one.
NUMBERS = (SCALE, *COLUMNS, "neighbours", "rarity")
SPARSE = tuple(
    dict.fromkeys([*(name for pair in PRODUCTS.values() for name in pair), VISITS])
)

Quantities = Mapping[str, Any]


def _one_hop(own: Quantities) -> Any:
    scale = own["source_scale"] * own["target_scale"]
    return scale * (own["pairs"] + own["there"] + own["back"] + own["near"])


def _same(name: str) -> Callable[[Any, Quantities], Any]:
    return lambda maths, own: own[name]


def _log(name: str, floor: float) -> Callable[[Any, Quantities], Any]:
    return lambda maths, own: maths.log(own[name] + floor)


# Each feature as a function of the quantities above, by numpy or tf.math. `Evidence`
# describes them; it has the same names for small networks. `visits` is `pagerank` times
# the degree of the target, which cannot be recovered from a logarithm with a floor.
LARGE_FEATURES: Mapping[str, Callable[[Any, Quantities], Any]] = {
    "words": _same("words"),
    "word_pairs": _same("pairs"),
    "shared_words": lambda maths, own: maths.log1p(own["shared"]),
    "pairs_one_hop": lambda maths, own: _one_hop(own),
    "across": lambda maths, own: own["there"] + own["back"],
    "neighbours": _same("near"),
    "walks": _same(WALKS),
    "adamic_adar": lambda maths, own: maths.log1p(own["common"]),
    "pagerank": _log("chances", FEW),
    "visits": _log(VISITS, 10 * FEW),
    "similar_sources": _log("similar_sources", RARE),
    "similar_targets": _log("similar_targets", RARE),
    "near_sources": _log("near_sources", RARE),
    "near_targets": _log("near_targets", RARE),
    **{name: _same(name) for name in COLUMNS},
}
