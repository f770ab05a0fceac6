"""The SavedModel through the messages of TensorFlow Serving."""

import numpy as np
import pytest
import tensorflow as tf

from cane_gane.files import link_folder
from tests.serving.runs import small_model

predict_pb2 = pytest.importorskip("tensorflow_serving.apis.predict_pb2")


def answer(folder, request):
    """What a server does: the newest version's signature, on tensors of messages."""
    version = max(int(own.name) for own in folder.iterdir())
    loaded = tf.saved_model.load(str(folder / str(version)))
    inputs = {key: tf.make_ndarray(own) for key, own in request.inputs.items()}
    function = loaded.signatures[request.model_spec.signature_name]
    found = function(**{key: tf.constant(own) for key, own in inputs.items()})
    response = predict_pb2.PredictResponse()
    for key, own in found.items():
        response.outputs[key].CopyFrom(tf.make_tensor_proto(own))
    return predict_pb2.PredictResponse.FromString(response.SerializeToString())


@pytest.mark.slow
def test_a_message_in_gives_a_message_out(tmp_path):
    model = small_model(tmp_path / "network", "wane")
    model._fitted.save(tmp_path / "saved_model")
    link_folder(tmp_path / "saved_model", tmp_path / "serving/1")
    request = predict_pb2.PredictRequest()
    request.model_spec.name = "mine"
    request.model_spec.signature_name = "recommend"
    nodes = tf.make_tensor_proto(np.array([0, 5], np.int64))
    request.inputs["nodes"].CopyFrom(nodes)
    request.inputs["top"].CopyFrom(tf.make_tensor_proto(np.int64(3)))
    sent = predict_pb2.PredictRequest.FromString(request.SerializeToString())
    response = answer(tmp_path / "serving", sent)
    found = tf.make_ndarray(response.outputs["nodes"])
    expected = [[own.node.id for own in model.recommend(n, top=3)] for n in (0, 5)]
    assert found.tolist() == expected
    names = tf.make_ndarray(response.outputs["names"])
    assert names[0, 0].decode() == model.network.names[expected[0][0]]
