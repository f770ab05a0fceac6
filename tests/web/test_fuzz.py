"""Thousands of strange requests to `serve` and `explore`, drawn by one seed."""

import json
import random
import socket
from urllib.parse import urlsplit

import pytest

from cane_gane.web.explorer import explorer
from cane_gane.web.questions import QUESTIONS
from cane_gane.web.service import MOST_BYTES, service
from cane_gane.web.worker import Worker
from tests.docs.pages import tries_of
from tests.web.fake_answers import FakeAnswers
from tests.web.serving import request, serving

TRIES = 1_000
METHODS = ["GET", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "FOX"]
PATHS = [
    "/", "//", "/health", "/nowhere", "/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd",
    "/static/../app.py", "/explorer.js/..", "/%00", "/%ff", "/score%0d%0aX:1",
    "/" * 3000,
    "/?" + "a=1&" * 2000, "/node/99", "/node/-1", "/%E2%80%AE", "/health/", "/SCORE",
    *(f"/{name}" for name in QUESTIONS),
]  # fmt: skip
ORIGINS = [None, "null", "http://evil.example", "http://127.0.0.1", "x" * 5000, ""]
VALUES = [
    None, True, -1, 0, 1, 3, 10**18, 10**400, 1.5, -0.0, "", "fox", "\x00\x1b[2J",
    "\u202eevil", "<script>", "x" * 10_000, [], ["fox"], [[["fox"]]], {}, {"node": 0},
    {"text": "red fox", "links": ["wolf"]}, {"__proto__": {}}, "\ud800",
]  # fmt: skip
KEYS = ["node", "nodes", "text", "texts", "top", "source", "target", "pairs", "links",
        "a", "b", "", "__proto__", "x" * 500]  # fmt: skip
RAW = [
    b"", b"{", b"[" * 50_000, b"\xff\xfe{}", b"NaN", b'{"a": 1e999}', b"null", b'"fox"',
    b'{"node": 0, "node": 1}', b"9" * 5000, b"\x00" * 100, b"{}" * 10, b"[1,]",
    b"\xef\xbb\xbf{}",
]  # fmt: skip


SIZES = [MOST_BYTES, MOST_BYTES + 1, 2 * MOST_BYTES]
NO_HTTP = [
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    b"GET\r\n\r\n",
    b"GET / HTTP/9.9\r\n\r\n",
    b"POST /score HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
    b"POST /score HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n"
    b"Transfer-Encoding: chunked\r\n\r\nzz\r\n",
    b"GET / HTTP/1.1\r\n" + b"X: " + b"a" * 200_000 + b"\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: a\r\nHost: localhost\r\n\r\n",
    bytes(range(256)) * 20,
]
SERVERS = ("serve", "explore")


def test_tries_are_as_many_as_the_documents_say():
    ((_, count),) = tries_of("tests/web/test_fuzz.py").items()
    assert count == len(SERVERS) * (TRIES + len(SIZES) + len(NO_HTTP))


@pytest.fixture(scope="module", params=SERVERS)
def home(request):
    worker, answers = Worker(), FakeAnswers()
    app = (
        service(answers, "mine", worker, loopback=True)
        if request.param == "serve"
        else explorer(answers, "mine", worker)
    )
    # The address of what is always answered, and where questions are.
    alive, base = ("/health", "") if request.param == "serve" else ("/", "/api")
    with serving(app) as home:
        yield home, alive, base
    worker.close()


def drawn_body(chance):
    """A body that is no JSON, JSON of any kind, or nearly a question."""
    kind = chance.randrange(4)
    if kind == 0:
        return chance.choice(RAW)
    if kind == 1:
        return json.dumps(chance.choice(VALUES)).encode()
    keys = chance.sample(KEYS, chance.randrange(5))
    asked = {key: chance.choice(VALUES) for key in keys}
    return json.dumps([asked] * chance.randrange(3) if kind == 2 else asked).encode()


def test_a_strange_request_is_answered_or_refused_in_one_line(home):
    home, alive, base = home
    chance, statuses = random.Random(1), set()
    for _ in range(TRIES):
        method, path = chance.choice(METHODS), chance.choice(PATHS)
        if chance.random() < 0.5:
            method, path = "POST", f"{base}/{chance.choice(list(QUESTIONS))}"
        origin = chance.choice(ORIGINS) if chance.random() < 0.2 else None
        headers = {} if origin is None else {"origin": origin}
        body = drawn_body(chance)
        tried = (method, path[:60], origin, body[:80])
        status, content, _ = request(home, path, body, method, **headers)
        statuses.add(status)
        assert status < 500, tried
        if status >= 400:
            assert list(content) == ["error"], tried
            line = content["error"]
            assert len(line) < 1000, tried
            assert line.isprintable(), tried
        if origin is not None:
            assert status == 403, tried
    assert {200, 400, 403, 404, 405} <= statuses
    assert request(home, alive)[0] == 200


@pytest.mark.parametrize("size", SIZES)
def test_bodies_at_the_limit(home, size):
    home, _, base = home
    status, content, _ = request(home, f"{base}/recommend", b" " * size)
    assert status == (400 if size <= MOST_BYTES else 413), content


@pytest.mark.parametrize("words", NO_HTTP)
def test_what_is_no_http_is_refused_and_the_next_is_answered(home, words):
    home, alive, _ = home
    place = urlsplit(home)
    with socket.create_connection((place.hostname, place.port), timeout=10) as link:
        link.sendall(words)
        try:
            link.shutdown(socket.SHUT_WR)
            answer = link.recv(4096)
        except OSError:  # it has hung up
            answer = b""
    assert answer == b"" or b" 4" in answer.split(b"\r\n")[0]
    assert request(home, alive)[0] == 200
