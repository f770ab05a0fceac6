"""A headless chromium, driven through the pipe of its DevTools protocol."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any


def find_chromium() -> str | None:
    names = ("chromium", "chromium-browser", "google-chrome")
    return next(filter(None, map(shutil.which, names)), None)


class Browser:
    """One page of a browser; what its console says is kept in `errors`."""

    def __init__(self, program: str) -> None:
        self.errors: list[str] = []
        self.requests: list[str] = []
        self._number = 0
        self._rest = b""
        self._profile = tempfile.mkdtemp()
        theirs_in, self._out = os.pipe()
        self._in, theirs_out = os.pipe()
        # The protocol's pipes are the descriptors 3 and 4 of the browser.
        flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--mute-audio",
                 "--disable-dev-shm-usage", "--no-first-run", "--remote-debugging-pipe",
                 "--disable-background-networking", "--disable-component-update",
                 f"--user-data-dir={self._profile}"]  # fmt: skip
        script = f'exec "$@" 3<&{theirs_in} 4>&{theirs_out}'
        self._process = subprocess.Popen(
            ["bash", "-c", script, "bash", program, *flags, "about:blank"],
            pass_fds=(theirs_in, theirs_out), stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(theirs_in)
        os.close(theirs_out)
        self._session: str | None = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Calls a method of the protocol and returns its result."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                return answer["result"]

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            part = os.read(self._in, 1 << 16)
            assert part, "the browser has ended"
            self._rest += part
        line, _, self._rest = self._rest.partition(b"\0")
        message = json.loads(line)
        self._note(message.get("method"), message.get("params", {}))
        return message

    def _note(self, method: str | None, told: dict[str, Any]) -> None:
        if method == "Runtime.exceptionThrown":
            self.errors.append(json.dumps(told["exceptionDetails"]))
        if method == "Runtime.consoleAPICalled" and told["type"] in (
            "error",
            "warning",
        ):
            self.errors.append(json.dumps(told["args"]))
        if method == "Log.entryAdded" and told["entry"]["level"] in (
            "error",
            "warning",
        ):
            self.errors.append(told["entry"]["text"])
        if method == "Network.requestWillBeSent":
            self.requests.append(told["request"]["url"])

    def open(self, path: Path, width: int, height: int = 900) -> None:
        """Opens a file in a window of that width."""
        self.visit(path.resolve().as_uri(), width, height)

    def visit(self, address: str, width: int, height: int = 900) -> None:
        """Opens an address in a window of that width."""
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height,
            deviceScaleFactor=1, mobile=width < 600,
        )  # fmt: skip
        self.call("Page.navigate", url="about:blank")  # or a new #part loads nothing
        self.call("Page.navigate", url=address)
        self.wait("document.readyState === 'complete'")

    def dark(self, on: bool) -> None:
        """Makes the system's colours dark, or light."""
        value = "dark" if on else "light"
        features = [{"name": "prefers-color-scheme", "value": value}]
        self.call("Emulation.setEmulatedMedia", features=features)

    def wait(self, condition: str, seconds: float = 20) -> None:
        """Waits until an expression is true."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.run(f"Boolean({condition})"):
                return
            time.sleep(0.03)
        raise AssertionError(f"never: {condition}; errors: {self.errors}")

    def run(self, script: str) -> Any:
        """Returns the value of an expression in the page."""
        result = self.call(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def hover(self, x: float, y: float) -> None:
        """Moves the pointer there."""
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def click(self, x: float, y: float) -> None:
        """Clicks there."""
        for kind in ("mousePressed", "mouseReleased"):
            self.call(
                "Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left",
                clickCount=1,
            )  # fmt: skip

    def click_on(self, selector: str) -> None:
        """Clicks the middle of an element, once it is there and in view."""
        found = json.dumps(selector)
        self.wait(f"document.querySelector({found})?.getClientRects().length")
        place = self.run(f"""(() => {{
            const own = document.querySelector({found});
            own.scrollIntoView({{block: "center", behavior: "instant"}});
            const box = own.getBoundingClientRect();
            return [box.x + box.width / 2, box.y + box.height / 2];
        }})()""")
        self.click(*place)

    def type(self, text: str) -> None:
        """Types a text into what has the focus."""
        self.call("Input.insertText", text=text)

    def press(self, key: str) -> None:
        """Presses a key by its name, such as `Enter` or `a`."""
        codes = {"Enter": 13, "Tab": 9, "Escape": 27, "ArrowDown": 40}
        code = codes.get(key, ord(key[0].upper()))
        text = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
        own: dict[str, Any] = {"key": key, "windowsVirtualKeyCode": code}
        self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **own)
        self.call("Input.dispatchKeyEvent", type="keyUp", **own)

    def screenshot(self, path: Path, whole: bool = True) -> None:
        """Writes a picture of the page, below the window's edge too."""
        shot = self.call("Page.captureScreenshot", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(shot["data"]))

    def close(self) -> None:
        """Ends the browser."""
        self._process.terminate()
        self._process.wait()
        os.close(self._in)
        os.close(self._out)
        shutil.rmtree(self._profile, ignore_errors=True)
