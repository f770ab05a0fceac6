"""The four models on one frame: what they score, and what padding must not change."""

import numpy as np
import pytest
import tensorflow as tf

from cane_gane.batches import edge_batches
from cane_gane.checkpoints import load_checkpoint, save_checkpoint
from cane_gane.config import VARIANTS, make_config
from cane_gane.models import PairModel, build_model, frame
from cane_gane.models.encoders import TransportEncoder
from cane_gane.models.words import leave_words_out, lsa_vectors
from cane_gane.sampling import EdgeSampler
from cane_gane.tokens import EncodedTexts
from tests.graphs import transposed_types

SMALL = {"dimension": 8, "iterations": 5, "window": 3, "word_dropout": 0.0}
EDGES = np.array([[i, (i * 7 + 3) % 20] for i in range(12)])
LENGTHS = np.arange(20) % 6 + 1
IDS = np.random.default_rng(0).integers(1, 30, (20, 9))
TEXTS = EncodedTexts(
    np.where(np.arange(9) < LENGTHS[:, None], IDS, 0).astype(np.int32),
    LENGTHS.astype(np.int32),
    0,
)


def make(variant, **options):
    return build_model(make_config(variant=variant, **{**SMALL, **options}), 30, 20)


def one_batch(negatives=2, texts=TEXTS, **options):
    sampler = EdgeSampler(EDGES, batch_size=12, negatives=negatives)
    return next(iter(edge_batches(texts, sampler, **options)))


@pytest.mark.parametrize("variant", VARIANTS)
def test_terms_are_the_four_inner_products(variant):
    model, batch = make(variant), one_batch()
    positive, negative = model(batch)
    near, far = model.encode(batch["source_text"], batch["target_text"])
    source, target = model.place(batch["source"]), model.place(batch["target"])
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


def test_a_clipped_node_vector_has_at_most_length_1():
    model = make("ot", start="random")
    long = tf.norm(model.structure, axis=1) > 1
    places = model.place(tf.range(20))
    np.testing.assert_allclose(tf.norm(places, axis=1)[long], 1, rtol=1e-5)
    assert not make("ot", start="random", clip=False).clip


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


def test_dropped_words_hang_on_the_seed():
    ids = tf.tile(tf.range(1, 51)[None], [4, 1])
    first, again, other = (
        leave_words_out(ids, 0.5, tf.constant([1, s])) for s in (1, 1, 2)
    )
    assert (first == again).numpy().all()
    assert (first != other).numpy().any()


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_fast_path_of_training_changes_no_loss(variant, monkeypatch):
    """Chunks, one look-up for a word, and merged words against none of it."""
    repeating = EncodedTexts(np.minimum(TEXTS.ids, 4), TEXTS.lengths, 0)

    def losses():
        model, batch = make(variant), one_batch(texts=repeating)
        return [float(model.train_step(batch)["loss"]) for _ in range(4)]

    monkeypatch.setattr(frame, "CHUNK", 3)
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
    monkeypatch.setattr(frame, "MANY_ROWS", 0)
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


def test_lsa_puts_words_of_one_topic_near_each_other():
    generator = np.random.default_rng(0)
    ids = np.where(
        np.arange(40)[:, None] < 20,
        generator.integers(2, 12, (40, 15)),
        generator.integers(12, 22, (40, 15)),
    ).astype(np.int32)
    texts = EncodedTexts(ids, np.full(40, 15, np.int32), 0)
    vectors = lsa_vectors(texts, 22, 4, seed=1)
    unit = vectors[2:] / np.linalg.norm(vectors[2:], axis=1, keepdims=True)
    cosine = unit @ unit.T
    assert cosine[:10, :10].mean() > 0.3 > -0.3 > cosine[:10, 10:].mean()
    assert np.abs(vectors[ids].mean(axis=(0, 1))).max() < 1e-5
    assert np.abs(vectors[:2]).max() < 1e-5  # padding and unknown words: neutral


def test_lsa_has_a_vector_for_every_word_of_a_tiny_network():
    texts = EncodedTexts(np.array([[2, 3], [3, 0]], np.int32), np.array([2, 1]), 0)
    assert np.isfinite(lsa_vectors(texts, 4, 100, seed=1)).all()


def test_tables_kept_by_rows_go_on_from_a_checkpoint(monkeypatch, tmp_path):
    monkeypatch.setattr(frame, "MANY_ROWS", 0)
    batches = list(edge_batches(TEXTS, EdgeSampler(EDGES, batch_size=2)).take(10))

    def train(model, batches):
        for batch in batches:
            model.train_step(batch)
        model.settle()
        return model

    undisturbed = train(make("ap"), batches[:5])
    save_checkpoint(tmp_path / "last.npz", undisturbed, {})
    train(undisturbed, batches[5:])
    resumed = make("ap")
    load_checkpoint(tmp_path / "last.npz", resumed)
    train(resumed, batches[5:])
    for name in ("words", "structure"):
        found, expected = (getattr(m, name).numpy() for m in (resumed, undisturbed))
        np.testing.assert_array_equal(found, expected)
