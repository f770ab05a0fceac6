"""The initial values of a model's tables that are not random."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from threadpoolctl import threadpool_limits

from cane_gane.data.graph import Edges
from cane_gane.data.tokens import EncodedTexts
from cane_gane.models.pair_scorer import PairScorer, text_vectors
from cane_gane.models.settings import ModelSettings
from cane_gane.models.start.lsa import centred, lsa_vectors, word_counts
from cane_gane.models.start.similar import SEARCHED, text_space
from cane_gane.models.start.walks import (
    large_walk_step,
    popularity,
    turned_to_texts,
    walk_space,
    walk_vectors,
)

LARGE = 20_000  # nodes: from this size on, nearest texts are found by trees
_TURNED = 1024  # texts that determine how node vectors are rotated


def start_tables(
    model: PairScorer,
    settings: ModelSettings,
    texts: Sequence[str],
    encoded: EncodedTexts,
    word_count: int,
    edges: Edges,
    seed: int,
) -> None:
    """Initialises word vectors by LSA and node vectors by walks, as in the settings.

    Args:
        model: The model, not yet trained.
        settings: Its settings.
        texts: The text of each node.
        encoded: The texts as word ids.
        word_count: The number of rows of the word table.
        edges: The edges it will be fitted on, `[fitted, 2]`; no others are used.
        seed: The seed of random choices.
    """
    if len(texts) >= LARGE:
        _start_large(model, settings, encoded, word_count, edges, seed)
        return
    if settings.start == "lsa":
        model.words.assign(lsa_vectors(encoded, word_count, settings.dimension, seed))
    if settings.places == "walks":
        popular = settings.popularity * popularity(edges, len(texts))
        with ThreadPoolExecutor(1) as beside:
            walks = beside.submit(
                walk_vectors, texts, edges, settings.dimension - 1, seed
            )
            vectors = text_vectors(model, encoded, _TURNED)
            model.structure.assign(turned_to_texts(walks.result(), popular, vectors))


@threadpool_limits.wrap(limits=1)  # sums of several threads depend on their number
def _start_large(
    model: PairScorer,
    settings: ModelSettings,
    encoded: EncodedTexts,
    word_count: int,
    edges: Edges,
    seed: int,
) -> None:
    """`start_tables` without a matrix of nodes by nodes; one LSA serves both tables."""
    if settings.start == settings.places == "random":
        return
    counts = word_counts(encoded, word_count, np.float32)
    space = text_space(counts, max(settings.dimension, SEARCHED), seed)
    if settings.start == "lsa":
        words = np.zeros((word_count, settings.dimension), np.float32)
        found = space.directions[:, : settings.dimension] * space.idf[:, None]
        words[:, : found.shape[1]] = found
        model.words.assign(centred(words, counts))
    if settings.places == "walks":
        own = space.vectors()
        del counts, space
        popular = settings.popularity * popularity(edges, len(encoded))
        step, order = large_walk_step(own, edges, seed)
        del own
        walks, _ = walk_space(step, settings.dimension - 1, seed, order)
        vectors = text_vectors(model, encoded, _TURNED)
        model.structure.assign(turned_to_texts(walks, popular, vectors))
