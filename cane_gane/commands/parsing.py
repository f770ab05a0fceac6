"""Reads numbers and lists that several commands take as words."""

from __future__ import annotations

from collections.abc import Sequence

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
    """Returns the seeds that `words` spell, each once."""
    try:
        seeds = [int(word) for word in words]
    except ValueError:
        seeds = []
    if not seeds or min(seeds) < 0:
        raise InputError(
            f"found seeds '{','.join(words)}'; expected numbers such as 1,2,3"
        )
    return list(dict.fromkeys(seeds))
