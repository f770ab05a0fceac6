"""What tests of the explorer ask a browser."""

READY = "document.documentElement.dataset.ready"
SUGGESTED = "document.querySelector('#suggestions')"
WIDTHS = [1280, 390]
WIDER = "document.documentElement.scrollWidth > innerWidth"


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
