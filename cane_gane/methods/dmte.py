"""DMTE (Zhang et al. 2018): texts diffused along edges, with CANE's structure part."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from threadpoolctl import threadpool_limits

from cane_gane.config import Settings, setting
from cane_gane.data.graph import adjacency, random_step
from cane_gane.data.splits import Split
from cane_gane.evaluation.fitted import Fitted
from cane_gane.methods.cene import word_shares
from cane_gane.methods.method import Method
from cane_gane.methods.pair_loss import (
    Adam,
    Floats,
    Noise,
    logistic_gradients,
    small_table,
    with_negatives,
)
from cane_gane.progress import counted
from cane_gane.serving.table import VectorTable
from cane_gane.training.room import check_room

# The released code's weights: of P and P², and of the terms of the loss.
_DIFFUSED = (0.3, 0.1)
_TEXT, _STRUCTURE, _MIXED = 0.7, 1.0, 0.1


@dataclass(frozen=True)
class DmteSettings(Settings):
    """How texts are diffused, and how the vectors are trained."""

    dimension: int = setting(
        200, "length of a node vector, half of it for text", low=2, high=10_000
    )
    power: str = setting(
        "matrix", "what P² is: two steps of a walk, as in the paper, or the square of "
        "each chance, as in the released code (dmte)",
        choices=("matrix", "elementwise"),
    )  # fmt: skip
    negatives: int = setting(1, "negatives for each edge", low=1, high=10**4)
    epochs: int = setting(200, "passes over all edges", low=1, high=10**6)
    learning_rate: float = setting(3e-3, "first step size of Adam", low=0, high=1e3)


class DiffusedTexts:
    """Text vectors f(T) = X W0 + a P X W1 + b P² X W2, with X = tanh(shares words).

    Attributes:
        tables: The trained tables: `words`, and the maps `map0`, `map1`, `map2`.
        steps: P and P², each with its weight, `[nodes, nodes]`, sparse.
    """

    def __init__(
        self, shares: Any, step: Any, settings: DmteSettings, rng: np.random.Generator
    ) -> None:
        """Takes texts as shares of words, `[nodes, words]`, and P, both sparse."""
        width, size = settings.dimension, settings.dimension - settings.dimension // 2
        self._shares, self._back = shares, sparse.csr_array(shares.T)
        whole = settings.power == "matrix"
        squared = step @ step if whole else step.multiply(step)
        powers = zip(_DIFFUSED, (step, squared), strict=True)
        self.steps = [
            sparse.csr_array(weight * own, dtype=np.float32) for weight, own in powers
        ]
        self.tables = {"words": small_table(shares.shape[1], width, 0.5, rng)}
        for place in range(3):
            self.tables[f"map{place}"] = small_table(width, size, 0.5, rng)

    def diffused(self, table: Floats) -> Floats:
        """Returns a table plus its diffusion along edges."""
        return table + np.add(*(step @ table for step in self.steps))

    def diffused_back(self, gradient: Floats) -> Floats:
        """Returns the derivative by a table, given that by its `diffused`."""
        return gradient + np.add(*(step.T @ gradient for step in self.steps))

    def vectors(self) -> tuple[Floats, Floats]:
        """Returns the text vectors, `[nodes, size]`, and X, `[nodes, width]`."""
        inner = np.tanh(self._shares @ self.tables["words"])
        found = inner @ self.tables["map0"]
        for place, step in enumerate(self.steps, 1):
            found += step @ (inner @ self.tables[f"map{place}"])
        return found, inner

    def gradients(self, by_text: Floats, inner: Floats) -> Mapping[str, Floats]:
        """Returns the derivatives by all tables, given that by the text vectors."""
        found: dict[str, Floats] = {}
        by_inner = np.zeros_like(inner)
        seen = [by_text, *(step.T @ by_text for step in self.steps)]
        for place, own in enumerate(seen):
            found[f"map{place}"] = inner.T @ own
            by_inner += own @ self.tables[f"map{place}"].T
        found["words"] = self._back @ (by_inner * (1 - inner**2))
        return found


def loss_gradients(
    text: Floats, structure: Floats, diffused: Floats, pairs: Any
) -> tuple[Floats, Floats, Floats]:
    """Derivatives of CANE's four terms by the three tables.

    A source has rows in `text` and `diffused`, a target in `text` and `structure`.
    """
    tt = [_TEXT * own for own in logistic_gradients(text, text, *pairs)]
    ss = [_STRUCTURE * own for own in logistic_gradients(diffused, structure, *pairs)]
    st = [_MIXED * own for own in logistic_gradients(diffused, text, *pairs)]
    ts = [_MIXED * own for own in logistic_gradients(text, structure, *pairs)]
    return tt[0] + tt[1] + st[1] + ts[0], ss[1] + ts[1], ss[0] + st[0]


@threadpool_limits.wrap(limits=1)  # sums of several threads depend on their number
def diffusion_vectors(split: Split, settings: DmteSettings, seed: int) -> Floats:
    """Trains text and structure vectors on the training edges.

    Args:
        split: The split; its test edges are not used.
        settings: The settings.
        seed: The seed of the start and the negatives.

    Returns:
        Structure, then text, `[nodes, dimension]`. A node without a training edge has
        zeros for its structure; if it also has no words, it has NaN.
    """
    count, rng = split.network.node_count, np.random.default_rng(seed)
    shares = word_shares(split.network.texts)
    step = random_step(adjacency(split.train, count))
    texts = DiffusedTexts(shares, step, settings, rng)
    structure = small_table(count, settings.dimension // 2, 0.1, rng)
    edges = np.concatenate([split.train, split.train[:, ::-1]])
    degrees = np.bincount(edges[:, 0], minlength=count)
    noise, tables = Noise(degrees), {**texts.tables, "structure": structure}
    steps = {name: Adam(own, settings.learning_rate) for name, own in tables.items()}
    for epoch in counted("DMTE", settings.epochs):
        pairs = with_negatives(edges, settings.negatives, noise, rng)
        text, inner = texts.vectors()
        found = loss_gradients(text, structure, texts.diffused(structure), pairs)
        by_text, by_structure, by_diffused = found
        by_table = {
            **texts.gradients(by_text, inner),
            "structure": by_structure + texts.diffused_back(by_diffused),
        }
        for name, own in by_table.items():
            steps[name].step(own, 1 - epoch / settings.epochs)
        # upstream: CANE's node vectors are no longer than 1.
        structure /= np.maximum(np.linalg.norm(structure, axis=1, keepdims=True), 1)
    structure[degrees == 0] = 0
    vectors = np.hstack([structure, texts.vectors()[0]])
    vectors[(degrees == 0) & (np.diff(shares.indptr) == 0)] = np.nan
    return vectors


def _memory(split: Split, settings: DmteSettings) -> float:
    """Returns the least number of bytes needed, without those of words."""
    wide, pairs = settings.dimension, 2 * len(split.train) * (1 + settings.negatives)
    maps = 3 * 3 * 4 * wide * wide / 2  # with Adam's two moments
    return maps + 4 * 4 * split.network.node_count * wide + pairs * (4.0 * wide + 20)


def _fit(split: Split, settings: DmteSettings, seed: int, _: Path | None) -> Fitted:
    check_room(partial(_memory, split), settings)
    return VectorTable(diffusion_vectors(split, settings, seed))


DMTE = Method(
    "dmte",
    "DMTE",
    "texts diffused along edges (Zhang 2018)",
    fit=_fit,
    open=VectorTable.open,
    settings=DmteSettings,
    paper="dmte",
)
