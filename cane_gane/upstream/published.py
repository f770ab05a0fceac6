"""Published AUC of link prediction: the paper's tables and upstream's README."""

from __future__ import annotations

from collections.abc import Mapping

RATIOS = (0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95)
README = "upstream's README"

# In %, by data set, one figure for each of `RATIOS`.
_FIGURES: Mapping[str, Mapping[str, tuple[float, ...]]] = {
    "cora": {
        README: (85.2, 90.5, 92.2, 93.5, 93.4, 93.6, 94.4, 95.0, 92.5),
        "paper's CANE": (86.8, 91.5, 92.2, 93.9, 94.6, 94.9, 95.6, 96.6, 97.7),
        "paper's WANE": (91.7, 93.3, 94.1, 95.7, 96.2, 96.9, 97.5, 98.2, 99.1),
        "paper's GANE-OT": (92.0, 94.4, 95.7, 96.6, 97.3, 97.6, 98.6, 98.8, 99.2),
        "paper's GANE-AP": (94.0, 96.4, 97.2, 97.4, 98.0, 98.2, 98.8, 99.1, 99.3),
    },
    "HepTh": {
        README: (85.0, 89.7, 91.7, 95.0, 94.4, 94.2, 95.1, 95.8, 93.1),
        "paper's CANE": (90.0, 91.2, 92.0, 93.0, 94.2, 94.6, 95.4, 95.7, 96.3),
        "paper's WANE": (92.3, 94.1, 95.7, 96.7, 97.5, 97.5, 97.7, 98.2, 98.7),
        "paper's GANE-OT": (93.4, 96.2, 97.0, 97.7, 97.9, 98.0, 98.2, 98.6, 98.8),
        "paper's GANE-AP": (93.8, 96.4, 97.3, 97.9, 98.1, 98.2, 98.4, 98.7, 98.9),
    },
    "zhihu": {
        README: (64.5, 67.1, 69.2, 69.9, 72.0, 72.2, 72.5, 72.8, 73.3),
        "paper's CANE": (56.8, 59.3, 62.9, 64.5, 68.9, 70.4, 71.4, 73.6, 75.4),
        "paper's WANE": (58.7, 63.5, 68.3, 71.9, 74.9, 77.0, 79.7, 80.0, 82.6),
        "paper's GANE-OT": (61.6, 66.4, 70.8, 73.0, 77.3, 80.6, 80.4, 81.8, 83.2),
        "paper's GANE-AP": (64.6, 69.4, 72.8, 74.2, 79.1, 82.6, 81.8, 83.0, 84.3),
    },
}


def published(dataset: str, ratio: float) -> dict[str, float]:
    """Returns the published AUC by source, between 0 and 1; empty where there is none.

    Args:
        dataset: A data set's name, in any case.
        ratio: The share of the edges for training.
    """
    by_name = {name.lower(): figures for name, figures in _FIGURES.items()}
    figures = by_name.get(dataset.lower(), {})
    if ratio not in RATIOS:
        return {}
    place = RATIOS.index(ratio)
    return {source: row[place] / 100 for source, row in figures.items()}
