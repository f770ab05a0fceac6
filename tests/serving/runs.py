"""A small run with names, that tests of answers share."""

import cane_gane
from cane_gane.data.network import TextualNetwork
from tests.networks import write_topics

SMALL = {"dimension": 8, "epochs": 1, "batch_size": 16, "device": "cpu"}


def named_topics(folder):
    """The small network with three topics, its nodes named."""
    plain = TextualNetwork.read(write_topics(folder))
    names = [f"node-{chr(97 + n % 26)}{n // 26}" for n in range(plain.node_count)]
    return TextualNetwork(plain.texts, plain.edges, plain.labels, names)


def small_model(folder, method="ap", **options):
    """A model of it, fitted on 80 % of the edges."""
    split = named_topics(folder).split(0.8, seed=1)
    return cane_gane.fit(split, method, **SMALL, **options)
