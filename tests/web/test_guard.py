"""Requests that a page of another site could cause."""

import pytest

from cane_gane.web.guard import HEADERS
from cane_gane.web.service import service
from cane_gane.web.worker import Worker
from tests.web.fake_answers import FakeAnswers
from tests.web.serving import request, serving


@pytest.fixture(scope="module")
def home():
    worker = Worker()
    with serving(service(FakeAnswers(), "mine", worker, loopback=True)) as home:
        yield home
    worker.close()


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost:9000", "LOCALHOST", "[::1]:80"]
)
def test_this_machine_has_several_names(home, host):
    assert request(home, "/health", host=host)[0] == 200


@pytest.mark.parametrize(
    "host",
    ["evil.example", "127.0.0.1.evil.example", "127.0.0.1@evil.example", "", "[::1",
     "192.168.0.1:8000"],
)  # fmt: skip
def test_a_name_that_was_made_to_point_here_is_refused(home, host):
    status, content, _ = request(home, "/health", host=host)
    assert status == 403
    assert content["error"].startswith(f"found Host '{host}'; expected localhost")


def test_the_own_origin_may_ask(home):
    assert request(home, "/score", [], origin=home)[0] == 200


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1:1", "https://localhost"]
)
def test_another_origin_is_refused(home, origin):
    assert request(home, "/score", [], origin=origin)[0] == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_images_and_frames_of_another_site_are_refused(home, site):
    embedded = {"sec_fetch_site": site, "sec_fetch_mode": "no-cors"}
    assert request(home, "/health", **embedded)[0] == 403


def test_a_link_from_another_site_may_be_followed(home):
    followed = {"sec_fetch_site": "cross-site", "sec_fetch_mode": "navigate"}
    assert request(home, "/health", **followed)[0] == 200


@pytest.mark.parametrize("path", ["/health", "/nowhere"])
def test_every_response_has_the_headers_that_protect(home, path):
    found = request(home, path)[2]
    assert {name: found[name.lower()] for name in HEADERS} == HEADERS


def test_a_server_for_others_answers_to_any_name():
    worker = Worker()
    with serving(service(FakeAnswers(), "mine", worker, loopback=False)) as home:
        assert request(home, "/health", host="models.example")[0] == 200
        status = request(home, "/health", origin="http://evil.example")[0]
    worker.close()
    assert status == 403
