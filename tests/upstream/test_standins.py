"""The stand-in vocabulary gives the ids that TensorFlow 1's gave upstream."""

import hashlib

import numpy as np
import pytest

from cane_gane.upstream.standins import VocabularyProcessor


@pytest.mark.parametrize("name", ["HepTh", "cora"])
def test_ids_are_the_golden_ones(golden, published, name):
    processor = VocabularyProcessor(golden["_about"]["MAX_LEN"])
    lines = [str(line) for line in published(name).lines]
    ids = np.array(list(processor.fit_transform(lines)))
    facts = golden["text"][name]
    assert list(ids.shape) == facts["shape"]
    assert str(ids.dtype) == facts["dtype"]
    assert hashlib.sha256(ids.tobytes()).hexdigest() == facts["sha256"]
    assert len(processor.vocabulary_) == facts["vocab_size"]


def test_texts_are_cut_after_the_vocabulary_is_made():
    processor = VocabularyProcessor(2)
    rows = [row.tolist() for row in processor.fit_transform(["a b c", "c"])]
    assert rows == [[1, 2], [3, 0]]
    assert processor.vocabulary_ == ("<UNK>", "a", "b", "c")
