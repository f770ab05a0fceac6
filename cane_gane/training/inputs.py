"""The training data of a neural model: edges, word ids, batches with negatives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np
import numpy.typing as npt

from cane_gane.data.graph import Edges
from cane_gane.data.splits import Split, split_edges
from cane_gane.data.tokens import (
    TOKENIZERS,
    CleanTokenizer,
    EncodedTexts,
    UpstreamTokenizer,
)
from cane_gane.data.weights import Weights, refuse_weights
from cane_gane.models.settings import ModelSettings
from cane_gane.sampling.edges import EdgeSampler, Sampler, UpstreamSampler, Weigh


@dataclass(frozen=True)
class Inputs:
    """A split, encoded and ready to train on.

    Attributes:
        split: The split. Its test edges are not used.
        edges: The training edges without those held out, `[edges, 2]`.
        held_out: Training edges that only validation uses, `[held_out, 2]`.
        tokenizer: The tokenizer, fitted on all texts.
        texts: The encoded texts.
        sampler: Orders the edges and draws their negatives.
    """

    split: Split
    edges: Edges
    held_out: Edges
    tokenizer: CleanTokenizer | UpstreamTokenizer
    texts: EncodedTexts
    sampler: Sampler

    @property
    def weigh(self) -> Weigh | None:
        """The function that returns the weights of edges, if they have any."""
        network = self.split.network
        return None if network.weights is None else cast(Weigh, network.weights_of)

    @property
    def weights(self) -> Weights:
        """The weights of the edges to train on, `[edges]`; empty without any."""
        return np.empty(0) if self.weigh is None else self.weigh(self.edges)

    @property
    def unseen(self) -> npt.NDArray[np.bool_]:
        """Marks the nodes without an edge to train on, `[nodes]`."""
        unseen = np.ones(self.split.network.node_count, np.bool_)
        unseen[self.edges] = False
        return unseen


def prepare(split: Split, settings: ModelSettings, seed: int) -> Inputs:
    """Encodes the texts of a split, and holds out edges for validation.

    Raises:
        InputError: The network is too small, or upstream's preset would train on
            weighted edges.
    """
    if settings.preset == "upstream":
        refuse_weights(split.network.weights)
    edges, held_out = split.train, split.train[:0]
    if settings.validation:
        edges, held_out = split_edges(
            split.train, 1 - settings.validation, "strict", seed
        )
    tokenizer = TOKENIZERS[settings.tokenizer].fit(split.network)
    texts = tokenizer.encode(tokenizer.read(split.network), settings.max_length)
    sampler = _sampler(settings, edges, seed)
    return Inputs(split, edges, held_out, tokenizer, texts, sampler)


def _sampler(settings: ModelSettings, edges: Edges, seed: int) -> Sampler:
    if settings.preset == "upstream":
        return UpstreamSampler(edges, batch_size=settings.batch_size, seed=seed)
    return EdgeSampler(
        edges,
        batch_size=settings.batch_size,
        negatives=settings.negatives,
        reject_neighbours=settings.reject_neighbours,
        edges_per_epoch=settings.edges_per_epoch,
        seed=seed,
    )
