"""The page in a real browser, where chromium is installed."""

import dataclasses

import numpy as np
import pytest

from cane_gane.data.network import TextualNetwork
from cane_gane.evaluation.examples import with_names
from cane_gane.evaluation.results import NodeMap
from tests.browser import Browser, find_chromium
from tests.report.results import DATA, evaluation, examples, labels, ranked
from tests.report.test_page import write_run

SECTIONS = {
    "verdict", "link-prediction", "differences", "search", "classification", "map",
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


def test_its_charts_are_drawn_and_told_in_words(page):
    script = """[...document.querySelectorAll("figure svg")].map(own =>
        [own.getBoundingClientRect().height > 80, own.ariaLabel])"""
    shown = page.run(script)
    assert len(shown) >= 4
    assert all(large and any(map(str.isdigit, told)) for large, told in shown)


@pytest.mark.parametrize("kind", ["plan", "attention"])
def test_pointing_at_a_cell_shows_both_words_and_the_weight(page, kind):
    pair = examples().matched[0]
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


def test_charts_are_dark_where_the_page_is(browser, run):
    browser.open(run / "report.html", 1280)
    script = """(() => {
        const text = document.querySelector("figure svg text");
        const line = document.querySelector("figure svg path[style*='--group-0']");
        return [getComputedStyle(text).fill, getComputedStyle(document.body).color,
                getComputedStyle(line).stroke];
    })()"""
    light = browser.run(script)
    browser.dark(True)
    dark = browser.run(script)
    browser.call("Emulation.setEmulatedMedia", features=[])
    assert light[0] == light[1]
    assert dark[0] == dark[1]
    assert not {*light} & {*dark}


@pytest.fixture
def chart(page, run):
    """The page, opened anew, with its map in view."""
    page.open(run / "report.html", page.run("innerWidth"))
    page.wait("document.querySelector('#atlas .legend button')")
    page.run("document.getElementById('atlas').scrollIntoView({behavior: 'instant'})")
    return page


def pixels(page):
    """Returns how many points of the map are drawn, after what is under way."""
    return page.run("""new Promise(done => setTimeout(() => {
        const canvas = document.querySelector("#atlas canvas");
        const { data } = canvas.getContext("2d").getImageData(
            0, 0, canvas.width, canvas.height);
        let count = 0;
        for (let i = 3; i < data.length; i += 4) count += data[i] > 200;
        done(count);
    }, 500))""")


def test_a_node_that_is_found_tells_its_name_and_text(chart):
    chart.click_on("#query")
    chart.type("text of 4")
    chart.wait("document.querySelectorAll('#found [role=option]').length === 1")
    chart.press("Enter")
    chart.wait("!document.querySelector('#atlas .card').hidden")
    card = chart.run("document.querySelector('#atlas .card').textContent")
    assert card.startswith("name4the text of 4")
    assert "name4" in chart.run("document.getElementById('status').textContent")
    chart.press("Escape")
    chart.wait("document.querySelector('#atlas .card').hidden")


def test_a_node_that_is_pointed_at_tells_its_name_and_text(chart):
    """The nodes are on one line, the middle one in the middle of the map."""
    place = chart.run("""(() => {
        const box = document.querySelector("#atlas canvas").getBoundingClientRect();
        return [box.x + box.width / 2, box.y + box.height / 2];
    })()""")
    chart.hover(place[0] - 40, place[1] - 90)
    chart.hover(*place)
    chart.wait("!document.querySelector('#atlas .hint').hidden")
    hint = chart.run("document.querySelector('#atlas .hint').textContent")
    assert hint == "name4the text of 4"


def test_keys_move_the_map_and_tell_a_node(chart):
    chart.run("document.querySelector('#atlas canvas').focus()")
    chart.press("+")
    chart.press("Enter")
    chart.wait("!document.querySelector('#atlas .card').hidden")
    card = chart.run("document.querySelector('#atlas .card').textContent")
    assert "name4" in card


def test_a_label_of_the_legend_can_be_hidden(chart):
    before = pixels(chart)
    chart.click_on("#atlas .legend li:first-child button")
    script = "document.querySelector('#atlas .legend button').ariaPressed"
    assert chart.run(script) == "false"
    assert 0 < pixels(chart) < 0.9 * before
    chart.click_on("#atlas .legend li:first-child button")
    assert pixels(chart) == before


def test_a_table_is_sorted_by_its_columns(page):
    column = """[...document.querySelector("#differences table").rows]
        .map(row => row.cells[2].textContent)"""
    page.click_on("#differences table th:nth-child(3) button")
    down = page.run(column)[1:4]
    assert [text.split()[0] for text in down] == ["+15.0", "+0.0", "-5.0"]
    page.click_on("#differences table th:nth-child(3) button")
    assert page.run(column)[1:4] == down[::-1]
    script = "document.querySelector('#differences th:nth-child(3)').ariaSort"
    assert page.run(script) == "ascending"


def test_the_menu_shows_another_pair(page):
    page.run("""(() => {
        const menu = document.getElementById("pair");
        menu.value = "1";
        menu.dispatchEvent(new Event("change"));
    })()""")
    about = page.run("document.querySelector('#pairs .about').textContent")
    assert about.startswith("three (rows, 4 words) and four")
    assert "they have 1 word in common" in about
    assert page.run("document.querySelectorAll('#heat-plan rect.cell').length") == 20
    chips = page.run("document.querySelector('#pairs .chips').textContent")
    assert chips == "fox ↔ sea 20.0 %"
    page.run("""(() => {
        const menu = document.getElementById("pair");
        menu.value = "0";
        menu.dispatchEvent(new Event("change"));
    })()""")


def test_keys_move_over_a_heat_map(page):
    page.run("document.querySelector('#heat-plan svg').focus()")
    for key in ("ArrowDown", "ArrowDown"):
        page.press(key)
    told = page.run("document.querySelector('#heat-plan output').textContent")
    assert told.startswith("a ↔ d: ")


def test_a_network_of_the_size_of_cora_has_a_page_below_two_megabytes(
    browser, tmp_path
):
    """Of 3,000 nodes, the most that a map has, with long texts of three bytes each."""
    count = 3000
    network = TextualNetwork(
        ["語" * 500] * count, np.array([[0, 1]]), [("標籤" * 200,)] * count
    )
    x = [float(i % 60) for i in range(count)]
    y = [float(i // 60) for i in range(count)]
    chart = NodeMap(list(range(count)), x, y, [own[0] for own in network.labels])
    shown = dataclasses.replace(examples(), map=with_names(chart, network))
    write_run(tmp_path, examples=shown, evaluation=ranked(data=DATA))
    assert (tmp_path / "report.html").stat().st_size < 2_000_000
    browser.errors.clear()
    browser.open(tmp_path / "report.html", 390)
    assert browser.errors == []
    script = "document.documentElement.scrollWidth <= innerWidth"
    assert browser.run(script)


def test_what_is_folded_away_is_printed(browser, run):
    browser.open(run / "report.html", 1280)
    height = """(() => {
        const folded = document.querySelector("#settings details");
        return folded.getBoundingClientRect().height;
    })()"""
    closed = browser.run(height)
    browser.call("Emulation.setEmulatedMedia", media="print")
    assert browser.run(height) > closed + 30
    browser.call("Emulation.setEmulatedMedia", media="")
