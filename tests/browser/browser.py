# SPDX-License-Identifier: Apache-2.0
# A browser without a window, driven by the WebDriver protocol of chromedriver, for the tests beside this file.
import base64
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request


def missing():
    """What a browser test needs and this machine lacks, or None."""
    for names in (("chromium", "chromium-browser", "google-chrome"), ("chromedriver",)):
        if not any(shutil.which(name) for name in names):
            return f"{names[0]} is not installed (scripts/setup.sh --with-browser)"
    return None


def _free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Browser:
    """A session: with Browser(width, height) as browser: ..."""

    def __init__(self, width=1280, height=800, touch=False, dark=False):
        self.size, self.touch, self.dark = (width, height), touch, dark

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="cairn-browser-")
        port = _free_port()
        self.driver = subprocess.Popen([shutil.which("chromedriver"), f"--port={port}"],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.root = f"http://127.0.0.1:{port}"
        try:
            self._begin()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _begin(self):
        program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
        # software drawing, so that machines without a graphics processor see the same
        words = ["--headless=new", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
                 "--hide-scrollbars", "--disable-dev-shm-usage", f"--user-data-dir={self.folder}",
                 f"--window-size={self.size[0]},{self.size[1]}", "--force-device-scale-factor=1",
                 "--disable-background-networking", "--disable-component-update", "--no-first-run"]
        options = {"args": words, "binary": program}
        wanted = {"goog:chromeOptions": options,
                  "goog:loggingPrefs": {"performance": "ALL", "browser": "ALL"}}
        for _ in range(100):
            try:
                made = self._call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
                break
            except (urllib.error.URLError, ConnectionError):
                time.sleep(0.1)
        self.root += f"/session/{made['sessionId']}"
        metrics = {"width": self.size[0], "height": self.size[1], "deviceScaleFactor": 1, "mobile": self.touch}
        self.command("Emulation.setDeviceMetricsOverride", **metrics)
        if self.touch:
            self.command("Emulation.setTouchEmulationEnabled", enabled=True)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if self.dark else "light"}
        self.command("Emulation.setEmulatedMedia", features=[scheme])

    def __exit__(self, *unused):
        try:
            if "/session/" in self.root:
                self._call("DELETE", "")
        except OSError:
            pass
        self.driver.terminate()
        self.driver.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.root + path, data, {"Content-Type": "application/json"},
                                         method=method)
        try:
            with urllib.request.urlopen(request, timeout=180) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from None

    def command(self, name, **parameters):
        """A command of the browser's own protocol."""
        return self._call("POST", "/goog/cdp/execute", {"cmd": name, "params": parameters})

    def open(self, path):
        self._call("POST", "/url", {"url": "file://" + os.path.abspath(path)})

    def run(self, script, *arguments):
        """What a script returns."""
        return self._call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def wait(self, script, seconds=60):
        """Waits until a script returns something true; returns it."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            found = self.run(script)
            if found:
                return found
            time.sleep(0.05)
        raise RuntimeError(f"this never came true: {script}; the page says {self.said()}")

    def picture(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self._call("GET", "/screenshot")))

    def key(self, key, shift=False):
        for kind in ("keyDown", "keyUp"):
            self.command("Input.dispatchKeyEvent", type=kind, key=key, modifiers=8 if shift else 0,
                         **({"text": key} if len(key) == 1 and kind == "keyDown" else {}))

    def click(self, x, y):
        for kind in ("mousePressed", "mouseReleased"):
            self.command("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1,
                         buttons=1 if kind == "mousePressed" else 0)

    def drag(self, x, y, to_x, to_y):
        self.command("Input.dispatchMouseEvent", type="mousePressed", x=x, y=y, button="left", buttons=1, clickCount=1)
        for part in (0.25, 0.5, 0.75, 1.0):
            self.command("Input.dispatchMouseEvent", type="mouseMoved", x=x + part * (to_x - x),
                         y=y + part * (to_y - y), button="left", buttons=1)
        self.command("Input.dispatchMouseEvent", type="mouseReleased", x=to_x, y=to_y, button="left", clickCount=1)

    def touch_drag(self, points):
        """Fingers from one place to another: [((x, y), (x, y)), ...]."""
        for part, kind in ((0.0, "touchStart"), (0.34, "touchMove"), (0.67, "touchMove"), (1.0, "touchMove")):
            now = [{"x": a[0] + part * (b[0] - a[0]), "y": a[1] + part * (b[1] - a[1]), "id": i}
                   for i, (a, b) in enumerate(points)]
            self.command("Input.dispatchTouchEvent", type=kind, touchPoints=now)
        self.command("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def said(self):
        """Errors and warnings of the page."""
        return [line["message"] for line in self._call("POST", "/se/log", {"type": "browser"})
                if line["level"] in ("SEVERE", "WARNING")]

    def requests(self):
        """Addresses that the page has asked for since the last call."""
        found = []
        for line in self._call("POST", "/se/log", {"type": "performance"}):
            message = json.loads(line["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                found.append(message["params"]["request"]["url"])
        return found
