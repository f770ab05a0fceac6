"""Word ids: upstream's to the last one, and the clean ones."""

import hashlib
import re

import numpy as np
import pytest

from cane_gane.data.network import TextualNetwork
from cane_gane.data.tokens import CleanTokenizer, DecodedTokenizer, UpstreamTokenizer


def network_of(*texts):
    return TextualNetwork(texts, np.array([[0, 0]]))


@pytest.mark.parametrize("name", ["cora", "HepTh"])
class TestUpstream:
    def test_id_matrix_is_upstreams(self, golden, published, name):
        network = published(name)
        tokenizer = UpstreamTokenizer.fit(network)
        ids = tokenizer.encode(tokenizer.read(network)).ids.astype("<i8")
        facts = golden["text"][name]
        assert list(ids.shape) == facts["shape"]
        assert hashlib.sha256(ids.tobytes()).hexdigest() == facts["sha256"]

    def test_vocabulary_is_upstreams(self, golden, published, name):
        tokenizer = UpstreamTokenizer.fit(published(name))
        facts = golden["text"][name]
        assert len(tokenizer.words) == facts["vocab_size"]
        assert tokenizer.words[facts["id_of_n_quote"]] == "n'"
        artefacts = [word for word in tokenizer.words if word.startswith("b'")]
        assert len(artefacts) == facts["vocab_tokens_starting_b_quote"]

    def test_lengths_are_upstreams(self, golden, published, name):
        network = published(name)
        tokenizer = UpstreamTokenizer.fit(network)
        encoded = tokenizer.encode(tokenizer.read(network))
        facts = golden["text"][name]
        assert int(encoded.lengths.sum()) == facts["nonzero"]
        assert encoded.cut == facts["doc_tokens"]["docs_longer_than_MAX_LEN"]

    def test_decoded_words_are_those_of_decoded_texts(self, golden, published, name):
        network = published(name)
        tokenizer = DecodedTokenizer.fit(network)
        encoded = tokenizer.encode(tokenizer.read(network), 500)
        facts = golden["text"][name]["clean_decode_for_comparison"]
        assert len(tokenizer.words) == facts["vocab_size"]
        assert int(encoded.lengths.sum()) == facts["tokens_total"]
        assert encoded.ids.shape[1] == 500

    def test_clean_words_are_those_of_the_plain_expression(self, published, name):
        for text in published(name).texts:
            assert CleanTokenizer.split(text) == re.findall(r"['\w\-]+", text)


def test_upstream_spells_bytes_as_python_prints_them():
    network = network_of("Größe")
    assert UpstreamTokenizer.fit(network).words == ("<UNK>", "b'Gr", "xc3", "xb6",
                                                    "x9fe", "n'")  # fmt: skip


def test_upstream_splits_camel_case():
    assert UpstreamTokenizer.split("HTMLParser TensorFlow") == [
        "HTML", "Parser", "Tensor", "Flow",
    ]  # fmt: skip


def test_upstream_gives_unknown_words_and_padding_one_id():
    encoded = UpstreamTokenizer(["known"]).encode(["known new"], max_length=4)
    assert encoded.ids.tolist() == [[1, 0, 0, 0]]


def test_clean_tells_padding_from_unknown_words():
    encoded = CleanTokenizer(["known"]).encode(["new known", "known"])
    assert encoded.ids.tolist() == [[1, 2], [2, 0]]
    assert encoded.lengths.tolist() == [2, 1]


def test_clean_numbers_words_by_first_appearance():
    tokenizer = CleanTokenizer.fit(network_of("red fox", "blue red"))
    assert tokenizer.words == ("<PAD>", "<UNK>", "red", "fox", "blue")


def test_clean_cuts_and_counts_long_texts():
    encoded = CleanTokenizer(["a"]).encode(["a a a", "a"], max_length=2)
    assert (encoded.ids.shape, encoded.cut) == ((2, 2), 1)


def test_clean_gives_an_empty_text_a_row_of_padding():
    encoded = CleanTokenizer([]).encode([""])
    assert (encoded.ids.tolist(), encoded.lengths.tolist()) == ([[0]], [0])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("网络 embedding嵌入", ["网", "络", "embedding", "嵌", "入"]),
        ("カナとかな", ["カ", "ナ", "と", "か", "な"]),
        ("한국어 문장", ["한국어", "문장"]),
        ("naïve café—Größe", ["naïve", "café", "Größe"]),
        ("don't re-do snake_case", ["don't", "re-do", "snake_case"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("（全角）、句読点。", ["全", "角", "句", "読", "点"]),
        ("a\u00a0b\u3000c\u200bd\ufeffe", ["a", "b", "c", "d", "e"]),
        ("C++ & C#", ["C", "C"]),
        ("𠀀𠀁", ["𠀀", "𠀁"]),
    ],
)
def test_clean_splits(text, words):
    assert CleanTokenizer.split(text) == words


def test_vocabulary_survives_a_file(tmp_path):
    tokenizer = CleanTokenizer(["red", "\u2028-odd", "网"])
    tokenizer.save(tmp_path / "vocabulary.txt")
    assert CleanTokenizer.load(tmp_path / "vocabulary.txt").words == tokenizer.words
