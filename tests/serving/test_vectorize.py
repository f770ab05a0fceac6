"""The tokenizer in a graph against the one in Python, and in a fresh process."""

import json
import re
import subprocess
import sys

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st

from cane_gane.data.catalog import find_dataset
from cane_gane.data.network import TextualNetwork
from cane_gane.data.tokens import SEPARATORS, SINGLES, CleanTokenizer
from cane_gane.serving.vectorize import GraphTokenizer, split_words

# Characters near the borders of every range of the tokenizer, and then any.
BORDERS = "".join(
    chr(max(ord(end) + step, 0))
    for end in re.sub(r"\\x00|\\|-", "", SEPARATORS + SINGLES)
    for step in (-1, 0, 1)
    if not 0xD800 <= ord(end) + step < 0xE000
)
TEXTS = st.text(
    st.one_of(
        st.sampled_from(BORDERS),
        st.sampled_from(" \t\n\r\x0b\x0c\x1c\x85'-_ab网\u0301\u200d"),
        st.characters(exclude_categories=["Cs"]),
    ),
    max_size=40,
)


def words_in_graph(texts):
    ragged = split_words(tf.constant(texts, tf.string)).to_list()
    return [[word.decode() for word in row] for row in ragged]


@given(st.lists(TEXTS, min_size=1, max_size=8))
@settings(max_examples=300, deadline=None)
def test_any_text_gives_equal_words(texts):
    assert words_in_graph(texts) == [CleanTokenizer.split(text) for text in texts]


def test_every_character_gives_equal_words():
    points = [p for p in range(0x110000) if not 0xD800 <= p < 0xE000]
    text = [f"a{chr(point)}b" for point in points]
    assert words_in_graph(text) == [CleanTokenizer.split(t) for t in text]


@pytest.mark.parametrize("name", ["cora", "HepTh", "pydocs"])
def test_every_text_of_a_data_set_gives_equal_ids(published, tmp_path, name):
    network = (
        TextualNetwork.read(find_dataset(name)) if name == "pydocs" else published(name)
    )
    tokenizer = CleanTokenizer.fit(network)
    tokenizer.save(tmp_path / "vocabulary.txt")
    ids = GraphTokenizer(tmp_path / "vocabulary.txt")(tf.constant(network.texts))
    np.testing.assert_array_equal(ids, tokenizer.encode(network.texts).ids)


def test_unknown_words_empty_texts_and_long_ones(tmp_path):
    tokenizer = CleanTokenizer(["red", "fox"])
    tokenizer.save(tmp_path / "vocabulary.txt")
    graph_tokenizer = GraphTokenizer(tmp_path / "vocabulary.txt", max_length=3)
    ids = graph_tokenizer(tf.constant(["", "red cat fox red", "fox"]))
    assert ids.numpy().tolist() == [[0, 0, 0], [2, 1, 3], [3, 0, 0]]


def test_bytes_that_are_no_text_do_no_harm(tmp_path):
    CleanTokenizer(["red"]).save(tmp_path / "vocabulary.txt")
    ids = GraphTokenizer(tmp_path / "vocabulary.txt")(tf.constant([b"red \xff\xfe"]))
    assert ids.numpy()[0, 0] == 2


@pytest.mark.slow
def test_a_process_that_knows_only_tensorflow_gets_the_same_ids(tmp_path):
    texts = ["red fox", "网络 red", ""]
    tokenizer = CleanTokenizer(["red", "fox", "网"])
    tokenizer.save(tmp_path / "vocabulary.txt")
    module = GraphTokenizer(tmp_path / "vocabulary.txt")
    holder = tf.Module()
    holder.tokenizer = module
    signature = tf.function(
        lambda texts: {"ids": module(texts)},
        input_signature=[tf.TensorSpec([None], tf.string)],
    )
    tf.saved_model.save(holder, str(tmp_path / "model"), signatures=signature)
    (tmp_path / "vocabulary.txt").unlink()
    (tmp_path / "model").rename(tmp_path / "moved")
    script = (
        "import json, sys, tensorflow as tf\n"
        "model = tf.saved_model.load(sys.argv[1])\n"
        "texts = tf.constant(json.loads(sys.argv[2]))\n"
        "out = model.signatures['serving_default'](texts)\n"
        "print(json.dumps(out['ids'].numpy().tolist()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "moved"), json.dumps(texts)],
        capture_output=True, text=True, check=True, cwd=tmp_path, env={"PATH": ""},
    )  # fmt: skip
    assert json.loads(done.stdout) == tokenizer.encode(texts).ids.tolist()
