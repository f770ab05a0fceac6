"""Refusals of requests: a status and one line, as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import isfinite
from typing import Any

from starlette.responses import Response

from cane_gane.errors import as_line


class RequestError(Exception):
    """A request that is not answered.

    Attributes:
        status: The status of the response.
        message: One line: what was found, and what was expected.
    """

    def __init__(self, status: int, message: str) -> None:
        """Takes the status, and the message, which is put on one line."""
        self.status = status
        self.message = as_line(" ".join(message.split()))
        super().__init__(self.message)


def json_response(
    content: Any, status: int = 200, headers: dict[str, str] | None = None
) -> Response:
    """Returns a response of JSON in ASCII, so that any text of a network fits in.

    JSON has no NaN: the score of a node without a vector, for example, becomes null.
    """
    try:
        text = json.dumps(content, allow_nan=False, separators=(",", ":"))
    except ValueError:
        text = json.dumps(_finite(content), separators=(",", ":"))
    return Response(text + "\n", status, headers, "application/json")


def _finite(content: Any) -> Any:
    if isinstance(content, Mapping):
        return {key: _finite(own) for key, own in content.items()}
    if isinstance(content, list | tuple):
        return list(map(_finite, content))
    return None if isinstance(content, float) and not isfinite(content) else content


def refused(refusal: RequestError, headers: dict[str, str] | None = None) -> Response:
    """Returns the response of a refusal."""
    return json_response({"error": refusal.message}, refusal.status, headers)
