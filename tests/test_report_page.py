"""Pages: everything a user wrote is text, never markup; nothing is loaded."""

import html.parser
import json
import re

import pytest

from cane_gane.report.markup import Markup, data, facts, picture, table, tag
from cane_gane.report.page import Page

NASTY = "<script>alert('x')</script> & \"quoted\""


class Reader(html.parser.HTMLParser):
    """Collects the elements and the text of a page."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.attributes, self.text = [], [], ""
        self.feed(text)
        self.close()

    def handle_starttag(self, name, attributes):
        self.elements.append(name)
        self.attributes += [(name, key, value) for key, value in attributes]

    def handle_data(self, data):
        self.text += data


@pytest.mark.parametrize(
    "built",
    [
        tag("p", NASTY),
        table(("a", NASTY), [(NASTY, "1"), ("b", NASTY)], NASTY),
        facts([(NASTY, NASTY)]),
        tag("p", "x", title=NASTY),
        picture(b"<svg/>", NASTY, NASTY),
    ],
)
def test_text_is_never_markup(built):
    reader = Reader(built)
    assert "script" not in reader.elements
    values = [value for _, _, value in reader.attributes]
    assert NASTY in reader.text or NASTY in values


def test_markup_is_kept():
    assert tag("p", Markup("<b>x</b>")) == "<p><b>x</b></p>"


def test_attributes_are_spelled_as_html_does():
    built = tag("a", "x", class_="c", aria_label="l", hidden=True, title=None, id=False)
    assert built == '<a class="c" aria-label="l" hidden>x</a>'


def test_data_comes_back_whole_and_cannot_end_its_block():
    content = {"words": ["</script><b>", "näh", "\u2028"], "weights": [0.25]}
    built = data("words", content)
    assert built.count("</script>") == 1
    inside = re.fullmatch(r"<script [^>]*>(.*)</script>", built, re.DOTALL).group(1)
    assert json.loads(inside) == content


def test_a_page_links_to_each_of_its_sections_and_to_nothing_else():
    page = Page(NASTY, NASTY)
    page.section("one", "First", "a < b", tag("em", "c"))
    page.section("two", NASTY)
    page.script("heatmap.js")
    reader = Reader(page.html())
    links = [
        value for name, key, value in reader.attributes if (name, key) == ("a", "href")
    ]
    assert links == ["#one", "#two"]
    loaded = [value for _, key, value in reader.attributes if key in ("src", "href")]
    assert all(value.startswith(("#", "data:")) for value in loaded)
    assert "a < b" in reader.text


def test_a_script_is_put_in_once():
    page = Page("x")
    page.script("heatmap.js")
    page.script("heatmap.js")
    assert page.html().count("<script>") == 1
