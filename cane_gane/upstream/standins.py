"""Stand-ins for what upstream imports and TensorFlow 2 lacks."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt

from cane_gane.data.tokens import UpstreamTokenizer


class VocabularyProcessor:
    """Stands in for the class of the same name in TensorFlow 1's `contrib.learn`.

    Attributes:
        vocabulary_: The words by id, `<UNK>` first, after `fit_transform`.
    """

    def __init__(self, max_document_length: int) -> None:
        """Takes the number of ids of a row."""
        self.max_document_length = max_document_length
        self.vocabulary_: tuple[str, ...] = UpstreamTokenizer.reserved

    def fit_transform(self, texts: Iterable[str]) -> Iterator[npt.NDArray[np.int64]]:
        """Numbers words by first appearance; yields a row of ids for each text."""
        texts = list(texts)
        words = (word for text in texts for word in UpstreamTokenizer.split(text))
        tokenizer = UpstreamTokenizer(tuple(dict.fromkeys(words)))
        self.vocabulary_ = tokenizer.words
        encoded = tokenizer.encode(texts, self.max_document_length)
        yield from encoded.ids.astype(np.int64)


def install() -> Any:
    """Makes `import tensorflow` mean version 1, in this process, and returns it."""
    import tensorflow.compat.v1 as version_1

    version_1.disable_v2_behavior()
    version_1.logging.set_verbosity(version_1.logging.ERROR)
    sys.modules["tensorflow"] = version_1
    install_vocabulary()
    return version_1


def install_vocabulary() -> None:
    """Makes `tensorflow.contrib.learn` mean the stand-in, in this process."""
    contrib, learn = ModuleType("tensorflow.contrib"), ModuleType("learn")
    learn.preprocessing = ModuleType("preprocessing")  # type: ignore[attr-defined]
    learn.preprocessing.VocabularyProcessor = VocabularyProcessor
    contrib.learn = learn  # type: ignore[attr-defined]
    sys.modules["tensorflow.contrib"] = contrib
    sys.modules["tensorflow.contrib.learn"] = learn
