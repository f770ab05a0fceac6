"""The paper's figures: only beside the paper's own data."""

import pytest

from cane_gane.data.catalog import PUBLISHED
from cane_gane.report import paper

CORA = PUBLISHED["cora"]


@pytest.mark.parametrize(
    ("dataset", "data", "name"),
    [
        ("cora", CORA, "cora"),
        ("Cora", CORA, "cora"),
        ("hepth", PUBLISHED["HepTh"], "HepTh"),
        ("cora", {**CORA, "ids.txt": "0" * 64}, "cora"),  # names change no figure
        ("cora", {**CORA, "graph.txt": "0" * 64}, None),
        ("cora", {"data.txt": CORA["data.txt"]}, None),
        ("cora", {}, None),
        ("HepTh", CORA, None),
        ("./cora", {}, None),
        ("data/cora", CORA, None),
        ("pydocs", {}, None),
        ("", {}, None),
    ],
)
def test_a_data_set_is_known_by_its_name_and_its_content(dataset, data, name):
    assert paper.known(dataset, data) == name


def test_a_file_with_another_kind_of_digest_is_not_compared():
    graph = PUBLISHED["zhihu"]["graph.txt"]
    assert paper.known("zhihu", {"data.txt": "0" * 64, "graph.txt": graph}) == "zhihu"
    assert paper.known("zhihu", {"graph.txt": "0" * 64}) is None


def test_figures_are_those_of_the_papers_tables():
    assert paper.auc("cora", "ap", 0.55) == 98.0
    assert paper.auc("HepTh", paper.README, 0.45) == 95.0
    assert paper.macro_f1("cora", "ap") == {"0.1": 82.3, "0.3": 84.2, "0.5": 86.7,
                                            "0.7": 88.5}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "row", "ratio"),
    [(None, "ap", 0.55), ("cora", None, 0.55), ("cora", "toy", 0.55),
     ("cora", "ap", 0.5)],
)  # fmt: skip
def test_there_is_no_figure_where_the_paper_has_none(name, row, ratio):
    assert paper.auc(name, row, ratio) is None


def test_a_method_has_the_row_that_it_names():
    assert paper.row_of("ap") == "ap"
    assert paper.row_of("of another version") is None


def test_curves_have_the_titles_of_methods():
    titles = {"CANE", "WANE", "GANE-OT", "GANE-AP", "CANE's README"}
    assert {*paper.titled_curves("cora")} == titles
    assert {*paper.titled_curves("cora", ["line", "ap"])} == {*titles, "LINE"}
    assert paper.titled_curves(None) == {}
