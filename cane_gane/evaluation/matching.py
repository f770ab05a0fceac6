"""Which words of two texts a model matches, and how sparsely."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cane_gane.data.tokens import CleanTokenizer

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Match:
    """The words of two texts, and how strongly each pair of them is matched.

    Attributes:
        source_words: The n words of the first text.
        target_words: The m words of the second.
        plan: The model's own weights, `[n, m]`, summing to 1.
        attention: WANE's softmax on the same word vectors, `[n, m]`, summing to 1;
            None if the model does not provide it.
        on_padding: The share of the plan's weight that was on padding.
    """

    source_words: Sequence[str]
    target_words: Sequence[str]
    plan: Floats
    attention: Floats | None
    on_padding: float

    @classmethod
    def cut(
        cls,
        source_words: Sequence[str],
        target_words: Sequence[str],
        plan: Floats,
        attention: Floats | None,
    ) -> Match:
        """Cuts padded matrices to the words, and scales each to sum to 1."""
        rows, columns = len(source_words), len(target_words)
        inside, whole = plan[:rows, :columns].sum(), plan.sum()
        return cls(
            source_words,
            target_words,
            _shares(plan[:rows, :columns]),
            None if attention is None else _shares(attention[:rows, :columns]),
            float(1 - inside / whole) if whole else 0.0,
        )

    @property
    def entries(self) -> int:
        """The most entries that an optimal plan needs: n + m - 1."""
        return max(1, len(self.source_words) + len(self.target_words) - 1)

    def top_share(self, weights: Floats) -> float:
        """Returns the share of weight in the `entries` largest entries."""
        return float(np.sort(weights, axis=None)[::-1][: self.entries].sum())

    def words(
        self, rarity: Mapping[str, float], count: int
    ) -> list[tuple[str, str, float]]:
        """Returns the pairs of words with the most weight, rare words first.

        Args:
            rarity: What a word's weight is multiplied by when pairs are ordered;
                the smaller value of the two words counts. Keys are in lower case.
            count: How many pairs.

        Returns:
            Source word, target word, and their weight in the plan.
        """
        weights: Counter[tuple[str, str]] = Counter()
        for source, row in zip(self.source_words, self.plan.tolist(), strict=True):
            for target, weight in zip(self.target_words, row, strict=True):
                weights[source.lower(), target.lower()] += weight

        def importance(pair: tuple[str, str]) -> float:
            return weights[pair] * min(rarity.get(word, 0.0) for word in pair)

        best = sorted(weights, key=importance, reverse=True)[:count]
        return [(*pair, round(weights[pair], 5)) for pair in best if weights[pair] > 0]


def word_rarity(texts: Sequence[str]) -> dict[str, float]:
    """Returns log(texts / texts with the word) for each word in lower case."""
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update({word.lower() for word in CleanTokenizer.split(text)})
    return {word: float(np.log(len(texts) / count)) for word, count in counts.items()}


def _shares(weights: Floats) -> Floats:
    total = weights.sum()
    shares = np.asarray(weights, np.float64)
    return shares / float(total) if total else shares
