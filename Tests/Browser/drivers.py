# SPDX-License-Identifier: Apache-2.0
"""Firefox and WebKit by their own protocols, with nothing to install but the browsers: Marionette is JSON with its length
before it over TCP, WebDriver (https://www.w3.org/TR/webdriver2/) is JSON over HTTP. The commands are the same ones."""

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import time
import urllib.request
from pathlib import Path

from server import PATIENCE, ports

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
START_LIMIT = 3 * PATIENCE


class Driver:
    """What a test asks of a browser. Below are the two ways of asking."""

    def __init__(self):
        self.process = None

    def launch(self, command, **options):
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                        start_new_session=True, **options)

    def find(self, css):
        return self.ask("FindElement", "POST", "element", {"using": "css selector", "value": css})[ELEMENT]

    def click(self, css):
        id = self.find(css)
        self.ask("ElementClick", "POST", f"element/{id}/click", {"id": id})

    def type(self, css, text):
        id = self.find(css)
        self.ask("ElementSendKeys", "POST", f"element/{id}/value", {"id": id, "text": text})

    def open(self, url):
        self.ask("Navigate", "POST", "url", {"url": url})

    def run(self, script):
        return self.ask("ExecuteScript", "POST", "execute/sync", {"script": script, "args": [], "sandbox": None})

    def until(self, script, wanted=True, limit=PATIENCE):
        """Waits until a script answers what is wanted; anything but that is the message when it doesn't."""
        end = time.monotonic() + limit
        while (answer := self.run(script)) != wanted:
            assert time.monotonic() < end, f"{script} is {answer!r}, not {wanted!r}, after {limit} s"
            time.sleep(0.1)

    def picture(self, path):
        import base64
        Path(path).write_bytes(base64.b64decode(self.ask("TakeScreenshot", "GET", "screenshot", {"full": False})))

    def quit(self):
        if self.process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)  # a session of its own: the browser and all it started
        self.process.wait()


class Firefox(Driver):
    needs = ("firefox-esr",)

    def __init__(self, folder, dark=False, still=False):
        super().__init__()
        self.held = ports.held()
        port = ports.port_of(self.held)
        profile = Path(folder) / "firefox"
        profile.mkdir()
        wishes = {"marionette.port": port, "ui.prefersReducedMotion": int(still), "browser.shell.checkDefaultBrowser": False,
                  "layout.css.prefers-color-scheme.content-override": 0 if dark else 1, "app.update.enabled": False,
                  "datareporting.policy.dataSubmissionEnabled": False}
        (profile / "user.js").write_text("".join(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in wishes.items()))
        self.launch([shutil.which("firefox-esr"), "--headless", "--marionette", "--profile", str(profile), "--no-remote"],
                    env={**os.environ, "HOME": str(folder)})
        end = time.monotonic() + START_LIMIT
        while True:
            try:
                self.wire = socket.create_connection(("127.0.0.1", port), timeout=START_LIMIT)
                break
            except OSError:
                assert time.monotonic() < end and self.process.poll() is None, "Firefox opened no Marionette port"
                time.sleep(0.2)
        self.rest = b""
        self.told()
        self.number = 0
        self.ask("NewSession", "POST", "session", {})

    def told(self):
        """One message: its length, a colon, and as many bytes of JSON."""
        while b":" not in self.rest:
            self.more()
        length, _, self.rest = self.rest.partition(b":")
        while len(self.rest) < int(length):
            self.more()
        message, self.rest = self.rest[:int(length)], self.rest[int(length):]
        return json.loads(message)

    def more(self):
        data = self.wire.recv(65536)
        assert data, "Firefox closed its Marionette connection"
        self.rest += data

    def ask(self, name, method, path, body):
        self.number += 1
        message = json.dumps([0, self.number, f"WebDriver:{name}", body]).encode()
        self.wire.sendall(f"{len(message)}:".encode() + message)
        _, _, problem, answer = self.told()
        assert problem is None, problem
        return answer.get("value", answer) if isinstance(answer, dict) else answer


class WebKit(Driver):
    needs = ("WebKitWebDriver", "Xvfb")

    def __init__(self, folder, dark=False, still=False):
        super().__init__()
        self.held = ports.held()
        port = ports.port_of(self.held)
        settings = Path(folder) / "gtk-3.0"
        settings.mkdir()
        (settings / "settings.ini").write_text(f"[Settings]\ngtk-enable-animations={int(not still)}\n")
        with open(Path(folder) / "display", "wb+") as number:
            self.screen = subprocess.Popen([shutil.which("Xvfb"), "-displayfd", str(number.fileno()), "-screen", "0", "1400x1000x24", "-nolisten", "tcp"],
                                           stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, pass_fds=[number.fileno()])
            end = time.monotonic() + START_LIMIT
            while not (display := Path(number.name).read_text().strip()):
                assert time.monotonic() < end and self.screen.poll() is None, "Xvfb did not start"
                time.sleep(0.1)
        self.launch([shutil.which("WebKitWebDriver"), f"--port={port}"], env={
            **os.environ, "DISPLAY": f":{display}", "WEBKIT_DISABLE_DMABUF_RENDERER": "1", "XDG_CONFIG_HOME": str(folder), "HOME": str(folder),
            "GTK_THEME": "Adwaita:dark" if dark else "Adwaita"})
        self.place = f"http://127.0.0.1:{port}/session"
        browser = next(Path("/usr/lib").glob("*/webkit2gtk-4.*/MiniBrowser"))
        wish = {"browserName": "MiniBrowser", "webkitgtk:browserOptions": {"binary": str(browser), "args": ["--automation"]}}
        end = time.monotonic() + START_LIMIT
        while True:
            try:
                made = self.ask("", "POST", "", {"capabilities": {"alwaysMatch": wish}})
                break
            except OSError:
                assert time.monotonic() < end and self.process.poll() is None, "WebKitWebDriver did not start"
                time.sleep(0.2)
        self.place += f"/{made['sessionId']}"

    def ask(self, name, method, path, body):
        data = json.dumps(body).encode() if method == "POST" else None
        order = urllib.request.Request(f"{self.place}/{path}".rstrip("/"), data, {"content-type": "application/json"}, method=method)
        with urllib.request.urlopen(order, timeout=START_LIMIT) as answer:
            return json.load(answer)["value"]

    def quit(self):
        super().quit()
        self.screen.kill()
        self.screen.wait()
