"""Evidence inside the SavedModel: beside scikit-learn, and in a fresh process."""

import json
import subprocess
import sys

import numpy as np
import pytest
import tensorflow as tf
from sklearn.feature_extraction.text import TfidfVectorizer

from cane_gane.data.network import TextualNetwork
from cane_gane.data.tfidf import word_weights
from cane_gane.data.tokens import TOKENIZERS, CleanTokenizer
from cane_gane.evidence.additive import Additive
from cane_gane.evidence.fit import fit_evidence
from cane_gane.models.build import build_model
from cane_gane.models.settings import ModelSettings
from cane_gane.serving.evidence import OWN_WEIGHT, ServedEvidence
from cane_gane.serving.saved_model import Servable
from cane_gane.serving.words import WordEvidence
from tests.networks import write_topics

TEXTS = ["Red fox red FOX sea", "the sea, the blue sea", "fox", "", "Ünïcode words Äh"]
QUERIES = ["RED fox", "", "sea sea sky", "äh words", "never seen", "fox"]

SCRIPT = """
import json, sys
import numpy as np, tensorflow as tf
assert "cane_gane" not in sys.modules
model = tf.saved_model.load(sys.argv[1])
given = json.load(open(sys.argv[2]))
pairs = np.array(given["pairs"], np.int64)
nodes = model.signatures["score_nodes"](
    source=tf.constant(pairs[:, 0]), target=tf.constant(pairs[:, 1]))["score"]
rows = model.signatures["evidence"](nodes=tf.constant(pairs[:, 0]))["evidence"]
left, right = (tf.constant([given["texts"][i] for i in pairs[:, k]]) for k in (0, 1))
texts = model.signatures["score"](source=left, target=right)["score"]
out = {"nodes": nodes, "rows": rows, "texts": texts}
json.dump({k: v.numpy().tolist() for k, v in out.items()}, open(sys.argv[3], "w"))
"""


def words_with(tmp_path, slopes, bends):
    words, idf = word_weights(TEXTS)
    path = tmp_path / "words.txt"
    path.write_text("".join(f"{word}\n" for word in words))
    names = ("words", "shared_words")
    functions = Additive.of_functions(names, np.array(slopes), np.array(bends))
    return WordEvidence(path, idf, functions)


def all_pairs():
    return [(left, right) for left in QUERIES for right in TEXTS]


def scores_of(evidence):
    left, right = (tf.constant(list(side)) for side in zip(*all_pairs(), strict=True))
    return evidence(left, right).numpy()


@pytest.fixture(scope="module")
def weigh():
    """Scikit-learn's TF-IDF of the same words."""
    vectorizer = TfidfVectorizer(
        tokenizer=CleanTokenizer.split, token_pattern=None, sublinear_tf=True
    )
    return vectorizer.fit(TEXTS)


def test_the_cosine_is_scikit_learns(tmp_path, weigh):
    evidence = words_with(tmp_path, [[1, 0], [0, 0]], [[0], [0]])
    expected = (weigh.transform(QUERIES) @ weigh.transform(TEXTS).T).toarray()
    np.testing.assert_allclose(scores_of(evidence), expected.ravel(), atol=1e-6)


def test_shared_words_weigh_by_the_square_of_their_idf(tmp_path, weigh):
    evidence = words_with(tmp_path, [[0, 0], [1, 0]], [[0], [0]])
    idf = dict(zip(weigh.get_feature_names_out(), weigh.idf_, strict=True))
    split = CleanTokenizer.split
    expected = [
        np.log1p(
            sum(
                idf.get(word, 0) ** 2
                for word in {*split(left.lower())} & {*split(right.lower())}
            )
        )
        for left, right in all_pairs()
    ]
    np.testing.assert_allclose(scores_of(evidence), expected, rtol=1e-5, atol=1e-6)


def test_functions_bend(tmp_path):
    straight = scores_of(words_with(tmp_path, [[1, 0], [0, 0]], [[0], [0]]))
    found = scores_of(words_with(tmp_path, [[2, -3], [0, 0]], [[0.4], [0]]))
    expected = 2 * straight - 3 * np.maximum(straight - 0.4, 0)
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_short_words_have_no_beginnings(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("red\nsea\n")
    names = ("words", "shared_words")
    functions = Additive.of_functions(names, np.array([[1.0], [0.0]]), np.zeros((2, 0)))
    score = WordEvidence(path, np.ones(2), functions)
    found = score(tf.constant(["redder red", "redder", ""]), tf.constant(["red"] * 3))
    np.testing.assert_allclose(found, [1, 0, 0], atol=1e-6)


KNOWN = ["matrix matrices", "matrix matrixlike", "matrix", "éclairée sea", "seas"]


@pytest.mark.parametrize(
    ("unknown", "known"),
    [
        ("matrixes", "matrix"),  # both words begin like that, one is commoner
        ("MATRICIAL", "matrices"),  # by the longest beginning
        ("matriarch", "matrix"),
        ("éclairés", "éclairée"),  # letters, not bytes
        ("matr", None),  # too short
        ("éclat", None),
        ("xmatrix", None),
    ],
)
def test_an_unknown_word_counts_as_one_that_begins_like_it(tmp_path, unknown, known):
    words, idf = word_weights(KNOWN)
    path = tmp_path / "words.txt"
    path.write_text("".join(f"{word}\n" for word in words))
    names = ("words", "shared_words")
    functions = Additive.of_functions(names, np.array([[1.0], [1.0]]), np.zeros((2, 0)))
    score = WordEvidence(path, idf, functions)
    left, right = tf.constant([f"sea {unknown}"] * 5), tf.constant(KNOWN)
    expected = score(tf.constant([f"sea {known or ''}"] * 5), right)
    np.testing.assert_allclose(score(left, right), expected, atol=1e-6)


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """A model with evidence, and the same without."""
    folder = tmp_path_factory.mktemp("evidence")
    network = TextualNetwork.read(write_topics(folder / "network"))
    settings = ModelSettings.make(dimension=8, iterations=5, window=3)
    tokenizer = TOKENIZERS["clean"].fit(network)
    encoded = tokenizer.encode(network.texts)
    tokenizer.save(folder / "vocabulary.txt")
    model = build_model(settings, "ap", len(tokenizer.words), network.node_count, 1)
    fitted = fit_evidence(network.texts, network.edges[:-5], seed=1)
    given = (model, encoded, folder / "vocabulary.txt", 1, 300)
    evidence = ServedEvidence(fitted, folder / "words.txt")
    return Servable(*given, evidence), Servable(*given), network, fitted, folder


def nodes_scored(servable, pairs):
    source, target = (tf.constant(pairs[:, side]) for side in (0, 1))
    found = servable.signatures()["score_nodes"](source=source, target=target)
    return found["score"].numpy().astype(np.float64)


def test_a_fresh_process_adds_evidence_to_the_models_own_score(served):
    whole, alone, network, fitted, folder = served
    whole.weigh_evidence(seed=1)
    whole.export(folder / "saved_model")
    rng = np.random.default_rng(0)
    pairs = rng.integers(network.node_count, size=(50, 2))
    given = {"pairs": pairs.tolist(), "texts": list(network.texts)}
    (folder / "given.json").write_text(json.dumps(given))
    paths = [str(folder / name) for name in ("saved_model", "given.json", "out.json")]
    subprocess.run(
        [sys.executable, "-c", SCRIPT, *paths], check=True, cwd="/", env={"PATH": ""}
    )
    out = json.loads((folder / "out.json").read_text())
    own = nodes_scored(alone, pairs)
    rest = np.array(out["nodes"]) - fitted.table[pairs[:, 0], pairs[:, 1]]
    # What is left is the model's own score, times one weight for all pairs.
    weight = rest @ own / (own @ own)
    np.testing.assert_allclose(rest, weight * own, rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(out["rows"], fitted.table[pairs[:, 0]], rtol=1e-5)
    left, right = ([network.texts[i] for i in pairs[:, side]] for side in (0, 1))
    texts = tf.constant(left), tf.constant(right)
    own = alone.signatures()["score"](source=texts[0], target=texts[1])["score"].numpy()
    words = whole._evidence.words(*texts).numpy()
    np.testing.assert_allclose(out["texts"], words + weight * own, rtol=1e-3, atol=1e-4)


def test_the_models_own_score_has_the_weight_of_its_spread(served):
    whole, alone, network, fitted, _ = served
    pairs = np.random.default_rng(3).integers(network.node_count, size=(3000, 2))
    whole.weigh_evidence(seed=1)
    rest = nodes_scored(whole, pairs) - fitted.table[pairs[:, 0], pairs[:, 1]]
    assert rest.std() == pytest.approx(OWN_WEIGHT, rel=0.1)
    assert np.corrcoef(rest, nodes_scored(alone, pairs))[0, 1] > 0.999


def test_the_table_is_stored_once(served):
    whole, _, _, fitted, folder = served
    whole.export(folder / "again")
    stored = (folder / "again" / "variables").glob("variables.data*")
    size = sum(path.stat().st_size for path in stored)
    others = 4 * sum(np.prod(v.shape) for v in whole.model.variables)
    assert size < 1.5 * fitted.table.nbytes + 3 * others


def test_without_evidence_there_is_no_such_signature(served):
    whole, alone, *_ = served
    assert "evidence" in whole.signatures()
    assert "evidence" not in alone.signatures()
