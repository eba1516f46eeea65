"""A browser without a window, driven over a pipe by the DevTools protocol."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import select
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")


def binary() -> str | None:
    """Return the path of a browser, if there is one."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)


class Browser:
    """One tab. Requests, dialogs and whatever the console says are kept from the moment it is there."""

    def __init__(self, folder: Path) -> None:
        (theirs, ours), (our_end, their_end) = os.pipe(), os.pipe()
        flags = (
            "--headless=new --no-sandbox --disable-gpu --hide-scrollbars --remote-debugging-pipe "
            "--no-first-run --disable-background-networking --disable-dev-shm-usage"
        )
        line = f'exec "$0" {flags} --user-data-dir="$1" about:blank 3<&{theirs} 4>&{their_end}'
        self.process = subprocess.Popen(
            ["bash", "-c", line, binary(), str(folder / "profile")],
            pass_fds=(theirs, their_end),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(theirs)
        os.close(their_end)
        self.ours, self.theirs = ours, our_end
        self.buffer, self.count, self.session, self.events = b"", 0, "", []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        self.count += 1
        message = {"id": self.count, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.ours, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next(30)
            if answer.get("id") == self.count:
                assert "error" not in answer, answer
                return answer["result"]
            self.events.append(answer)

    def open(self, path: Path, *, width: int = 1280, scheme: str = "light") -> None:
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=900,
            deviceScaleFactor=1,
            mobile=width < 500,
        )
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.call("Page.navigate", url=path.resolve().as_uri())
        for _ in range(200):
            if self.ask("document.readyState") == "complete" and self.ask("location.href") != "about:blank":
                return
            time.sleep(0.05)
        raise AssertionError("the page did not load")

    def ask(self, script: str) -> Any:
        found = self.call("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def press(self, key: str) -> None:
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key)

    def point(self, x: float, y: float) -> None:
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def shoot(self, path: Path, *, whole: bool = True) -> None:
        size = self.call("Page.getLayoutMetrics")["cssContentSize"] if whole else None
        clip = (
            {"clip": {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}}
            if size
            else {}
        )
        shot = self.call("Page.captureScreenshot", captureBeyondViewport=whole, **clip)
        path.write_bytes(base64.b64decode(shot["data"]))

    def troubles(self) -> list[str]:
        """Return everything that a quiet page does not do: requests but for itself, messages, dialogs."""
        found = []
        for event in self.events:
            method, told = event.get("method", ""), event.get("params", {})
            if method == "Network.requestWillBeSent" and not told["request"]["url"].startswith(
                ("file:", "about:")
            ):
                found.append(f"request {told['request']['url'][:200]}")
            if method in {"Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"}:
                found.append(f"{method} {json.dumps(told)[:300]}")
            if method in {"Page.javascriptDialogOpening", "Page.downloadWillBegin", "Page.windowOpen"}:
                found.append(method)
        return found

    def requests(self) -> list[str]:
        sent = [each for each in self.events if each.get("method") == "Network.requestWillBeSent"]
        return [each["params"]["request"]["url"] for each in sent]

    def close(self) -> None:
        with contextlib.suppress(AssertionError, OSError):
            self.session = ""
            self.call("Browser.close")
        os.close(self.ours)
        os.close(self.theirs)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(10)
        self.process.kill()
        self.process.wait()

    def _next(self, seconds: float) -> dict[str, Any]:
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.theirs], [], [], seconds)
            assert ready, "the browser is silent"
            more = os.read(self.theirs, 1 << 20)
            assert more, "the browser has gone"
            self.buffer += more
        message, _, self.buffer = self.buffer.partition(b"\0")
        return dict(json.loads(message))
