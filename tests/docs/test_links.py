"""What the documents point to is there: files, headings, modules, tests."""

import re

import pytest

from tests.conftest import ROOT
from tests.docs.pages import CURRENT, NAMES, prose_of, text_of

LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)")


def anchors(page):
    """The anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", prose_of(page), re.MULTILINE)
    plain = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings)
    return {heading.replace(" ", "-") for heading in plain}


@pytest.mark.parametrize("page", NAMES)
def test_links_lead_to_files_and_headings(page):
    for target, anchor in LINK.findall(text_of(page)):
        path = ((ROOT / page).parent / target).resolve() if target else ROOT / page
        assert path.exists(), target
        if anchor:
            assert anchor in anchors(str(path.relative_to(ROOT))), f"{target}#{anchor}"


@pytest.mark.parametrize("page", CURRENT)
def test_modules_and_tests_that_are_named_exist(page):
    quoted = " ".join(re.findall(r"`([^`\n]+)`", prose_of(page)))
    for name in re.findall(r"(?<![\w/])(?:[a-z_]+/)+[a-z_]+\.py\b", quoted):
        assert (ROOT / name).is_file() or (ROOT / "cane_gane" / name).is_file(), name
    for name in re.findall(r"\btest_[a-z_]+\b(?![./])", quoted):
        paths = (ROOT / "tests").rglob("test_*.py")
        assert any(f"def {name}(" in path.read_text() for path in paths), name
