"""What a config asks for, read and split: everything that training needs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from cane_gane.catalog import find_dataset
from cane_gane.config import Config
from cane_gane.network import TextualNetwork
from cane_gane.sampling import EdgeSampler, Sampler, UpstreamSampler
from cane_gane.splits import Edges, Split, split_edges
from cane_gane.tokens import TOKENIZERS, CleanTokenizer, EncodedTexts, UpstreamTokenizer


@dataclass(frozen=True)
class Prepared:
    """A network ready to train on.

    Attributes:
        folder: Where it was read from.
        network: The network.
        split: Its training and test edges.
        fitted: The training edges less those held out, `[fitted, 2]`.
        held_out: Training edges that only validation sees, `[held_out, 2]`.
        tokenizer: The tokenizer, fitted on all texts.
        texts: The encoded texts.
        sampler: What orders the fitted edges and draws their negatives.
    """

    folder: Path
    network: TextualNetwork
    split: Split
    fitted: Edges
    held_out: Edges
    tokenizer: CleanTokenizer | UpstreamTokenizer
    texts: EncodedTexts
    sampler: Sampler


def prepare(config: Config) -> Prepared:
    """Reads, splits and encodes what `config` names.

    Raises:
        InputError: The data set is missing or faulty, or too small to split.
    """
    folder = find_dataset(config.dataset)
    network = TextualNetwork.read(folder)
    split = split_edges(network.edges, config.ratio, config.split, config.seed)
    fitted, held_out = split.train, split.train[:0]
    if config.validation:
        inner = split_edges(split.train, 1 - config.validation, "strict", config.seed)
        fitted, held_out = inner.train, inner.test
    tokenizer = TOKENIZERS[config.tokenizer].fit(network)
    texts = tokenizer.encode(tokenizer.read(network), config.max_length)
    return Prepared(
        folder, network, split, fitted, held_out, tokenizer, texts,
        _sampler(config, fitted),
    )  # fmt: skip


def _sampler(config: Config, edges: Edges) -> Sampler:
    if config.preset == "upstream":
        return UpstreamSampler(edges, batch_size=config.batch_size, seed=config.seed)
    return EdgeSampler(
        edges,
        batch_size=config.batch_size,
        negatives=config.negatives,
        reject_neighbours=config.reject_neighbours,
        seed=config.seed,
    )


def unseen_nodes(prepared: Prepared) -> np.ndarray:
    """Marks the nodes without an edge to train on, `[nodes]`."""
    unseen = np.ones(prepared.network.node_count, np.bool_)
    unseen[prepared.fitted] = False
    return unseen
