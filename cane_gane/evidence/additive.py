"""A score that is a sum of functions and products of features, so that it has parts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from cane_gane.evidence.features import Evidence

Floats = npt.NDArray[np.floating]
Integers = npt.NDArray[np.int64]

_CELLS = 1_000_000  # scores of sources with nodes that are held at once


@dataclass(frozen=True)
class Additive:
    """A sum of functions of single features, and of products of two of them.

    The function of a feature x is slopes[0] x + sum_k slopes[k] max(x - bends[k], 0);
    it is piecewise linear. With z = x - centre, the products of features i and j add
    (products[i, j] + products[j, i]) z_i z_j, half of which counts for each feature.
    Features are first clipped to the range that the sum was fitted on: a product of two
    features far outside that range would outweigh everything else.

    Attributes:
        names: The features.
        slopes: `[features, 1 + bends]`.
        bends: `[features, bends]`.
        centres: `[features]`.
        products: `[features, features]`, symmetric; 0 on the diagonal.
        bounds: The least and the greatest value of each, `[2, features]`; None without
            limits.
    """

    names: Sequence[str]
    slopes: Floats
    bends: Floats
    centres: Floats
    products: Floats
    bounds: Floats | None = None

    @classmethod
    def of_functions(
        cls, names: Sequence[str], slopes: Floats, bends: Floats
    ) -> Additive:
        """Returns a sum of functions alone, without products."""
        count = len(names)
        return cls(names, slopes, bends, np.zeros(count), np.zeros((count, count)))

    def parts(self, features: Iterable[Floats]) -> dict[str, Floats]:
        """Returns what each feature adds to the score, by name.

        Args:
            features: The values of each feature, all of the same shape, in the order of
                `names`.
        """
        crossed = np.flatnonzero(self.products.any(axis=0)).tolist()
        found, centred = {}, []
        for place, (name, given) in enumerate(zip(self.names, features, strict=True)):
            values = self._bounded(place, given)
            found[name] = self._function(place, values)
            if place in crossed:
                centred.append(values - np.float32(self.centres[place]))
        if crossed:
            stacked = np.stack(centred)
            weights = self.products[np.ix_(crossed, crossed)].astype(np.float32)
            others = np.tensordot(weights, stacked, axes=1)
            for place, own, other in zip(crossed, stacked, others, strict=True):
                found[self.names[place]] += own * other
        return found

    def _bounded(self, place: int, values: Floats) -> Floats:
        """Returns the values of the feature at index `place`, clipped to its bounds."""
        if self.bounds is None:
            return values
        low, high = self.bounds[:, place].tolist()  # numbers that keep float32
        return np.clip(values, low, high)

    def _function(self, place: int, values: Floats) -> Floats:
        """Returns the function of the feature at index `place` in `names`."""
        first, *others = self.slopes[place].tolist()  # numbers that keep float32
        total = first * values
        for slope, bend in zip(others, self.bends[place].tolist(), strict=True):
            total += slope * np.maximum(values - bend, 0)
        return total

    @classmethod
    def from_weights(cls, weights: Mapping[str, Mapping[str, Any]]) -> Additive:
        """Builds the sum from what `weights` returned."""
        names = tuple(weights)
        slopes, bends, centres = (
            np.array([own[key] for own in weights.values()])
            for key in ("slopes", "bends", "centre")
        )
        products = np.array(
            [[own["products"].get(name, 0.0) for name in names]
             for own in weights.values()]
        )  # fmt: skip
        bounds = [own["bounds"] for own in weights.values() if "bounds" in own]
        within = np.transpose(bounds) if bounds else None
        return cls(names, slopes, bends, centres, products, within)

    def weights(self) -> dict[str, dict[str, Any]]:
        """Returns slopes, bends, centre, products and bounds by feature."""
        bounds = () if self.bounds is None else self.bounds.T.tolist()
        found: dict[str, dict[str, Any]] = {
            name: {
                "slopes": self.slopes[place].tolist(),
                "bends": self.bends[place].tolist(),
                "centre": float(self.centres[place]),
                "products": {
                    self.names[other]: float(self.products[place, other])
                    for other in np.flatnonzero(self.products[place]).tolist()
                },
            }
            for place, name in enumerate(self.names)
        }
        for own, within in zip(found.values(), bounds, strict=False):
            own["bounds"] = within
        return found

    def rows(self, evidence: Evidence, sources: Integers) -> Floats:
        """Returns the score of sources with all nodes, `[sources, nodes]`."""
        total = np.zeros((len(sources), evidence.node_count), np.float32)
        for part in self.parts(evidence.features(sources, self.names)).values():
            total += part
        return total

    def table(self, evidence: Evidence) -> Floats:
        """Returns the score of all pairs, `[nodes, nodes]`."""
        nodes = np.arange(evidence.node_count)
        step = max(1, _CELLS // max(1, evidence.node_count))
        blocks = [nodes[first : first + step] for first in range(0, len(nodes), step)]
        return np.concatenate([self.rows(evidence, block) for block in blocks])
