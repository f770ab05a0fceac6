"""The four models on one frame, built from a config."""

from cane_gane.models.build import build_model
from cane_gane.models.frame import PairModel

__all__ = ["PairModel", "build_model"]
