"""The page in a real browser, where chromium is installed."""

import pytest

from tests.browser import Browser, find_chromium
from tests.report.results import DATA, evaluation, examples, labels, ranked
from tests.report.test_page import write_run

SECTIONS = {
    "summary", "link-prediction", "differences", "search", "classification", "map",
    "matching", "missing-edges", "paper", "training", "settings", "data", "time",
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
def run(tmp_path_factory):
    """The folder of a page that has every section."""
    folder = tmp_path_factory.mktemp("page")
    shown = {"node_classification": labels(), "data": DATA, "time": evaluation().time}
    write_run(folder, evaluation=ranked(**shown))
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
def test_pointing_at_a_cell_shows_both_words_and_the_weight(page, kind):
    pair = examples().pair
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
    words = f"{pair.source_words[row]} ↔ {pair.target_words[column]}: "
    assert told.startswith(words)
    share = float(told.removeprefix(words).split(" %")[0]) / 100
    assert share == pytest.approx(getattr(pair, kind)[row][column], rel=0.01)


def test_texts_with_markup_stay_texts(browser, tmp_path):
    """A hostile text: the page shows it, and runs none of it."""
    hostile = "<img src=x onerror=\"document.title='taken'\"></script><b>"
    write_run(tmp_path, "mine", examples=examples(hostile))
    browser.errors.clear()
    browser.open(tmp_path / "report.html", 1280)
    assert browser.errors == []
    assert browser.run("document.title") == "mine"
    assert hostile in browser.run(
        "document.querySelector('#missing-edges').textContent"
    )


def test_no_script_but_the_pages_own_would_run(browser, run, tmp_path):
    """Were a text ever written as markup, the page's own rule would stop it."""
    text = (run / "report.html").read_text()
    taken = "<script>document.title = 'taken'</script></main>"
    (tmp_path / "page.html").write_text(text.replace("</main>", taken))
    browser.open(tmp_path / "page.html", 1280)
    assert browser.run("document.title") == "run"
    assert browser.run("document.querySelectorAll('rect.cell').length") == 40
    assert "Content Security Policy" in browser.errors[0]


def test_figures_are_no_white_slabs_where_it_is_dark(browser, run):
    dark = {"name": "prefers-color-scheme", "value": "dark"}
    browser.call("Emulation.setEmulatedMedia", features=[dark])
    browser.open(run / "report.html", 1280)
    script = """(() => {
        const image = document.images[0], canvas = document.createElement("canvas");
        const pen = canvas.getContext("2d");
        pen.drawImage(image, 0, 0);
        return [pen.getImageData(2, 2, 1, 1).data[3],
                getComputedStyle(image).filter.includes("invert(1)")];
    })()"""
    assert browser.run(script) == [0, True]
    browser.call("Emulation.setEmulatedMedia", features=[])


def test_what_is_folded_away_is_printed(browser, run):
    browser.open(run / "report.html", 1280)
    height = "document.querySelector('details dl').getBoundingClientRect().height"
    folded = browser.run("document.body.scrollHeight")
    browser.call("Emulation.setEmulatedMedia", media="print")
    assert browser.run("document.body.scrollHeight") > folded
    assert browser.run(height) > 0
    browser.call("Emulation.setEmulatedMedia", media="")
