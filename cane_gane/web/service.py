"""The questions of a run as an HTTP service that speaks JSON."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from functools import partial
from http import HTTPStatus
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from cane_gane.serving.answers import Answers
from cane_gane.version import VERSION
from cane_gane.web.guard import Guard
from cane_gane.web.questions import QUESTIONS, respond
from cane_gane.web.refusals import RequestError, json_response, refused
from cane_gane.web.worker import Worker

MOST_BYTES = 4_000_000  # of a request's body
_READ_BYTES = 4 * MOST_BYTES  # of a refused body: most clients read no sooner
_SECONDS = 30.0  # for a body to arrive

Endpoint = Callable[[Request], Awaitable[Response]]


def service(answers: Answers, run: str, worker: Worker, loopback: bool) -> Starlette:
    """Returns the application of `serve`.

    Args:
        answers: An opened run.
        run: Its name.
        worker: The worker that computes answers.
        loopback: Whether requests must name this machine.
    """

    async def health(request: Request) -> Response:
        return json_response({
            "status": "ok", "run": run, "version": VERSION,
            "nodes": answers.network.node_count, "reads_texts": answers.reads_texts,
            "waiting": worker.waiting,
        })  # fmt: skip

    return application(
        [Route("/health", health), *question_routes(answers, worker)], loopback
    )


def question_routes(answers: Answers, worker: Worker) -> list[BaseRoute]:
    """Returns a route for each question that a run answers."""
    return [
        Route(f"/{name}", asked(partial(respond, question, answers), worker),
              methods=["POST"])
        for name, question in QUESTIONS.items()
    ]  # fmt: skip


def asked(answer: Callable[[bytes], Any], worker: Worker) -> Endpoint:
    """Returns the endpoint for a function that answers a body with JSON."""

    async def endpoint(request: Request) -> Response:
        content = await body(request)
        # The worker also writes the JSON of large answers.
        return await worker.run(lambda: json_response(answer(content)))

    return endpoint


def application(routes: list[BaseRoute], loopback: bool = True) -> Starlette:
    """Returns an application that answers errors with one line of JSON."""
    return Starlette(
        routes=routes,
        middleware=[Middleware(Guard, loopback=loopback)],
        exception_handlers={
            RequestError: _refused,
            HTTPException: _strange,
            ClientDisconnect: _left,
            Exception: _failed,
        },
    )


async def body(request: Request) -> bytes:
    """Reads the body of a request.

    Raises:
        RequestError: The body is too large, or arrives too slowly.
    """
    parts, size = [], 0
    try:
        async with asyncio.timeout(_SECONDS):
            async for part in request.stream():
                size += len(part)
                if size > _READ_BYTES:
                    break
                if size <= MOST_BYTES:
                    parts.append(part)
    except TimeoutError:
        message = (
            f"found an incomplete body; expected all of it in {_SECONDS:.0f} seconds"
        )
        raise RequestError(408, message) from None
    if size > MOST_BYTES:
        raise RequestError(
            413, f"found a larger body; expected {MOST_BYTES:,} bytes at most"
        )
    return b"".join(parts)


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestError)
    headers = {"Retry-After": "1"} if error.status == 503 else None
    return refused(error, headers)


async def _strange(request: Request, error: Exception) -> Response:
    """Answers requests with an unknown address or the wrong method."""
    assert isinstance(error, HTTPException)
    allowed = (error.headers or {}).get("Allow")
    found = f"found {request.method} {_plain(request.url.path)}"
    if allowed:
        message = f"{found}; expected {_first_method(allowed)} there"
    elif error.status_code == HTTPStatus.NOT_FOUND:
        message = f"{found}; expected one of {_addresses(request)}"
    else:
        message = error.detail
    headers = dict(error.headers or {})
    return refused(RequestError(error.status_code, message), headers)


async def _left(request: Request, error: Exception) -> Response:
    """Answers nobody: the client left before its question was complete."""
    return Response(status_code=400)


async def _failed(request: Request, error: Exception) -> Response:
    message = f"internal error ({type(error).__name__}); standard error has the details"
    return refused(RequestError(500, message))


def _addresses(request: Request) -> str:
    routes = request.app.routes
    return ", ".join(own.path for own in routes if isinstance(own, Route))


def _first_method(allowed: str) -> str:
    return next(own for own in sorted(allowed.split(", ")) if own != "HEAD")


def _plain(path: str) -> str:
    return re.sub(r"[^\x21-\x7e]", "�", path)[:60]
