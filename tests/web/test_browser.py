"""The explorer in a real browser, clicked through; where chromium is installed."""

import pytest

from cane_gane.web.explorer import explorer
from cane_gane.web.worker import Worker
from tests.browser import Browser, find_chromium
from tests.web.fake_answers import FakeAnswers, WordlessAnswers
from tests.web.hostile import BELLS, IMAGE, SCRIPT, hostile_network
from tests.web.serving import serving

pytestmark = pytest.mark.slow

READY = "document.documentElement.dataset.ready"
SUGGESTED = "document.querySelector('#suggestions')"
WIDTHS = [1280, 390]
WIDER = "document.documentElement.scrollWidth > innerWidth"


@pytest.fixture(scope="module")
def window():
    program = find_chromium()
    if program is None:
        pytest.skip("no chromium: apt-get install chromium")
    browser = Browser(program)
    yield browser
    browser.close()


@pytest.fixture(scope="module")
def home():
    worker = Worker()
    answers = FakeAnswers(hostile_network())
    with serving(explorer(answers, "<b>mine</b>", worker)) as home:
        yield home
    worker.close()


@pytest.fixture
def browser(window, home):
    """The browser; after each test nothing was said, fetched or taken over."""
    window.errors.clear()
    window.requests.clear()
    yield window
    strange = [own for own in window.requests if not own.startswith(home)]
    assert set(strange) <= {"about:blank"}
    # The tests read the map's pixels; the page does not.
    assert [own for own in window.errors if "readback" not in own] == []
    assert window.run("document.title") == "<b>mine</b>"
    assert window.run("document.querySelectorAll('img, main script').length") == 0


def show(browser, address, width=1280):
    browser.visit(address, width)
    browser.wait(READY)


def text_of(browser, selector):
    return browser.run(f"document.querySelector({selector!r})?.innerText")


def ink(browser):
    """Returns how many pixels of the map are drawn on."""
    return browser.run("""new Promise((done) => requestAnimationFrame(() =>
        requestAnimationFrame(() => {
            const map = document.getElementById("map"), pen = map.getContext("2d");
            const data = pen.getImageData(0, 0, map.width, map.height).data;
            done(data.filter((value, i) => i % 4 === 3 && value).length);
        })))""")


@pytest.mark.parametrize("width", WIDTHS)
def test_the_map_is_drawn_and_the_page_fits(browser, home, width):
    show(browser, home, width)
    assert ink(browser) > 2000
    assert not browser.run(WIDER)


def test_a_click_on_the_map_opens_the_node_below_it(browser, home):
    show(browser, home)
    for x in range(300, 860, 10):  # until the pointer meets a node
        browser.hover(x, 420)
        if name := text_of(browser, "#hint:not([hidden])"):
            break
    browser.click(x, 420)
    browser.wait("location.hash.startsWith('#node=')")
    browser.wait(SUGGESTED)
    assert text_of(browser, "#details h2") == name


@pytest.mark.parametrize("width", WIDTHS)
def test_a_node_shows_text_neighbours_and_suggestions(browser, home, width):
    show(browser, f"{home}/#node=8", width)
    browser.wait(SUGGESTED)
    assert text_of(browser, "#details h2") == "node-8"
    assert text_of(browser, "#details .text") == hostile_network().texts[8]
    assert text_of(browser, "#neighbours").split() == ["node-7", "node-9"]
    assert browser.run("document.querySelectorAll('#suggestions .row').length") == 10
    assert not browser.run(WIDER)


@pytest.mark.parametrize("width", WIDTHS)
def test_a_suggestion_shows_lines_as_wide_as_the_plan(browser, home, width):
    show(browser, f"{home}/#node=8", width)
    browser.click_on("#suggestions .row")
    browser.wait("document.querySelector('.lines path[d]')")
    drawn = browser.run("""[...document.querySelectorAll(".lines path")].map((path) =>
        [Number(path.getAttribute("stroke-width")), path.getBBox().width])""")
    target = browser.run("Number(location.hash.split('-')[1])")
    match = FakeAnswers(hostile_network()).explain(8, target).match
    weights = sorted(match.plan[match.plan > 0], reverse=True)
    assert len(drawn) == len(weights)
    widest = drawn[0][0]
    for (stroke, across), weight in zip(drawn, weights, strict=True):
        assert stroke == pytest.approx(widest * weight / weights[0], rel=0.01)
        assert across > 30
    assert not browser.run(WIDER)


def test_lines_begin_and_end_at_their_words(browser, home):
    show(browser, f"{home}/#pair=8-20")
    browser.wait("document.querySelector('.lines path[d]')")
    apart = browser.run("""(() => {
        const path = document.querySelector(".lines path"), frame = path.ownerSVGElement
            .getBoundingClientRect();
        const ends = [path.getPointAtLength(0), path.getPointAtLength(1e6)];
        const boxes = [...document.querySelectorAll("mark")].map((word) =>
            [word.dataset.word[0], word.getBoundingClientRect()]);
        return ["s", "t"].map((side, i) => Math.min(...boxes
            .filter((own) => own[0] === side).map(([_, box]) => Math.hypot(
                (i ? box.right : box.left) - frame.left - ends[i].x,
                box.bottom - frame.top + 2 - ends[i].y))));
    })()""")
    assert max(apart) < 1


def test_the_parts_of_a_score_are_bars_that_add_up(browser, home):
    show(browser, f"{home}/#pair=8-20")
    browser.wait("document.querySelector('#pair .parts')")
    rows = browser.run("""[...document.querySelectorAll(".parts tr")].map((row) =>
        [parseFloat(row.cells[1].innerText.replace("−", "-")),
         row.querySelector(".bar").getBoundingClientRect().width])""")
    (words, wide), (length, narrow), (score, _) = rows
    assert words + length == pytest.approx(score)
    assert wide / narrow == pytest.approx(words / -length, rel=0.02)


def test_the_keyboard_goes_from_a_word_to_an_explanation_and_back(browser, home):
    show(browser, home)
    browser.press("/")
    browser.type("node-8")
    browser.wait("document.querySelectorAll('#found [role=option]').length")
    browser.press("ArrowDown")
    browser.press("Enter")
    browser.wait("location.hash === '#node=8'")
    browser.wait(SUGGESTED)
    browser.run("document.querySelector('#suggestions .row').focus()")
    browser.press("Enter")
    browser.wait("document.querySelector('#pair .parts')")
    assert browser.run("document.activeElement.id") == "pair"
    browser.press("Escape")
    browser.wait("document.getElementById('pair').hidden")
    assert browser.run("document.activeElement.className") == "row"
    browser.press("Escape")
    browser.wait("!document.getElementById('home').hidden")


def test_keys_move_the_map_and_open_a_node(browser, home):
    show(browser, home)
    browser.run("document.getElementById('map').focus()")
    before = ink(browser)
    for _ in range(4):
        browser.press("+")
    browser.wait("!document.getElementById('hint').hidden")
    assert ink(browser) != before
    browser.press("Enter")
    browser.wait("location.hash.startsWith('#node=')")


def test_the_wheel_zooms(browser, home):
    show(browser, home)
    before = ink(browser)
    for _ in range(5):
        browser.call(
            "Input.dispatchMouseEvent", type="mouseWheel", x=400, y=400, deltaX=0,
            deltaY=-200,
        )  # fmt: skip
    assert ink(browser) != before


def test_a_label_that_is_switched_off_is_not_drawn(browser, home):
    show(browser, home)
    before = ink(browser)
    browser.click_on("#legend li:last-of-type button, #legend li:nth-child(3) button")
    assert ink(browser) < before
    assert browser.run("document.querySelectorAll('[aria-pressed=false]').length") == 1


def test_thousands_of_nodes_are_drawn_like_a_few(browser, home):
    """A crowd is drawn pixel by pixel; each node must look as it does in a picture."""
    script = """Promise.all([import("/static/map.js"), import("/static/crowd.js")])
        .then(([{ NodeMap }, { drawCrowd }]) => {
            const map = new NodeMap(document.getElementById("map"), {
                x: [0, 9000], y: [0, 9000], degree: [0, 50], group: [0, 1],
                names: ["", ""], groups: [{}, {}] });
            const count = () => {
                const { width, height } = map.canvas;
                const { data } = map.pen.getImageData(0, 0, width, height);
                const inked = [];
                for (let i = 0; i < width * height; i++)
                    if (data[4 * i + 3] > 100) inked.push(i);
                map.pen.clearRect(0, 0, width, height);
                return inked;
            };
            map.pen.setTransform(1, 0, 0, 1, 0, 0);
            map.pen.clearRect(0, 0, map.canvas.width, map.canvas.height);
            map.stamp([0, 1], 1);
            const few = count();
            drawCrowd(map, [0, 1], 1, (node) => node, (node) =>
                map.sprite(node, map.radius * (node ? 1.6 : 0.85)));
            const many = new Set(count());
            return [few.length, many.size, few.filter((own) => many.has(own)).length];
        })"""
    show(browser, home)
    few, many, both = browser.run(script)
    assert few > 40
    assert min(few, many, both) > 0.7 * max(few, many)  # less than a pixel apart


def test_a_text_of_the_reader_is_answered_and_explained(browser, home):
    show(browser, home)
    browser.click_on("#text")
    browser.type(f"sea and sky {SCRIPT}")
    browser.click_on("#ask button[value=search]")
    browser.wait(SUGGESTED)
    assert text_of(browser, "#details .text") == f"sea and sky {SCRIPT}"
    browser.click_on("#suggestions .row")
    browser.wait("document.querySelector('.lines path[d]')")
    assert text_of(browser, "#pair h2").startswith("your text and ")


@pytest.mark.parametrize("width", WIDTHS)
def test_markup_in_names_and_texts_is_shown_as_text(browser, home, width):
    show(browser, f"{home}/#node=0", width)
    browser.wait(SUGGESTED)
    assert text_of(browser, "#details h2") == IMAGE
    assert SCRIPT in text_of(browser, "#details .text")
    browser.run("location.hash = 'pair=0-5'")
    browser.wait("document.querySelector('#pair .parts')")
    assert SCRIPT in text_of(browser, "#pair")
    assert not browser.run(WIDER)


def test_control_characters_are_shown_as_signs(browser, home):
    show(browser, f"{home}/#node=1")
    browser.wait(SUGGESTED)
    shown = text_of(browser, "#details .text")
    assert shown == f"fox {BELLS}".translate({7: "\ufffd", 27: "\ufffd", 0: "\ufffd"})


def test_a_name_from_right_to_left_turns_nothing_else(browser, home):
    """What follows an override stands to the right of it, as if there were none."""
    show(browser, f"{home}/#pair=2-8")
    browser.wait("document.querySelector('#pair .parts')")
    left, right = browser.run("""[...document.querySelectorAll("#pair h2 bdi")].map(
        (own) => own.getBoundingClientRect().left)""")
    assert left < right


@pytest.mark.parametrize("width", WIDTHS)
def test_ten_thousand_words_are_folded(browser, home, width):
    show(browser, f"{home}/#node=3", width)
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


def test_a_node_without_text_says_so(browser, home):
    show(browser, f"{home}/#node=4")
    browser.wait(SUGGESTED)
    assert text_of(browser, "#details h2") == "__proto__"
    assert "This node has no text." in text_of(browser, "#details")


def test_a_method_that_reads_no_texts_is_shown_without_words(window):
    worker = Worker()
    with serving(explorer(WordlessAnswers(), "mine", worker)) as home:
        show(window, f"{home}/#pair=0-4")
        window.wait("document.querySelector('#pair .parts')")
        shown = text_of(window, "#pair")
        asks = window.run("Boolean(document.getElementById('ask'))")
    worker.close()
    assert "the red fox runs over the hill" in shown
    assert "a wolf howls over the hill" in shown
    assert "No two words are matched." in shown
    assert not asks


def test_the_colours_follow_the_system(browser, home):
    backs = []
    for dark in (False, True):
        browser.dark(dark)
        show(browser, home)
        backs.append(browser.run("getComputedStyle(document.body).backgroundColor"))
    browser.dark(False)
    assert backs == ["rgb(255, 255, 255)", "rgb(20, 24, 29)"]


def test_an_unknown_node_is_told_in_one_line(browser, home):
    show(browser, f"{home}/#node=9999")
    browser.wait("document.querySelector('#details .bad')")
    assert "found node '9999'" in text_of(browser, "#details .bad")
    assert any("404" in own for own in browser.errors)
    browser.errors.clear()
