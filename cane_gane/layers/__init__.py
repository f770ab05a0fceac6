"""Keras layers of CANE, WANE and GANE; each also works in your own model."""

from cane_gane.layers.aggregation import Aggregation
from cane_gane.layers.attention_parsing import AttentionParsing
from cane_gane.layers.inner_product import InnerProduct
from cane_gane.layers.mutual_attention import MutualAttention
from cane_gane.layers.transport_alignment import TransportAlignment
from cane_gane.layers.transport_plan import TransportPlan
from cane_gane.layers.word_alignment import WordAlignment

__all__ = [
    "Aggregation",
    "AttentionParsing",
    "InnerProduct",
    "MutualAttention",
    "TransportAlignment",
    "TransportPlan",
    "WordAlignment",
]
