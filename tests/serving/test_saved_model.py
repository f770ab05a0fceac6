"""The SavedModel, in a fresh process that knows only TensorFlow and numpy."""

import json
import subprocess
import sys

import numpy as np
import pytest
import tensorflow as tf
from tensorflow.core.protobuf import saved_model_pb2

from cane_gane.data.network import TextualNetwork
from cane_gane.data.tokens import TOKENIZERS, CleanTokenizer
from cane_gane.models.build import build_model
from cane_gane.models.settings import ModelSettings
from cane_gane.serving.nodes import KnownNodes
from cane_gane.serving.saved_model import Servable
from tests.graphs import transposed_types
from tests.networks import write_topics

VARIANTS = ("cane", "wane", "ot", "ap")
PAIRS = np.array([[0, 1], [2, 3], [4, 4], [5, 0]])
ODD = ["", "never seen words", "topic1word3 " * 10_000, "topic0word1 😀 网络", "\x00\n"]

SCRIPT = """
import json, resource, sys
import numpy as np, tensorflow as tf
assert "cane_gane" not in sys.modules
given = json.load(open(sys.argv[2]))
model = tf.saved_model.load(sys.argv[1])
call = lambda name, **inputs: {k: v.numpy() for k, v in
                               model.signatures[name](**{k: tf.constant(v) for k, v in inputs.items()}).items()}
out = {}
pairs = np.array(given["pairs"], np.int64)
out["score_nodes"] = call("score_nodes", source=pairs[:, 0], target=pairs[:, 1])["score"].tolist()
out["embed_nodes"] = call("embed_nodes", nodes=pairs[:, 0], contexts=pairs[:, 1])["embedding"].tolist()
texts = [given["texts"][i] for i in pairs[:, 0]]
contexts = [given["texts"][i] for i in pairs[:, 1]]
out["score"] = call("score", source=texts, target=contexts)["score"].tolist()
out["embed"] = call("embed", text=texts, context=contexts)["embedding"].tolist()
plan = call("plan", source=texts, target=contexts)
out["words"] = [[w.decode() for w in row if w] for row in plan["source_words"]]
out["plan"] = plan["plan"].sum((1, 2)).tolist()
out["attention"] = plan["attention"][0].tolist()
odd = given["odd"]
out["odd"] = bool(np.isfinite(call("score", source=odd, target=odd[::-1])["score"]).all())
many = np.arange(10_000) % len(given["texts"])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
out["many"] = call("score_nodes", source=many, target=many[::-1].copy())["score"].shape
out["megabytes"] = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
out["none"] = call("score", source=np.array([], object), target=np.array([], object))["score"].shape
json.dump(out, open(sys.argv[3], "w"))
"""  # noqa: E501


def make_servable(folder, variant, train=None, **options):
    network = TextualNetwork.read(write_topics(folder / "network"))
    small = {"dimension": 8, "iterations": 5, "window": 3}
    settings = ModelSettings.make(**{**small, **options})
    tokenizer = TOKENIZERS[settings.tokenizer].fit(network)
    texts = tokenizer.encode(tokenizer.read(network), settings.max_length)
    vocabulary = folder / "vocabulary.txt"
    tokenizer.save(vocabulary)
    words, unknown = len(tokenizer.words), len(tokenizer.reserved) - 1
    model = build_model(settings, variant, words, network.node_count, seed=1)
    nodes = None
    if train is not None:
        names = [f"name{node}" for node in range(network.node_count)]
        nodes = KnownNodes(names, train, folder / "names.txt")
    servable = Servable(
        model, texts, vocabulary, unknown, settings.max_length, nodes=nodes
    )
    return servable, network, model


def ids_of(pairs):
    return tf.constant(pairs[:, 0]), tf.constant(pairs[:, 1])


def node_scores(servable, pairs=PAIRS):
    source, target = ids_of(pairs)
    score = servable.signatures()["score_nodes"]
    return score(source=source, target=target)["score"].numpy()


@pytest.fixture(scope="module", params=VARIANTS)
def served(request, tmp_path_factory):
    """A model of each variant, and what a fresh process makes of its SavedModel."""
    folder = tmp_path_factory.mktemp(request.param)
    servable, network, _ = make_servable(folder, request.param)
    servable.export(folder / "exported")
    (folder / "exported").rename(folder / "moved")
    given = {"pairs": PAIRS.tolist(), "texts": list(network.texts), "odd": ODD}
    (folder / "given.json").write_text(json.dumps(given))
    paths = [str(folder / name) for name in ("moved", "given.json", "out.json")]
    subprocess.run(
        [sys.executable, "-c", SCRIPT, *paths], check=True, cwd="/", env={"PATH": ""}
    )
    return servable, network, json.loads((folder / "out.json").read_text()), folder


def test_nodes_score_as_in_the_trained_model(served):
    servable, _, out, _ = served
    expected = node_scores(servable)
    np.testing.assert_allclose(out["score_nodes"], expected, rtol=1e-5, atol=1e-5)


def test_node_embeddings_are_structure_then_text(served):
    servable, _, out, _ = served
    expected = servable.embed_nodes(PAIRS[:, 0], PAIRS[:, 1])["embedding"]
    np.testing.assert_allclose(out["embed_nodes"], expected, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(np.array(out["embed"]), expected[:, 8:], atol=1e-5)


def test_raw_texts_score_by_their_text_vectors(served):
    servable, network, out, folder = served
    tokenizer = CleanTokenizer.load(folder / "vocabulary.txt")
    ids = tokenizer.encode(network.texts).ids
    near, far = servable.model.encode(ids[PAIRS[:, 0]], ids[PAIRS[:, 1]])
    expected = np.sum(near * far, 1)
    np.testing.assert_allclose(out["score"], expected, rtol=1e-4, atol=1e-5)


def test_a_plan_comes_with_its_words(served):
    _, network, out, _ = served
    assert out["words"] == [network.texts[i].split() for i in PAIRS[:, 0]]
    assert min(out["plan"]) > 0


def test_attention_is_a_softmax_over_inner_products_of_words(served):
    servable, network, out, folder = served
    tokenizer = CleanTokenizer.load(folder / "vocabulary.txt")
    table = servable.model.words.numpy().astype(float)
    source, target = (
        table[tokenizer.encode([network.texts[node]]).ids[0]] for node in PAIRS[0]
    )
    weights = np.exp(source @ target.T)
    expected = weights / weights.sum(1, keepdims=True)
    found = np.array(out["attention"])[: len(source), : len(target)]
    np.testing.assert_allclose(found, expected, rtol=1e-4)


def test_odd_texts_give_finite_scores(served):
    assert served[2]["odd"]


def test_batches_of_none_and_of_ten_thousand_are_answered(served):
    assert (served[2]["none"], served[2]["many"]) == ([0], [10_000])
    assert served[2]["megabytes"] < 500


def test_signatures_transpose_floats_alone(served):
    saved = saved_model_pb2.SavedModel()
    saved.ParseFromString((served[3] / "moved" / "saved_model.pb").read_bytes())
    assert transposed_types(saved.meta_graphs[0].graph_def) <= {tf.float32}


def test_the_vocabulary_is_readable(served):
    words = (served[3] / "moved" / "assets" / "vocabulary.txt").read_text().split("\n")
    assert words[:2] == ["<PAD>", "<UNK>"]
    assert "topic1word3" in words


def test_weights_are_stored_once(tmp_path):
    servable, _, model = make_servable(tmp_path, "ot", dimension=300)
    servable.export(tmp_path / "exported")
    stored = sum(p.stat().st_size for p in (tmp_path / "exported/variables").iterdir())
    weights = sum(4 * np.prod(v.shape) for v in model.trainable_variables)
    assert weights < stored < 1.3 * weights


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_loaded_signatures_are_those_of_the_model_in_memory(variant, tmp_path):
    servable, network, _ = make_servable(tmp_path, variant)
    servable.export(tmp_path / "exported")
    loaded = tf.saved_model.load(str(tmp_path / "exported"))
    in_memory = servable.signatures()
    assert {*loaded.signatures} == {*in_memory, "serving_default"}
    texts = tf.constant(network.texts[:4]), tf.constant(network.texts[4:8])
    inputs = {
        "score": dict(zip(("source", "target"), texts, strict=True)),
        "plan": dict(zip(("source", "target"), texts, strict=True)),
        "explain": dict(zip(("source", "target"), texts, strict=True)),
        "embed": dict(zip(("text", "context"), texts, strict=True)),
        "embed_text": {"text": texts[0]},
        "explain_nodes": dict(zip(("source", "target"), ids_of(PAIRS), strict=True)),
        "score_new": {
            "source": texts[0],
            "structure": tf.ones([4, 8]),
            "target": ids_of(PAIRS)[1],
        },
        "score_nodes": dict(zip(("source", "target"), ids_of(PAIRS), strict=True)),
        "embed_nodes": dict(zip(("nodes", "contexts"), ids_of(PAIRS), strict=True)),
    }
    for name, function in in_memory.items():
        expected = function(**inputs[name])
        found = loaded.signatures[name](**inputs[name])
        assert {*found} == {*expected}
        for output, values in expected.items():
            np.testing.assert_array_equal(found[output], values, f"{name} {output}")


def test_signatures_in_memory_follow_the_training(tmp_path):
    servable, _, model = make_servable(tmp_path, "wane")
    before = node_scores(servable)
    model.structure.assign(2 * model.structure)
    assert (node_scores(servable) != before).all()


@pytest.mark.parametrize(("longest", "read"), [(40, 20), (12, 12)])
def test_raw_text_is_cut_at_max_length_not_at_the_longest_of_a_node(
    tmp_path, longest, read
):
    servable, network, model = make_servable(tmp_path, "ot", max_length=longest)
    assert max(len(text.split()) for text in network.texts) == 14
    text = " ".join(f"topic{i % 3}word{i % 12}" for i in range(20))
    found = servable.plan(tf.constant([text]), tf.constant([text]))
    assert found["plan"].shape == (1, read, read)
    assert found["source_words"].shape == (1, read)
    tokenizer = CleanTokenizer.load(tmp_path / "vocabulary.txt")
    ids = tokenizer.encode([text], read).ids
    near, far = model.encode(ids, ids)
    score = servable.score(tf.constant([text]), tf.constant([text]))["score"]
    np.testing.assert_allclose(score, np.sum(near * far, 1), rtol=1e-4)


@pytest.mark.parametrize(
    ("name", "sides"),
    [("score_nodes", ("source", "target")), ("embed_nodes", ("nodes", "contexts"))],
)
@pytest.mark.parametrize("node", [-1, 60])
def test_an_id_of_no_node_is_named_with_the_expected_ids(tmp_path, name, sides, node):
    servable, _, _ = make_servable(tmp_path, "wane")
    nothing, strange = tf.constant([0], tf.int64), tf.constant([node], tf.int64)
    expected = rf"node id out of range: expected 0 to 59; found\] \[{node}\]"
    for side in sides:
        inputs = {**dict.fromkeys(sides, nothing), side: strange}
        with pytest.raises(tf.errors.InvalidArgumentError, match=expected):
            servable.signatures()[name](**inputs)


@pytest.fixture(scope="module")
def named(tmp_path_factory):
    """A SavedModel that knows names and training edges, loaded again."""
    folder = tmp_path_factory.mktemp("named")
    train = TextualNetwork.read(write_topics(folder / "network")).edges[:90]
    servable, network, _ = make_servable(folder, "wane", train)
    servable.export(folder / "exported")
    return servable, network, train, tf.saved_model.load(str(folder / "exported"))


def test_recommend_is_a_search_through_all_that_are_no_neighbours(named):
    servable, network, train, loaded = named
    nodes = [0, 7, 31]
    top = tf.constant(5, tf.int64)
    found = loaded.signatures["recommend"](nodes=tf.constant(nodes, tf.int64), top=top)
    for row, node in enumerate(nodes):
        joined = {node, *train[train[:, 0] == node, 1], *train[train[:, 1] == node, 0]}
        others = np.array([n for n in range(network.node_count) if n not in joined])
        scores = node_scores(
            servable, np.stack([np.full_like(others, node), others], 1)
        )
        best = others[np.argsort(-scores)[:5]]
        assert found["nodes"][row].numpy().tolist() == best.tolist()
        names = [name.decode() for name in found["names"][row].numpy()]
        assert names == [f"name{other}" for other in best]
        np.testing.assert_allclose(found["scores"][row], np.sort(scores)[::-1][:5])


def test_recommend_has_no_answer_where_there_is_no_node_left(named):
    found = named[3].recommend(tf.constant([0]), tf.constant(1000))
    assert found["nodes"].shape == (1, 60)
    last = {key: own[0, -1].numpy() for key, own in found.items()}
    assert last == {"nodes": -1, "names": b"", "scores": -np.inf}


@pytest.mark.parametrize(
    "kind", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
)
def test_ids_may_be_of_any_integer_type(named, kind):
    servable, _, _, loaded = named
    source, target = (tf.constant(side, kind) for side in PAIRS.T)
    found = loaded.score_nodes(source=source, target=target)
    np.testing.assert_allclose(found["score"], node_scores(servable), rtol=1e-5)
    assert found["source_name"].numpy().tolist() == [
        b"name0",
        b"name2",
        b"name4",
        b"name5",
    ]


def test_the_names_are_an_asset(named, tmp_path):
    servable = named[0]
    servable.export(tmp_path / "exported")
    names = (tmp_path / "exported/assets/names.txt").read_text().split()
    assert names == [f"name{node}" for node in range(60)]


def test_a_new_node_with_the_vector_of_a_known_one_scores_as_it_does(named):
    servable, network, _, loaded = named
    source, target = ids_of(PAIRS)
    structure = servable.model.structure_of(source)
    texts = tf.constant([network.texts[node] for node in PAIRS[:, 0]])
    new = loaded.signatures["score_new"]
    terms = new(source=texts, structure=structure, target=target)["terms"]
    np.testing.assert_allclose(np.sum(terms, 1), node_scores(servable), rtol=1e-4)


def test_the_terms_of_a_score_add_up_to_it(named):
    servable, _, _, loaded = named
    source, target = ids_of(PAIRS)
    found = loaded.signatures["explain_nodes"](source=source, target=target)
    assert found["terms"].shape == (4, 4)
    np.testing.assert_allclose(
        np.sum(found["terms"], 1), node_scores(servable), rtol=1e-5
    )


def test_a_text_alone_is_embedded_in_its_own_context(named):
    _, network, _, loaded = named
    texts = tf.constant(network.texts[:3])
    alone = loaded.signatures["embed_text"](text=texts)["embedding"]
    own = loaded.signatures["embed"](text=texts, context=texts)["embedding"]
    np.testing.assert_allclose(alone, own, rtol=1e-6)


@pytest.mark.parametrize("tokenizer", ["upstream", "clean"])
def test_a_model_that_attends_to_padding_has_one_width(tmp_path, tokenizer):
    servable, network, _ = make_servable(
        tmp_path, "cane", preset="upstream", tokenizer=tokenizer, max_length=40
    )
    short = tf.constant(network.texts[:3])
    texts = tf.concat([short, ["topic1word3 " * 100]], 0)
    alone = servable.score(short, short)["score"]
    among = servable.score(texts, texts)["score"]
    assert np.isfinite(among).all()
    np.testing.assert_allclose(among[:3], alone, rtol=1e-5)


@pytest.mark.slow
def test_the_command_line_of_tensorflow_shows_and_runs_it(tmp_path):
    servable, _, _ = make_servable(tmp_path, "wane")
    servable.export(tmp_path / "exported")

    def tool(command, *words):
        module = "tensorflow.python.tools.saved_model_cli"
        done = subprocess.run(
            [sys.executable, "-m", module, command, "--dir", str(tmp_path / "exported"),
             *words],
            capture_output=True, text=True,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    shown = tool("show", "--all")
    for name in ("score", "score_nodes", "embed", "embed_nodes", "plan"):
        assert f"signature_def['{name}']" in shown
    inputs = "source=[0, 2, 4, 5];target=[1, 3, 4, 0]"
    signature = ["--tag_set", "serve", "--signature_def", "score_nodes"]
    printed = tool("run", *signature, "--input_exprs", inputs)
    found = [float(x) for x in printed.split("[")[-1].split("]")[0].split()]
    expected = node_scores(servable)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
