"""Takes the pictures of docs/: `python -m tests.web.picture RUN NODE`.

Starts `explore RUN`, opens a node and its first suggestion in a headless chromium, and
writes docs/figures/explorer.png and docs/figures/explorer-pair.png.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import time

from tests.browser import Browser, find_chromium
from tests.launch import ROOT

FIGURES = ROOT / "docs" / "figures"


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
        browser.press("/")
        browser.type(node)
        browser.wait("document.querySelector('#found [role=option]')", 60)
        browser.press("Enter")
        browser.wait("document.querySelector('#suggestions')", 60)
        time.sleep(1)  # the map flies there
        browser.screenshot(FIGURES / "explorer.png", whole=False)
        browser.click_on("#suggestions .row")
        browser.wait("document.querySelector('#pair .parts')", 60)
        browser.hover(5, 790)
        time.sleep(0.5)
        browser.screenshot(FIGURES / "explorer-pair.png", whole=False)
    finally:
        browser.close()
        process.send_signal(signal.SIGTERM)
        process.wait()


if __name__ == "__main__":
    main(*sys.argv[1:])
