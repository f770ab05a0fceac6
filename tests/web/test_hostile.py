"""The explorer shows what is odd or hostile as text; where chromium is installed."""

import pytest

from cane_gane.web.explorer import explorer
from cane_gane.web.worker import Worker
from tests.web.fake_answers import WordlessAnswers
from tests.web.hostile import BELLS, IMAGE, SCRIPT
from tests.web.pages import SUGGESTED, WIDER, WIDTHS, show, text_of
from tests.web.serving import serving

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("width", WIDTHS)
def test_markup_in_names_and_texts_is_shown_as_text(browser, explored, width):
    show(browser, f"{explored}/#node=0", width)
    browser.wait(SUGGESTED)
    assert text_of(browser, "#details h2") == IMAGE
    assert SCRIPT in text_of(browser, "#details .text")
    browser.run("location.hash = 'pair=0-5'")
    browser.wait("document.querySelector('#pair .parts')")
    assert SCRIPT in text_of(browser, "#pair")
    assert not browser.run(WIDER)


def test_control_characters_are_shown_as_signs(browser, explored):
    show(browser, f"{explored}/#node=1")
    browser.wait(SUGGESTED)
    shown = text_of(browser, "#details .text")
    assert shown == f"fox {BELLS}".translate({7: "\ufffd", 27: "\ufffd", 0: "\ufffd"})


def test_a_name_from_right_to_left_turns_nothing_else(browser, explored):
    """What follows an override stands to the right of it, as if there were none."""
    show(browser, f"{explored}/#pair=2-8")
    browser.wait("document.querySelector('#pair .parts')")
    left, right = browser.run("""[...document.querySelectorAll("#pair h2 bdi")].map(
        (own) => own.getBoundingClientRect().left)""")
    assert left < right


@pytest.mark.parametrize("width", WIDTHS)
def test_ten_thousand_words_are_folded(browser, explored, width):
    show(browser, f"{explored}/#node=3", width)
    browser.wait(SUGGESTED)
    height = "document.querySelector('#details .text').offsetHeight"
    folded = browser.run(height)
    assert folded < 300
    browser.click_on("#details button.plain")
    assert browser.run(height) > 10 * folded
    browser.run("location.hash = 'pair=3-8'")
    browser.wait("document.querySelector('#pair .parts')")
    assert "9,700 more words" in text_of(browser, "#pair")
    assert not browser.run(WIDER)


def test_a_node_without_text_says_so(browser, explored):
    show(browser, f"{explored}/#node=4")
    browser.wait(SUGGESTED)
    assert text_of(browser, "#details h2") == "__proto__"
    assert "This node has no text." in text_of(browser, "#details")


def test_a_method_that_reads_no_texts_is_shown_without_words(window):
    worker = Worker()
    with serving(explorer(WordlessAnswers(), "mine", worker)) as address:
        show(window, f"{address}/#pair=0-4")
        window.wait("document.querySelector('#pair .parts')")
        shown = text_of(window, "#pair")
        asks = window.run("Boolean(document.getElementById('ask'))")
    worker.close()
    assert "the red fox runs over the hill" in shown
    assert "a wolf howls over the hill" in shown
    assert "No two words are matched." in shown
    assert not asks


def test_an_unknown_node_is_told_in_one_line(browser, explored):
    show(browser, f"{explored}/#node=9999")
    browser.wait("document.querySelector('#details .bad')")
    assert "found node '9999'" in text_of(browser, "#details .bad")
    assert any("404" in own for own in browser.errors)
    browser.errors.clear()
