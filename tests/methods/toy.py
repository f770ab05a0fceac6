"""A method in one file: nodes are alike that have training neighbours in common."""

from cane_gane.data.graph import neighbours
from cane_gane.methods.method import Method
from cane_gane.serving.table import VectorTable


def fit(split, settings, seed, folder):
    adjacent = neighbours(split.train, split.network.node_count)
    return VectorTable(adjacent.toarray())


METHOD = Method(
    key="toy",
    title="Toy neighbours",
    about="counts common neighbours",
    fit=fit,
    open=VectorTable.open,
)
