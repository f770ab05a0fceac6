"""The explorer in a real browser, clicked through; where chromium is installed."""

import pytest

from tests.web.fake_answers import FakeAnswers
from tests.web.hostile import SCRIPT, hostile_network
from tests.web.pages import SUGGESTED, WIDER, WIDTHS, ink, show, text_of

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("width", WIDTHS)
def test_the_map_is_drawn_and_the_page_fits(browser, explored, width):
    show(browser, explored, width)
    assert ink(browser) > 2000
    assert not browser.run(WIDER)


def test_a_click_on_the_map_opens_the_node_below_it(browser, explored):
    show(browser, explored)
    for x in range(300, 860, 10):  # until the pointer meets a node
        browser.hover(x, 420)
        if name := text_of(browser, "#hint:not([hidden])"):
            break
    browser.click(x, 420)
    browser.wait("location.hash.startsWith('#node=')")
    browser.wait(SUGGESTED)
    assert text_of(browser, "#details h2") == name


@pytest.mark.parametrize("width", WIDTHS)
def test_a_node_shows_text_neighbours_and_suggestions(browser, explored, width):
    show(browser, f"{explored}/#node=8", width)
    browser.wait(SUGGESTED)
    assert text_of(browser, "#details h2") == "node-8"
    assert text_of(browser, "#details .text") == hostile_network().texts[8]
    assert text_of(browser, "#neighbours").split() == ["node-7", "node-9"]
    assert browser.run("document.querySelectorAll('#suggestions .row').length") == 10
    assert not browser.run(WIDER)


@pytest.mark.parametrize("width", WIDTHS)
def test_a_suggestion_shows_lines_as_wide_as_the_plan(browser, explored, width):
    show(browser, f"{explored}/#node=8", width)
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


def test_lines_begin_and_end_at_their_words(browser, explored):
    show(browser, f"{explored}/#pair=8-20")
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


def test_the_parts_of_a_score_are_bars_that_add_up(browser, explored):
    show(browser, f"{explored}/#pair=8-20")
    browser.wait("document.querySelector('#pair .parts')")
    rows = browser.run("""[...document.querySelectorAll(".parts tr")].map((row) =>
        [parseFloat(row.cells[1].innerText.replace("−", "-")),
         row.querySelector(".bar").getBoundingClientRect().width])""")
    (words, wide), (length, narrow), (score, _) = rows
    assert words + length == pytest.approx(score)
    assert wide / narrow == pytest.approx(words / -length, rel=0.02)


def test_the_keyboard_goes_from_a_word_to_an_explanation_and_back(browser, explored):
    show(browser, explored)
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


def test_keys_move_the_map_and_open_a_node(browser, explored):
    show(browser, explored)
    browser.run("document.getElementById('map').focus()")
    before = ink(browser)
    for _ in range(4):
        browser.press("+")
    browser.wait("!document.getElementById('hint').hidden")
    assert ink(browser) != before
    browser.press("Enter")
    browser.wait("location.hash.startsWith('#node=')")


def test_the_wheel_zooms(browser, explored):
    show(browser, explored)
    before = ink(browser)
    for _ in range(5):
        browser.call(
            "Input.dispatchMouseEvent", type="mouseWheel", x=400, y=400, deltaX=0,
            deltaY=-200,
        )  # fmt: skip
    assert ink(browser) != before


def test_a_label_that_is_switched_off_is_not_drawn(browser, explored):
    show(browser, explored)
    before = ink(browser)
    browser.click_on("#legend li:last-of-type button, #legend li:nth-child(3) button")
    assert ink(browser) < before
    assert browser.run("document.querySelectorAll('[aria-pressed=false]').length") == 1


def test_thousands_of_nodes_are_drawn_like_a_few(browser, explored):
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
    show(browser, explored)
    few, many, both = browser.run(script)
    assert few > 40
    assert min(few, many, both) > 0.7 * max(few, many)  # less than a pixel apart


def test_a_text_of_the_reader_is_answered_and_explained(browser, explored):
    show(browser, explored)
    browser.click_on("#text")
    browser.type(f"sea and sky {SCRIPT}")
    browser.click_on("#ask button[value=search]")
    browser.wait(SUGGESTED)
    assert text_of(browser, "#details .text") == f"sea and sky {SCRIPT}"
    browser.click_on("#suggestions .row")
    browser.wait("document.querySelector('.lines path[d]')")
    assert text_of(browser, "#pair h2").startswith("your text and ")


def test_the_colours_follow_the_system(browser, explored):
    backs = []
    for dark in (False, True):
        browser.dark(dark)
        show(browser, explored)
        backs.append(browser.run("getComputedStyle(document.body).backgroundColor"))
    browser.dark(False)
    assert backs == ["rgb(255, 255, 255)", "rgb(20, 24, 29)"]
