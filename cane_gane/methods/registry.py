"""All methods, by key: the only list that commands, tables and reports read."""

from __future__ import annotations

from collections.abc import Iterable

from cane_gane.config import suggestion
from cane_gane.errors import InputError
from cane_gane.methods import (
    cene,
    deepwalk,
    dmte,
    gane,
    line,
    mmb,
    naive,
    node2vec,
    tadw,
)
from cane_gane.methods.method import Method
from cane_gane.methods.together import with_workers

METHODS: dict[str, Method] = {
    method.key: with_workers(method)
    for method in (gane.CANE, gane.WANE, gane.OT, gane.AP)
} | {
    method.key: method
    for method in (
        mmb.MMB, deepwalk.DEEPWALK, node2vec.NODE2VEC, line.LINE, naive.NAIVE,
        tadw.TADW, cene.CENE, dmte.DMTE,
    )
}  # fmt: skip


def find_method(key: str) -> Method:
    """Returns a method by its key.

    Raises:
        InputError: There is no method with that key.
    """
    if key not in METHODS:
        raise InputError(
            f"found method '{key[:40]}'; expected one of {', '.join(METHODS)}"
            f"{meant_method(key, METHODS)}"
        )
    return METHODS[key]


def meant_method(word: str, known: Iterable[str]) -> str:
    """Returns `: did you mean 'X'?` for the method that a word may stand for.

    Args:
        word: The word that was found: almost a key, or a title such as GANE-OT.
        known: The keys to choose from.
    """
    titles = {own.title.lower(): own.key for own in METHODS.values()}
    key = {"gane": "ap", **titles}.get(word.lower())
    return f": did you mean '{key}'?" if key else suggestion(word, known)
