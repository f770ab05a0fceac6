"""What a graph of TensorFlow is made of, its functions included."""

import itertools

import tensorflow as tf


def transposed_types(graph_def):
    """The types of what a graph transposes; oneDNN complains of all but floats."""
    nodes = [graph_def.node, *(f.node_def for f in graph_def.library.function)]
    return {
        tf.as_dtype(node.attr["T"].type)
        for node in itertools.chain.from_iterable(nodes)
        if node.op == "Transpose"
    }
