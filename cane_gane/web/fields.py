"""The fields of a question, checked one by one."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from cane_gane.config import suggestion
from cane_gane.errors import InputError
from cane_gane.serving.answers import TOP, Answers, Side, text_side
from cane_gane.web.refusals import RequestError

MOST_LETTERS = 100_000  # letters of a text
MOST_TOP = 100
_SHOWN = 60  # letters of a value that a message repeats


class Fields:
    """The fields of one question.

    Each field is read once; `close` refuses fields that were not read.
    """

    def __init__(self, answers: Answers, content: Any) -> None:
        """Takes the parsed JSON of a question.

        Raises:
            RequestError: It is not an object.
        """
        if not isinstance(content, Mapping):
            raise RequestError(
                400, f"found {_shown(content)}; expected an object of fields"
            )
        self._answers = answers
        self._left = dict(content)
        self._known: list[str] = []

    def __contains__(self, name: str) -> bool:
        """Whether the field is present; from now on it counts as read."""
        if name not in self._known:
            self._known.append(name)
        return name in self._left

    def text(self, name: str) -> str:
        """Reads a text of at most `MOST_LETTERS` letters."""
        return self._as_text(name, self._take(name, "a text"))

    def texts(self, name: str, most: int) -> list[str]:
        """Reads a list of texts."""
        return [self._as_text(name, own) for own in self._list(name, "texts", most)]

    def node(self, name: str) -> int:
        """Reads a node, by id or by name; returns its id."""
        return self._as_node(name, self._take(name, "the id or name of a node"))

    def nodes(self, name: str, most: int) -> list[int]:
        """Reads a list of nodes, by id or by name; returns their ids."""
        return [self._as_node(name, own) for own in self._list(name, "nodes", most)]

    def pairs(self, name: str, most: int) -> list[tuple[int, int]]:
        """Reads a list of pairs of nodes; returns their ids."""
        found = []
        for own in self._list(name, "pairs", most):
            if not isinstance(own, list) or len(own) != 2:
                message = f"{name}: found {_shown(own)}; expected two nodes"
                raise RequestError(400, message)
            found.append((self._as_node(name, own[0]), self._as_node(name, own[1])))
        return found

    def side(self, name: str) -> Side:
        """Reads a node or a text; `{"text": …}` is always a text."""
        value = self._take(name, "the id or name of a node, or a text")
        if isinstance(value, Mapping) and list(value) == ["text"]:
            return text_side(self._as_text(name, value["text"]))
        if isinstance(value, str):
            return self._as_text(name, value)
        return self._as_node(name, value)

    def top(self) -> int:
        """Reads how many answers are requested."""
        if "top" not in self:
            return TOP
        value = self._left.pop("top")
        if type(value) is not int or not 1 <= value <= MOST_TOP:
            raise RequestError(
                400, f"top: found {_shown(value)}; expected 1 to {MOST_TOP} answers"
            )
        return value

    def close(self) -> None:
        """Refuses unknown fields.

        Raises:
            RequestError: There is an unknown field.
        """
        for name in self._left:
            near = suggestion(name, self._known)
            raise RequestError(
                400,
                f"found field '{name[:_SHOWN]}'; expected "
                f"{', '.join(self._known)}{near}",
            )

    def _take(self, name: str, expected: str) -> Any:
        if name not in self:
            raise RequestError(400, f"found no field '{name}'; expected {expected}")
        return self._left.pop(name)

    def _list(self, name: str, what: str, most: int) -> list[Any]:
        values = self._take(name, f"a list of {what}")
        if not isinstance(values, list):
            message = f"{name}: found {_shown(values)}; expected a list of {what}"
            raise RequestError(400, message)
        if len(values) > most:
            raise RequestError(
                400, f"{name}: found {len(values):,} {what}; expected {most:,} at most"
            )
        return values

    def _as_text(self, name: str, value: Any) -> str:
        if not isinstance(value, str):
            raise RequestError(400, f"{name}: found {_shown(value)}; expected a text")
        if len(value) > MOST_LETTERS:
            raise RequestError(
                413,
                f"{name}: found a text of {len(value):,} letters; expected "
                f"{MOST_LETTERS:,} at most",
            )
        return value.encode(errors="replace").decode()  # may hold a lone surrogate

    def _as_node(self, name: str, value: Any) -> int:
        if type(value) not in (int, str):
            message = (
                f"{name}: found {_shown(value)}; expected the id or name of a node"
            )
            raise RequestError(400, message)
        return known(lambda: self._answers.node(value).id)


def known(find: Callable[[], int]) -> int:
    """Finds a node.

    Raises:
        RequestError: There is no such node.
    """
    try:
        return find()
    except InputError as error:
        raise RequestError(404, str(error)) from None


def _shown(value: Any) -> str:
    """Returns a value as shown in a message."""
    text = json.dumps(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
