"""Turns text into word ids: exactly as upstream, or cleanly (the default)."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np
import numpy.typing as npt

from cane_gane.files import write_atomically

if TYPE_CHECKING:
    from cane_gane.data.network import TextualNetwork

MAX_LENGTH = 300


@dataclass(frozen=True)
class EncodedTexts:
    """Texts as word ids, one text after another.

    Attributes:
        words: The ids of all texts, `[words of all texts]`.
        starts: Where each text begins, and the end of the last one, `[nodes + 1]`.
        width: The width that rows are padded to: the number of words of the longest
            text.
        cut: How many texts were longer than the maximum length.
    """

    words: npt.NDArray[np.int32]
    starts: npt.NDArray[np.int64]
    width: int
    cut: int = 0

    @classmethod
    def of(cls, ids: npt.NDArray[np.int32], lengths: npt.ArrayLike) -> EncodedTexts:
        """Takes padded rows, `[nodes, width]`, and the number of words in each."""
        real = np.arange(ids.shape[1]) < np.asarray(lengths)[:, None]
        starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        return cls(ids[real].astype(np.int32), starts, ids.shape[1])

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def lengths(self) -> npt.NDArray[np.int64]:
        """How many words each text has, `[nodes]`."""
        return np.diff(self.starts)

    @property
    def ids(self) -> npt.NDArray[np.int32]:
        """All texts as rows padded with 0, `[nodes, width]`; only for few texts."""
        return self.padded(0, len(self))

    def padded(self, first: int, last: int) -> npt.NDArray[np.int32]:
        """Returns the texts from `first` to `last` (exclusive), `[texts, width]`."""
        starts = self.starts[first : last + 1]
        rows = np.zeros((len(starts) - 1, self.width), np.int32)
        real = np.arange(self.width) < np.diff(starts)[:, None]
        rows[real] = self.words[starts[0] : starts[-1]]
        return rows


class _Tokenizer:
    """The base of all tokenizers: words are numbered by first appearance.

    Attributes:
        reserved: What the first ids stand for; the last of them is the unknown word.
        pads: Whether rows are padded to the maximum length; else to the longest text.
    """

    reserved: ClassVar[tuple[str, ...]]
    pads: ClassVar[bool] = False
    _WORD: ClassVar[re.Pattern[str]]

    def __init__(self, words: Sequence[str]) -> None:
        """Takes the words of the ids that follow the reserved ones."""
        self.words = (*self.reserved, *words)
        self._id_of = {word: number for number, word in enumerate(self.words)}
        self._unknown = len(self.reserved) - 1

    @classmethod
    def fit(cls, network: TextualNetwork) -> Self:
        """Numbers every word of the network's texts by first appearance."""
        words = (word for text in cls.read(network) for word in cls.split(text))
        return cls(tuple(dict.fromkeys(words)))

    @classmethod
    def load(cls, path: Path) -> Self:
        """Reads what `save` wrote."""
        words = path.read_text(encoding="utf-8").split("\n")[:-1]
        return cls(words[len(cls.reserved) :])

    def save(self, path: Path) -> None:
        """Writes the vocabulary, the word with id i in line i, counted from 0."""
        write_atomically(path, "".join(f"{word}\n" for word in self.words).encode())

    @classmethod
    def read(cls, network: TextualNetwork) -> Iterable[str]:
        """Returns the texts as this tokenizer sees them."""
        return network.texts

    @classmethod
    def split(cls, text: str) -> list[str]:
        """Splits a text into words."""
        return cls._WORD.findall(text)

    def encode(
        self, texts: Iterable[str], max_length: int = MAX_LENGTH
    ) -> EncodedTexts:
        """Turns texts into ids.

        Args:
            texts: The texts.
            max_length: Words after this many are dropped.

        Returns:
            The ids of all texts.
        """
        words, lengths, cut = array("i"), [0], 0
        for text in texts:
            row = [self._id_of.get(word, self._unknown) for word in self.split(text)]
            cut += len(row) > max_length
            words.extend(row[:max_length])
            lengths.append(min(len(row), max_length))
        starts = np.cumsum(lengths, dtype=np.int64)
        width = max_length if self.pads else max(1, *lengths)
        return EncodedTexts(np.array(words, np.int32), starts, width, cut)


class UpstreamTokenizer(_Tokenizer):
    """CANE's word ids, quirk by quirk.

    Unknown words and padding share id 0, case is kept, camel case is split, and
    every row is padded to the maximum length.
    """

    reserved = ("<UNK>",)
    pads = True
    # The expression of TensorFlow 1's VocabularyProcessor.
    _WORD = re.compile(r"[A-Z]{2,}(?![a-z])|[A-Z][a-z]+(?=[A-Z])|[\'\w\-]+")

    @classmethod
    def read(cls, network: TextualNetwork) -> Iterable[str]:
        """Returns the lines of data.txt as Python prints bytes."""
        # upstream: str(bytes) leaves b' before each text and \n' after it, and turns
        # everything that is not ASCII into tokens such as xe7.
        return map(str, network.lines)


class DecodedTokenizer(UpstreamTokenizer):
    """CANE's word ids without its quirk of reading: texts are decoded first.

    It isolates the effect of that quirk; expression, ids and padding are upstream's.
    """

    @classmethod
    def read(cls, network: TextualNetwork) -> Iterable[str]:
        """Returns the network's texts."""
        return network.texts


# One alphabet for Python's expressions and TensorFlow's (RE2), as ranges of code
# points: their own classes (\w, \pL) follow different versions of Unicode.
SEPARATORS = (
    "\\x00-&(-,./:-@\\[-^`{-\u00a9\u00ab-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u00d7\u00f7"
    "\u2000-\u200b\u200e-\u206f\u20a0-\u20cf\u2190-\u245f\u2500-\u25ff\u2980-\u2bff"
    "\u2e00-\u2e7f\u3000-\u3004\u3007-\u3020\u3030\u303d-\u303f\u30a0\u30fb"
    "\ufe10-\ufe1f\ufe30-\ufe6f\ufeff-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65"
    "\uffe0-\uffff"
)
SINGLES = (  # CJK ideographs and Japanese syllables, not separated by spaces
    "\u3005\u3006\u3021-\u3029\u3031-\u3035\u3038-\u303c\u3041-\u309f\u30a1-\u30fa"
    "\u30fc-\u312f\u31a0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f"
    "\U00020000-\U0003ffff"
)


class CleanTokenizer(_Tokenizer):
    r"""UTF-8 text to word ids: the same in Python and in a TensorFlow graph.

    A word is a run of characters other than white space, punctuation and
    symbols; apostrophe, hyphen and underscore belong to it. On ASCII that is
    `['\w\-]+`, which is upstream's expression without its camel-case rule
    (a look-ahead, which TensorFlow's expressions lack). CJK text is split into
    characters. Padding has id 0, unknown words 1.
    """

    reserved = ("<PAD>", "<UNK>")
    _WORD = re.compile(f"[{SINGLES}]|[^{SEPARATORS}{SINGLES}]+")


TOKENIZERS: Mapping[str, type[CleanTokenizer] | type[UpstreamTokenizer]] = {
    "clean": CleanTokenizer,
    "upstream": UpstreamTokenizer,
    "decoded": DecodedTokenizer,
}
