"""A real server in a thread of this process, and plain requests to it."""

from __future__ import annotations

import contextlib
import http.client
import json
import threading
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from starlette.types import ASGIApp

from cane_gane.web.server import address, bind, make_server


@contextlib.contextmanager
def serving(app: ASGIApp) -> Iterator[str]:
    """Serves an application on a free port; yields its address."""
    taken = bind("127.0.0.1", 0)
    home = address(taken)
    server = make_server(app)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [taken]})
    thread.start()
    try:
        while not server.started:
            time.sleep(0.01)
        yield home
    finally:
        server.should_exit = True
        thread.join()


def request(
    home: str,
    path: str,
    body: Any = None,
    method: str | None = None,
    **headers: str,
) -> tuple[int, Any, dict[str, str]]:
    """Asks; returns status, content (parsed where it is JSON) and headers."""
    connection = http.client.HTTPConnection(urlsplit(home).netloc, timeout=30)
    if body is not None and not isinstance(body, bytes):
        body = json.dumps(body).encode()
    method = method or ("GET" if body is None else "POST")
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    try:
        connection.request(method, path, body, named)
        answer = connection.getresponse()
        content = answer.read()
        found = {name.lower(): value for name, value in answer.getheaders()}
    finally:
        connection.close()
    if found.get("content-type") == "application/json":
        assert content.count(b"\n") == 1
        content = json.loads(content)
    return answer.status, content, found
