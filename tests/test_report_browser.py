"""The page in a real browser, where chromium is installed."""

import json
import shutil

import pytest

from cane_gane.__main__ import main
from tests.browser import Browser, find_chromium

SECTIONS = {
    "summary", "link-prediction", "classification", "map", "matching",
    "missing-edges", "paper", "training", "settings", "data", "time",
}  # fmt: skip
WIDTHS = [1280, 390]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def browser():
    program = find_chromium()
    if program is None:
        pytest.skip("no chromium: apt-get install chromium")
    browser = Browser(program)
    yield browser
    browser.close()


@pytest.fixture(scope="module")
def run(finished, tmp_path_factory):
    """The finished run, called GANE-AP on cora: then its page has every section."""
    folder = tmp_path_factory.mktemp("page") / "run"
    shutil.copytree(finished[0], folder)
    record = json.loads((folder / "config.json").read_text())
    record["settings"].update(dataset="cora", ratio=0.55, variant="ap")
    (folder / "config.json").write_text(json.dumps(record))
    assert main(["report", str(folder)]) == 0
    return folder


@pytest.fixture(scope="module", params=WIDTHS)
def page(request, browser, run):
    """The page, opened in a window of that width."""
    browser.errors.clear()
    browser.requests.clear()
    browser.open(run / "report.html", request.param)
    return browser


def test_it_opens_without_an_error_and_loads_nothing_else(page, run):
    assert page.errors == []
    loaded = [url for url in page.requests if not url.startswith("data:")]
    assert loaded == [(run / "report.html").resolve().as_uri()]


def test_it_has_all_its_sections(page):
    script = """[...document.querySelectorAll("section")]
        .filter(s => s.getBoundingClientRect().height > 60).map(s => s.id)"""
    assert set(page.run(script)) == SECTIONS


def test_it_is_no_wider_than_the_window(page):
    widths = page.run(
        "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
    )
    assert widths[0] <= widths[1]


def test_its_pictures_are_drawn(page):
    shown = page.run("[...document.images].map(i => i.complete && i.naturalWidth > 0)")
    assert len(shown) >= 4
    assert all(shown)


@pytest.mark.parametrize("kind", ["plan", "attention"])
def test_pointing_at_a_cell_shows_both_words_and_the_weight(page, run, kind):
    pair = json.loads((run / "examples.json").read_text())["pair"]
    row, column = 3, 2
    script = f"""(() => {{
        const cell = document.querySelector(
            "#heat-{kind} rect[data-row='{row}'][data-column='{column}']");
        cell.scrollIntoView({{block: "center", inline: "center", behavior: "instant"}});
        const box = cell.getBoundingClientRect();
        return [box.x + box.width / 2, box.y + box.height / 2];
    }})()"""
    page.hover(*page.run(script))
    told = page.run(f"document.querySelector('#heat-{kind} output').textContent")
    words = f"{pair['source_words'][row]} ↔ {pair['target_words'][column]}: "
    assert told.startswith(words)
    share = float(told.removeprefix(words).split(" %")[0]) / 100
    assert share == pytest.approx(pair[kind][row][column], rel=0.01)


def test_texts_with_markup_stay_texts(browser, run, tmp_path):
    """A hostile text: the page shows it, and runs none of it."""
    examples = json.loads((run / "examples.json").read_text())
    hostile = "<img src=x onerror=\"document.title='taken'\"></script><b>"
    examples["missing_edges"][0]["texts"][0] = hostile
    examples["pair"]["source_words"][0] = hostile
    for name in ("metrics.json", "config.json", "history.csv"):
        (tmp_path / name).write_bytes((run / name).read_bytes())
    (tmp_path / "examples.json").write_text(json.dumps(examples))
    assert main(["report", str(tmp_path)]) == 0
    browser.errors.clear()
    browser.open(tmp_path / "report.html", 1280)
    assert browser.errors == []
    assert browser.run("document.title") == tmp_path.name
    assert hostile in browser.run(
        "document.querySelector('#missing-edges').textContent"
    )
