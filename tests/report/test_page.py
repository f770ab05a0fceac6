"""Pages: everything a user wrote is text, never markup; nothing is loaded."""

from urllib.parse import unquote_to_bytes

import pytest

from cane_gane.report.figures import Drawn
from cane_gane.report.page import Cell, link, write_page
from cane_gane.report.run import RunReport
from cane_gane.report.several import write_several
from tests.report.results import (
    Page,
    evaluation,
    examples,
    history,
    labels,
    one_run,
    record,
    settings,
)

NASTY = "<script>alert('x')</script> & \"quoted\""


def write_run(folder, title="run", **changed):
    """Writes the page of a run, in which some of its parts are changed."""
    parts = {"record": record(), "history": history(), "evaluation": evaluation(),
             "examples": examples(), **changed}  # fmt: skip
    report = RunReport(title, **parts)
    report.write_figures(folder / "figures")
    report.write(folder / "report.html")
    return Page(folder / "report.html")


@pytest.fixture
def table(tmp_path):
    """Writes a page with one table."""

    def write(rows):
        drawn = Drawn(b'<svg viewBox="0 0 1 1"/>', "nothing")
        values = {"title": "t", "subtitle": "s", "rows": rows, "drawn": drawn}
        values |= {"paired": None, "done": (1, 1)}
        write_page("ablation.html", tmp_path / "page.html", **values)
        return Page(tmp_path / "page.html")

    return write


def test_a_cell_is_a_text_a_figure_or_links(table):
    links = [Cell("1", href="./a"), Cell("2", href="./b")]
    cells = [3, Cell("0.5 ↓", below="below x"), links, []]
    page = table([["a", "b", "c", "d", "e"], ["row", *cells]])
    assert page.row("row") == ["3", "0.5 ↓", "1 2", ""]
    assert page.red == ["0.5 ↓"]
    assert page.of("td", "title") == ["below x"]
    assert page.of("a", "href")[-2:] == ["./a", "./b"]


def test_text_of_a_table_is_never_markup(table):
    nasty = Cell(NASTY, below=NASTY, href=f"./{NASTY}")
    page = table([["a", NASTY], [NASTY, nasty]])
    assert page.elements.count("script") == 1  # our own
    assert page.rows == [["a", NASTY], [NASTY, NASTY]]
    assert NASTY in page.of("td", "title")


def test_text_of_a_run_is_never_markup(tmp_path):
    chosen = record(dataset=NASTY, note=NASTY, variant=NASTY)
    chosen |= {"command": NASTY, "versions": {NASTY: NASTY}, "commit": NASTY}
    found = evaluation(time=evaluation().time, protocols=(NASTY, "strict"))
    page = write_run(
        tmp_path,
        NASTY,
        record=chosen,
        evaluation=found,
        examples=examples(NASTY, NASTY),
    )
    assert page.elements.count("script") == 3  # a map, pairs, and our own
    assert page.elements.count("b") == 0
    for where in (f"{NASTY} on {NASTY}", f"20 draws, {NASTY}"):
        assert where in page.text
    assert page.content("map-content")["groups"][1]["label"] == NASTY
    assert page.content("pairs-content")[0]["maps"][0]["title"].startswith(NASTY)
    assert any(NASTY in own for own in page.of("svg", "aria-label"))


def test_text_of_several_runs_is_never_markup(tmp_path):
    runs = [one_run(f"runs/{NASTY}", variant=NASTY), one_run("b", dataset=NASTY)]
    write_several(runs, tmp_path)
    page = Page(tmp_path / "report.html")
    assert page.elements.count("script") == 1  # our own
    assert NASTY in page.row("dataset")


def test_the_words_of_a_pair_come_back_whole_and_cannot_end_their_block(tmp_path):
    words = "</script><b>näh\u2028"
    write_run(tmp_path, examples=examples(words))
    pair, _ = Page(tmp_path / "report.html").content("pairs-content")
    assert [own["id"] for own in pair["maps"]] == ["heat-plan", "heat-attention"]
    assert pair["rows"][0] == words
    assert pair["maps"][0]["weights"] == examples().matched[0].plan


def test_a_page_links_to_each_of_its_sections_and_loads_nothing(tmp_path):
    page = write_run(tmp_path, evaluation=evaluation(node_classification=labels()))
    sections = page.of("section", "id")
    assert page.of("a", "href") == ["#main", *(f"#{name}" for name in sections)]
    assert sections[:4] == ["verdict", "missing-edges", "map", "matching"]
    assert {
        "verdict",
        "link-prediction",
        "classification",
        "map",
        "matching",
        "missing-edges",
        "paper",
        "training",
        "settings",
        "time",
    } == {*sections}
    loaded = [v for _, key, v in page.attributes if key in ("src", "href")]
    assert all(value.startswith(("#", "data:")) for value in loaded)
    rules = page.of("meta", "content")[0]
    assert rules.startswith("default-src 'none'; img-src data:;")
    assert "script-src 'sha256-" in rules


def test_a_page_of_tables_has_their_script_alone(tmp_path):
    write_several([one_run("a"), one_run("b")], tmp_path)
    text = (tmp_path / "report.html").read_text()
    assert text.count("<script") == 1
    assert "table.sortable" in text
    assert "NodeMap" not in text


def test_no_name_of_a_folder_becomes_a_scheme(tmp_path):
    folder = tmp_path / "javascript:alert(1)-0.55-ap-seed1"
    folder.mkdir()
    (folder / "report.html").touch()
    write_several([one_run(folder), one_run("b")], tmp_path)
    (address,) = Page(tmp_path / "report.html").of("a", "href")[-1:]
    assert address.startswith("./javascript%3Aalert%281%29-0.55")


@pytest.mark.parametrize("name", ["a b#c?d.html", "ä%41.html", "x\udcff.html"])
def test_an_address_leads_back_to_its_file(tmp_path, name):
    address = link(tmp_path / "runs" / name, tmp_path / "page")
    assert address.startswith("./../runs/")
    assert not set("#? ") & set(address)
    assert unquote_to_bytes(address.removeprefix("./../runs/")) == name.encode(
        errors="surrogateescape"
    )


def test_a_name_that_is_not_unicode_does_not_stop_the_page(tmp_path):
    write_several([one_run("a\udcff"), one_run("b")], tmp_path)
    assert "a?" in Page(tmp_path / "report.html").text


def test_settings_that_were_changed_are_shown_first(tmp_path):
    chosen = {**record(), "settings": settings(epochs=7, window=21)}
    text = write_run(tmp_path, record=chosen).text
    first = text[text.index("Settings", text.index("bash run.sh") - 20) :]
    first = first[: first.index("All settings")]
    assert "epochs" in first
    assert "window" not in first  # 21 is the default
