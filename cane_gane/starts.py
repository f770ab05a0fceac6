"""The values that a model's tables start from, where these are not random."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from cane_gane.config import Config
from cane_gane.models.words import lsa_vectors
from cane_gane.preparation import Prepared
from cane_gane.servable import Servable
from cane_gane.walks import placed, popularity, walk_vectors

_TURNED = 1024  # texts that decide how node vectors are turned


def start_tables(servable: Servable, config: Config, prepared: Prepared) -> None:
    """Starts word vectors from LSA and node vectors from walks, as `config` says.

    Args:
        servable: The model, not yet trained.
        config: Its settings.
        prepared: What it will be trained on; no edge but the fitted ones is looked at.
    """
    model = servable.model
    if config.start == "lsa":
        words = len(prepared.tokenizer.words)
        start = lsa_vectors(prepared.texts, words, config.dimension, config.seed)
        model.words.assign(start)
    if config.places == "walks":
        texts = prepared.network.texts
        walk = (texts, prepared.fitted, config.dimension - 1, config.seed)
        popular = config.popularity * popularity(prepared.fitted, len(texts))
        with ThreadPoolExecutor(1) as beside:
            walks = beside.submit(walk_vectors, *walk)
            vectors = servable.text_vectors(_TURNED)
            model.structure.assign(placed(walks.result(), popular, vectors))
