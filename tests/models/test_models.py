"""The four models: what they score, and what padding must not change."""

import json

import keras
import numpy as np
import pytest
import tensorflow as tf

from cane_gane.data.tokens import EncodedTexts
from cane_gane.models import pair_model
from cane_gane.models.build import build_model
from cane_gane.models.encoders import TransportEncoder
from cane_gane.models.pair_model import PairModel
from cane_gane.models.pair_scorer import text_vectors
from cane_gane.models.settings import ModelSettings
from cane_gane.models.words import leave_words_out
from cane_gane.sampling.batches import edge_batches
from cane_gane.sampling.edges import EdgeSampler
from cane_gane.training import compile as compiling
from cane_gane.training.checkpoints import Checkpoints, Place
from tests.graphs import transposed_types

VARIANTS = ("cane", "wane", "ot", "ap")

SMALL = {"dimension": 8, "iterations": 5, "window": 3, "word_dropout": 0.0}
EDGES = np.array([[i, (i * 7 + 3) % 20] for i in range(12)])
LENGTHS = np.arange(20) % 6 + 1
IDS = np.random.default_rng(0).integers(1, 30, (20, 9))
TEXTS = EncodedTexts.of(
    np.where(np.arange(9) < LENGTHS[:, None], IDS, 0).astype(np.int32), LENGTHS
)


def make(variant, **options):
    settings = ModelSettings.make(**{**SMALL, **options})
    model = build_model(settings, variant, 30, 20, seed=1)
    compiling.compile_model(model, settings)
    return model


def one_batch(negatives=2, texts=TEXTS, **options):
    sampler = EdgeSampler(EDGES, batch_size=12, negatives=negatives)
    return next(iter(edge_batches(texts, sampler, **options)))


@pytest.mark.parametrize("variant", VARIANTS)
def test_terms_are_the_four_inner_products(variant):
    model, batch = make(variant), one_batch()
    positive, negative = model(batch)
    near, far = model.encode(batch["source_text"], batch["target_text"])
    source, target = (model.structure_of(batch[x]) for x in ("source", "target"))
    products = [(near, far), (source, target), (source, far), (target, near)]
    expected = np.stack([np.sum(a * b, -1) for a, b in products], -1)
    np.testing.assert_allclose(positive, expected, atol=1e-5)
    assert negative.shape == (12, 2, 4)


@pytest.mark.parametrize("variant", VARIANTS)
def test_negatives_are_scored_as_pairs_of_their_own(variant):
    model, batch = make(variant), one_batch()
    _, negative = model(batch)
    swapped = {
        **batch,
        "target": batch["negatives"][:, 1],
        "target_text": batch["negatives_text"][:, 1],
    }
    np.testing.assert_allclose(model(swapped)[0], negative[:, 1], atol=1e-5)


@pytest.mark.parametrize("variant", VARIANTS)
def test_padding_changes_no_score(variant):
    model = make(variant)
    for trimmed, padded in zip(
        model(one_batch(trim=True)), model(one_batch(trim=False)), strict=True
    ):
        np.testing.assert_allclose(trimmed, padded, atol=1e-5)


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_weight_learns(variant):
    model = make(variant, map_mixed=True)
    before = [v.numpy() for v in model.trainable_variables]
    model.train_step(one_batch())
    for variable, old in zip(model.trainable_variables, before, strict=True):
        assert (variable.numpy() != old).any(), variable.path


@pytest.mark.parametrize(
    ("variant", "options"),
    [
        *((variant, {"word_dropout": 0.3}) for variant in VARIANTS),
        ("ap", {"preset": "paper"}),
        ("cane", {"preset": "upstream"}),
    ],
)
def test_a_step_transposes_floats_alone(variant, options):
    model = make(variant, **options)
    step = tf.function(model.train_step).get_concrete_function(one_batch())
    assert transposed_types(step.graph.as_graph_def()) <= {tf.float32}


@pytest.mark.parametrize("variant", VARIANTS)
def test_training_lowers_the_loss(variant):
    model, batch = make(variant, learning_rate=0.01), one_batch()
    losses = []
    for _ in range(15):
        losses.append(float(tf.reduce_sum(model.loss(*model(batch)))))
        model.train_step(batch)
    assert losses[-1] < losses[0]


@pytest.mark.parametrize("variant", VARIANTS)
def test_matches_lie_on_real_words(variant):
    batch = one_batch()
    plan = make(variant).match(batch["source_text"], batch["target_text"]).numpy()
    real = (batch["source_text"] > 0)[:, :, None] & (batch["target_text"] > 0)[:, None]
    assert plan.shape == real.shape
    assert (plan[~real.numpy()] == 0).all()
    assert (plan.sum((1, 2)) > 0).all()


def test_paper_preset_needs_no_equal_lengths():
    model, batch = make("ap", preset="paper"), one_batch()
    near, far = model.encode(batch["source_text"][:, :2], batch["target_text"])
    assert np.isfinite(near).all()
    assert np.isfinite(far).all()


@pytest.mark.parametrize("clip", [True, False])
def test_a_node_vector_above_length_1_is_clipped_if_asked_for(clip):
    model = make("ot", clip=clip)
    model.structure.assign(np.random.default_rng(0).normal(size=(20, 8)) / 3)
    norms = tf.norm(model.structure, axis=1).numpy()
    assert norms.max() > 1 > norms.min()
    expected = np.minimum(norms, 1) if clip else norms
    found = tf.norm(model.structure_of(tf.range(20)), axis=1)
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_dropping_words_leaves_the_rate_and_never_nothing():
    lengths = tf.constant([1, 400, 0])
    ids = tf.sequence_mask(lengths, 400, tf.int32) * tf.range(1, 401)
    left = leave_words_out(ids, 0.3, tf.constant([1, 2])).numpy()
    counts = (left > 0).sum(1)
    assert counts[0] == 1
    assert 240 < counts[1] < 320
    assert counts[2] == 0
    kept = left[1][: counts[1]]
    assert (np.diff(kept) > 0).all(), "the words that are left keep their order"
    assert not left[1][counts[1] :].any(), "and are closed up"


def test_dropped_words_depend_on_the_seed():
    ids = tf.tile(tf.range(1, 51)[None], [4, 1])
    first, again, other = (
        leave_words_out(ids, 0.5, tf.constant([1, s])) for s in (1, 1, 2)
    )
    assert (first == again).numpy().all()
    assert (first != other).numpy().any()


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_fast_path_of_training_changes_no_loss(variant, monkeypatch):
    """Chunks, one look-up for a word, and merged words against none of it."""
    repeating = EncodedTexts.of(np.minimum(TEXTS.ids, 4), TEXTS.lengths)

    def losses():
        model, batch = make(variant), one_batch(texts=repeating)
        return [float(model.train_step(batch)["loss"]) for _ in range(4)]

    monkeypatch.setattr(pair_model, "CHUNK", 3)
    fast = losses()
    monkeypatch.setattr(PairModel, "_encode_many", PairModel.encode)
    monkeypatch.setattr(TransportEncoder, "merges", False)
    plain = losses()
    assert plain[-1] < plain[0]
    np.testing.assert_allclose(fast, plain, rtol=1e-5)


@pytest.mark.parametrize("variant", VARIANTS)
def test_tables_kept_by_rows_learn_what_dense_ones_do(variant, monkeypatch):
    sampler = EdgeSampler(EDGES, batch_size=2)
    batches = list(edge_batches(TEXTS, sampler).take(12))

    def tables():
        model = make(variant)
        losses = [float(model.train_step(batch)["loss"]) for batch in batches]
        model.settle()
        return losses, model.words.numpy(), model.structure.numpy()

    dense = tables()
    monkeypatch.setattr(compiling, "MANY_ROWS", 0)
    for found, expected in zip(tables(), dense, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("variant", ["wane", "ot", "ap"])
def test_text_vectors_start_as_the_mean_of_their_words(variant):
    model = make(variant, start="lsa")
    near, _ = model.encode(TEXTS.ids, TEXTS.ids[::-1])
    words = model.words.numpy()[TEXTS.ids] * (TEXTS.ids > 0)[..., None]
    means = words.sum(1) / LENGTHS[:, None]
    cosine = (near * means).numpy().sum(1) / (
        np.linalg.norm(near, axis=1) * np.linalg.norm(means, axis=1)
    )
    assert cosine.min() > 0.9
    random, _ = make(variant, start="random").encode(TEXTS.ids, TEXTS.ids[::-1])
    assert np.abs(np.corrcoef(random.numpy().ravel(), means.ravel())[0, 1]) < 0.5


def test_tables_kept_by_rows_go_on_from_a_checkpoint(monkeypatch):
    monkeypatch.setattr(compiling, "MANY_ROWS", 0)
    batches = list(edge_batches(TEXTS, EdgeSampler(EDGES, batch_size=2)).take(10))

    def train(model, batches):
        for batch in batches:
            model.train_step(batch)
        model.settle()
        return model

    checkpoints = Checkpoints(None)
    undisturbed = train(make("ap"), batches[:5])
    checkpoints.save(Place(1), undisturbed, {})
    train(undisturbed, batches[5:])
    resumed = make("ap")
    checkpoints.load(Place(1), resumed)
    train(resumed, batches[5:])
    for name in ("words", "structure"):
        found, expected = (getattr(m, name).numpy() for m in (resumed, undisturbed))
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("preset", ["best", "paper"])
def test_text_vectors_are_those_of_a_text_in_its_own_context(variant, preset):
    model = make(variant, preset=preset)
    expected, _ = model.encode(TEXTS.ids, TEXTS.ids)
    found = text_vectors(model, TEXTS)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


# Keras copies a variable in a way that numpy 2 warns of, wherever a model is saved
saves = pytest.mark.filterwarnings(
    "ignore:__array__ implementation doesn't accept a copy:DeprecationWarning"
)
ROUND_TRIPS = [
    *((variant, {}) for variant in VARIANTS),
    ("ap", {"preset": "paper"}),
    ("cane", {"preset": "upstream"}),
    ("wane", {"adam": "keras", "rho": "1.0,0.3,0.2"}),
]


def assert_same_values(found, expected):
    assert [v.path for v in found] == [v.path for v in expected]
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one.numpy(), other.numpy(), other.path)


@saves
@pytest.mark.parametrize(("variant", "options"), ROUND_TRIPS, ids=str)
def test_a_trained_model_comes_back_from_a_keras_file(variant, options, tmp_path):
    model, batch = make(variant, word_dropout=0.3, **options), one_batch()
    model.train_step(batch)
    model.save(tmp_path / "model.keras")
    again = keras.models.load_model(tmp_path / "model.keras")
    assert type(again) is type(model)
    assert json.dumps(again.get_config()) == json.dumps(model.get_config())
    assert_same_values(again.variables, model.variables)
    for found, expected in zip(again(batch), model(batch), strict=True):
        np.testing.assert_array_equal(found, expected)
    for one in (model, again):
        one.train_step(batch)
    assert_same_values(again.variables, model.variables)


@saves
def test_tables_kept_by_rows_come_back_from_a_keras_file(monkeypatch, tmp_path):
    monkeypatch.setattr(compiling, "MANY_ROWS", 0)
    first, *others = edge_batches(TEXTS, EdgeSampler(EDGES, batch_size=2)).take(5)
    model = make("ot")
    model.train_step(first)
    model.save(tmp_path / "model.keras")
    again = keras.models.load_model(tmp_path / "model.keras")
    for one in (model, again):
        for batch in others:
            one.train_step(batch)
        one.settle()
    assert_same_values(again.variables, model.variables)


@saves
def test_a_model_that_is_not_compiled_comes_back_from_a_keras_file(tmp_path):
    model = build_model(ModelSettings.make(**SMALL), "ap", 30, 20, seed=1)
    model.save(tmp_path / "model.keras")
    again = keras.models.load_model(tmp_path / "model.keras")
    batch = one_batch()
    for found, expected in zip(again(batch), model(batch), strict=True):
        np.testing.assert_array_equal(found, expected)


def test_variables_have_the_same_paths_in_every_model_of_a_process(monkeypatch):
    monkeypatch.setattr(compiling, "MANY_ROWS", 0)
    paths = [
        [v.path for v in [*model.trainable_variables, *model.optimizer.variables]]
        for model in (make("ap"), make("ap"))
    ]
    assert paths[0] == paths[1]
    assert len(set(paths[0])) == len(paths[0])


def plain_loss(positive, negative):
    """The paper's loss of each edge, by its formula, in numpy."""
    near, far = np.sum(positive, -1), np.sum(negative, -1)
    return np.log1p(np.exp(-near)) + np.log1p(np.exp(far)).sum(1)


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_loss_of_an_edge_is_multiplied_by_its_weight(variant):
    model = make(variant, preset="paper")
    weights = EDGES @ [0.1, 0.01] + 0.5
    weight_of = dict(zip(map(tuple, EDGES.tolist()), weights, strict=True))
    batch = one_batch(weigh=lambda rows: np.array([weight_of[*r] for r in rows]))
    terms = [one.numpy().astype(np.float64) for one in model(batch, training=True)]
    edges = zip(batch["source"].numpy(), batch["target"].numpy(), strict=True)
    expected = np.array([weight_of[*edge] for edge in edges]) * plain_loss(*terms)
    np.testing.assert_allclose(model.edge_losses(batch), expected, rtol=1e-5)


def test_an_edge_of_weight_two_counts_as_the_edge_twice():
    """The gradients of a batch with an edge twice, against its weight doubled."""
    model, batch = make("ap"), one_batch()
    twice = {
        name: np.concatenate([value[:3], value[2:3]]) for name, value in batch.items()
    }
    heavy = {name: value[:3] for name, value in batch.items()}
    heavy["weight"] = tf.constant([1.0, 1.0, 2.0])
    found = []
    for own in (twice, heavy):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(model.edge_losses(own))
        slopes = tape.gradient(loss, model.trainable_variables)
        found.append([loss, *map(tf.convert_to_tensor, slopes)])
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-6)
