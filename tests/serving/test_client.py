"""A served model in numpy: averages over edges, and batches of any integers."""

import numpy as np
import pytest
import tensorflow as tf

from cane_gane.data.network import TextualNetwork
from cane_gane.data.splits import Split
from cane_gane.errors import InputError
from cane_gane.serving import client
from cane_gane.serving.client import ServedModel, some_of_each
from cane_gane.serving.table import VectorTable

EDGES = np.array([[0, 1], [0, 2]])


def fake(lonely=False):
    """A model that embeds (node, context) as the two numbers, and scores their sum."""

    def embed_nodes(nodes, contexts):
        assert (nodes.dtype, contexts.dtype) == (tf.int64, tf.int64)
        return {"embedding": tf.cast(tf.stack([nodes, contexts], 1), tf.float32)}

    def score_nodes(source, target):
        assert (source.dtype, target.dtype) == (tf.int64, tf.int64)
        return {"score": tf.cast(source + target, tf.float32)}

    signatures = {"embed_nodes": embed_nodes, "score_nodes": score_nodes}
    network = TextualNetwork(texts=["red", "fox", "blue", "sea"], edges=EDGES)
    split = Split(network, EDGES, EDGES[:0])
    return ServedModel(signatures, split, lambda path: None, lonely=lonely)


def test_a_vector_is_the_mean_over_the_training_edges_of_both_directions():
    np.testing.assert_array_equal(fake().vectors[:3], [[0, 1.5], [1, 0], [2, 0]])


def test_a_lonely_node_has_no_vector():
    assert np.isnan(fake().vectors[3]).all()


def test_a_lonely_node_is_embedded_in_its_own_context_if_asked_for():
    np.testing.assert_array_equal(fake(lonely=True).vectors[3], [3, 3])


def test_in_a_large_network_a_vector_is_the_mean_over_some_neighbours(monkeypatch):
    monkeypatch.setattr(client, "LARGE", 1)
    whole = fake(lonely=True).vectors  # nobody has more than four
    np.testing.assert_array_equal(whole, [[0, 1.5], [1, 0], [2, 0], [3, 3]])
    monkeypatch.setattr(client, "CONTEXTS", 1)
    found = fake(lonely=True).vectors
    assert found[0].tolist() in ([0, 1], [0, 2])
    np.testing.assert_array_equal(found[1:], whole[1:])


def test_some_pairs_of_each_source_are_drawn():
    pairs = np.stack([np.repeat([4, 2, 7], [5, 1, 40]), np.arange(46)], axis=1)
    found = some_of_each(pairs, 3, seed=1)
    assert np.unique(found[:, 0], return_counts=True)[1].tolist() == [1, 3, 3]
    assert {*map(tuple, found.tolist())} <= {*map(tuple, pairs.tolist())}
    assert len(np.unique(found, axis=0)) == len(found)
    others = [some_of_each(pairs, 3, seed).tolist() for seed in (1, 2)]
    assert others[0] == found.tolist() != others[1]


@pytest.mark.parametrize("dtype", [np.int32, np.uint8, np.int64])
def test_ids_of_any_integer_type_are_scored(dtype):
    assert fake().score(EDGES.astype(dtype)).tolist() == [1, 2]


def test_pairs_are_scored_batch_by_batch_in_their_order(monkeypatch):
    monkeypatch.setattr(client, "BATCH", 3)
    pairs = np.random.default_rng(0).integers(0, 4, (10, 2))
    np.testing.assert_array_equal(fake().score(pairs), pairs.sum(1))
    assert fake().score(pairs[:0]).shape == (0,)


def test_a_folder_without_a_saved_model_is_named(tmp_path):
    with pytest.raises(InputError, match=rf"{tmp_path}.*found no SavedModel"):
        ServedModel.load(tmp_path, None, lonely=False)


def test_a_saved_model_of_an_earlier_version_is_named(tmp_path):
    module = tf.Module()
    module.score = tf.function(lambda x: x, [tf.TensorSpec([], tf.float32)])
    tf.saved_model.save(module, str(tmp_path), {"score": module.score})
    line = r"without the signature score_nodes, .*; expected one of this version: train"
    with pytest.raises(InputError, match=rf"{tmp_path}: found a SavedModel {line}"):
        ServedModel.load(tmp_path, None, lonely=False)
    with pytest.raises(InputError, match="without the signature vectors; expected"):
        VectorTable.open(tmp_path, None, None)


def test_vectors_name_the_candidates_where_there_is_no_evidence():
    rows = fake(lonely=True).first_stage.score_rows(np.array([1]))
    vectors = fake(lonely=True).vectors
    np.testing.assert_allclose(rows, vectors[[1]] @ vectors.T)


def test_evidence_names_the_candidates_where_there_is_some():
    table = np.random.default_rng(0).random((4, 4))
    model = fake()
    model._signatures["evidence"] = lambda nodes: {"evidence": tf.gather(table, nodes)}
    rows = model.first_stage.score_rows(np.array([2, 0]))
    np.testing.assert_array_equal(rows, table[[2, 0]])
