"""Takes the pictures of docs/: `python -m tests.web.picture RUN NODE`.

Starts `explore RUN` and opens it in a headless chromium: the map for
docs/figures/explorer.png, a node's first suggestion for docs/figures/explorer-pair.png.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import time

from PIL import Image  # matplotlib brings it

from tests.browser import Browser, find_chromium
from tests.launch import ROOT

FIGURES = ROOT / "docs" / "figures"


def shoot(browser: Browser, name: str) -> None:
    """Writes a picture of the window; with 256 colours, at a third of the size."""
    path = FIGURES / f"{name}.png"
    browser.screenshot(path, whole=False)
    with Image.open(path) as picture:
        few = picture.convert("RGB").quantize(256, dither=Image.Dither.NONE)
    few.save(path, optimize=True)


def main(run: str, node: str) -> None:
    command = [sys.executable, "-m", "cane_gane", "explore", run, "--port=0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    program = find_chromium()
    assert process.stdout is not None
    assert program, "no chromium: apt-get install chromium"
    browser = Browser(program)
    try:
        home = process.stdout.readline().split()[0]
        browser.dark(False)
        browser.visit(home, 1280, 800)
        browser.wait("document.documentElement.dataset.ready", 60)
        time.sleep(0.5)  # until it is painted
        shoot(browser, "explorer")
        browser.press("/")
        browser.type(node)
        browser.wait("document.querySelector('#found [role=option]')", 60)
        browser.press("Enter")
        browser.wait("document.querySelector('#suggestions')", 60)
        browser.click_on("#suggestions .row")
        browser.wait("document.querySelector('#pair .parts')", 60)
        browser.hover(5, 790)
        time.sleep(0.5)
        shoot(browser, "explorer-pair")
    finally:
        browser.close()
        process.send_signal(signal.SIGTERM)
        process.wait()


if __name__ == "__main__":
    main(*sys.argv[1:])
