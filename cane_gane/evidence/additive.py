"""A score that is a sum of functions, one of each feature, so that it has parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cane_gane.evidence.features import Evidence

Floats = npt.NDArray[np.floating]
Integers = npt.NDArray[np.int64]

_CELLS = 4_000_000  # scores of source and node that are held at once


@dataclass(frozen=True)
class Additive:
    """A sum of functions of single features, each piecewise linear.

    The function of a feature x is slopes[0] x + sum_k slopes[k] max(x - bends[k], 0).

    Attributes:
        names: The features.
        slopes: `[features, 1 + bends]`.
        bends: `[features, bends]`.
    """

    names: Sequence[str]
    slopes: Floats
    bends: Floats

    def part(self, place: int, values: Floats) -> Floats:
        """Returns what a feature adds to the score.

        Args:
            place: The place of the feature in `names`.
            values: The values of the feature, of any shape.
        """
        total = self.slopes[place, 0] * values
        for slope, bend in zip(self.slopes[place, 1:], self.bends[place], strict=True):
            total += slope * np.maximum(values - bend, 0)
        return total

    def weights(self) -> dict[str, dict[str, list[float]]]:
        """Returns slopes and bends by feature."""
        return {
            name: {"slopes": slopes.tolist(), "bends": bends.tolist()}
            for name, slopes, bends in zip(
                self.names, self.slopes, self.bends, strict=True
            )
        }

    def rows(self, evidence: Evidence, sources: Integers) -> Floats:
        """Returns the score of sources with all nodes, `[sources, nodes]`."""
        total = np.zeros((len(sources), evidence.node_count), np.float32)
        for place, values in enumerate(evidence.features(sources, self.names)):
            total += self.part(place, values)
        return total

    def table(self, evidence: Evidence) -> Floats:
        """Returns the score of all pairs, `[nodes, nodes]`."""
        nodes = np.arange(evidence.node_count)
        step = max(1, _CELLS // max(1, evidence.node_count))
        blocks = [nodes[first : first + step] for first in range(0, len(nodes), step)]
        return np.concatenate([self.rows(evidence, block) for block in blocks])
