"""The page on the layers runs as it stands, and prints what it says."""

from __future__ import annotations

import re

import pytest

from tests.conftest import ROOT

PAGE = ROOT / "docs" / "layers.md"


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE.read_text(), re.M | re.S)


def test_the_page_shows_code():
    assert blocks("python")


@pytest.mark.slow
def test_the_code_of_the_page_prints_what_the_page_says(capsys):
    namespace = {"__name__": "page"}
    for block in blocks("python"):
        exec(compile(block, str(PAGE), "exec"), namespace)
    # another processor may round another way: the words must agree, not each figure
    figures = re.compile(r"[\d.]+%")
    found = figures.sub("%", capsys.readouterr().out)
    assert found == figures.sub("%", "".join(blocks("text")))
