"""Reads numbers and lists that several commands take as words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain

from cane_gane.errors import InputError


def parse_ratio(text: str) -> float:
    """Returns the ratio that `text` spells."""
    try:
        return float(text)
    except ValueError:
        raise InputError(
            f"found ratio '{text}'; expected a number between 0 and 1, such as 0.55"
        ) from None


def parse_variants(words: Sequence[str], known: Sequence[str]) -> list[str]:
    """Returns the variants that `words` name, each once; blank words are none."""
    words = [word for word in words if word]
    for word in words:
        if word not in known:
            raise InputError(
                f"found variant '{word}'; expected some of {', '.join(known)}"
            )
    return list(dict.fromkeys(words))


def parse_seeds(words: Sequence[str]) -> list[int]:
    """Returns the seeds that `words` spell, each once; 1-3 stands for 1, 2 and 3."""
    spans = [_span(word) for word in words]
    if not spans or not all(spans):
        raise InputError(
            f"found seeds '{','.join(words)}'; expected numbers such as 1,2,3 or 1-10"
        )
    return list(dict.fromkeys(chain.from_iterable(spans)))


def _span(word: str) -> range:
    found = re.fullmatch(r"(\d+)(?:-(\d+))?", word)
    return range(int(found[1]), int(found[2] or found[1]) + 1) if found else range(0)
