"""Baselines that learn nothing: a model below one of them is not worth training."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scipy import sparse
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.preprocessing import normalize

from cane_gane.evaluation.protocols import Integers, adjacency
from cane_gane.evaluation.scores import Scorer, sparse_scorer
from cane_gane.tokens import CleanTokenizer

BASELINES = (
    "tfidf",
    "tfidf_one_hop",
    "common_neighbours",
    "preferential_attachment",
)


def baseline_scorers(
    train: Integers, node_count: int, texts: Sequence[str] | None = None
) -> dict[str, Scorer]:
    """Builds the scorers of all baselines, by their names in `BASELINES`.

    - `tfidf`: cosine of the texts' TF-IDF vectors.
    - `tfidf_one_hop`: cosine of these vectors after each is added to the mean
      of its training neighbours'.
    - `common_neighbours`: how many training neighbours two nodes share.
    - `preferential_attachment`: the product of their numbers of neighbours.

    Args:
        train: Training edges, `[train, 2]`. Directions, duplicates and
            self-loops do not count.
        node_count: The number of nodes.
        texts: The text of each node; without them the first two are left out.

    Returns:
        A scorer for each name.
    """
    neighbours = training_neighbours(train, node_count)
    degrees = sparse.csr_array(neighbours.sum(axis=1).reshape(-1, 1))
    sides = {"common_neighbours": neighbours, "preferential_attachment": degrees}
    if texts is not None:
        own = tfidf_vectors(texts)
        hop = one_hop_vectors(own, neighbours)
        sides = {"tfidf": own, "tfidf_one_hop": hop, **sides}
    return {name: sparse_scorer(side, side) for name, side in sides.items()}


def training_neighbours(train: Integers, node_count: int) -> Any:
    """Returns the undirected 0/1 adjacency without self-loops, `[nodes, nodes]`."""
    return adjacency(train[train[:, 0] != train[:, 1]], node_count)


def tfidf_vectors(texts: Sequence[str], longest: int = 1) -> Any:
    """Returns L2-normalised TF-IDF vectors of the texts.

    Words are those of the clean tokenizer in lower case, counted as 1 + log tf.
    A word of a single text is left out, for it matches nothing.

    Args:
        texts: The texts.
        longest: How many words in a row may count as one, too.

    Returns:
        The vectors, `[nodes, words]`, sparse; zeros for a text without words.
    """
    vectorizer = TfidfVectorizer(
        tokenizer=CleanTokenizer.split,
        token_pattern=None,
        ngram_range=(1, longest),
        sublinear_tf=True,
        min_df=2,
    )
    try:
        return vectorizer.fit_transform(texts)
    except ValueError:  # no word is in two texts
        return sparse.csr_array((len(texts), 1))


def one_hop_vectors(vectors: Any, neighbours: Any) -> Any:
    """Adds the normalised mean of the neighbours' vectors, and normalises again.

    Args:
        vectors: L2-normalised vectors, `[nodes, size]`, sparse.
        neighbours: Adjacency, `[nodes, nodes]`, sparse.

    Returns:
        The vectors, `[nodes, size]`, sparse. A node without neighbours keeps its
        own.
    """
    # The sum will do for the mean: it is normalised.
    return normalize(vectors + normalize(neighbours @ vectors))
