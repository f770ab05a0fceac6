"""The explorer of a hostile network in a real browser, for several tests."""

import pytest

from cane_gane.web.explorer import explorer
from cane_gane.web.worker import Worker
from tests.browser import Browser, find_chromium
from tests.web.fake_answers import FakeAnswers
from tests.web.hostile import hostile_network
from tests.web.serving import serving


@pytest.fixture(scope="session")
def window():
    program = find_chromium()
    if program is None:
        pytest.skip("no chromium: apt-get install chromium")
    browser = Browser(program)
    yield browser
    browser.close()


@pytest.fixture(scope="session")
def explored():
    worker = Worker()
    answers = FakeAnswers(hostile_network())
    with serving(explorer(answers, "<b>mine</b>", worker)) as home:
        yield home
    worker.close()


@pytest.fixture
def browser(window, explored):
    """The browser; after each test nothing was said, fetched or taken over."""
    window.errors.clear()
    window.requests.clear()
    yield window
    strange = [own for own in window.requests if not own.startswith(explored)]
    assert set(strange) <= {"about:blank"}
    # The tests read the map's pixels; the page does not.
    assert [own for own in window.errors if "readback" not in own] == []
    assert window.run("document.title") == "<b>mine</b>"
    assert window.run("document.querySelectorAll('img, main script').length") == 0
