# SPDX-License-Identifier: Apache-2.0
"""A Chromium of one's own, told what to do in its own protocol and no more.

What drives a browser for tests puts scripts of its own into each page; with a slowed processor they take longer than the
page does. Here nothing runs in the page but what a measurement puts there.
"""
import json
import re
import shutil
import subprocess
import tempfile
import urllib.request

from websockets.sync.client import connect

ABOUT = re.compile(r"DevTools listening on (ws://(\S+?)/)")


class Chromium:
    """One window with one page, fresh: no cache, no profile."""

    def __init__(self, program):
        self.profile = tempfile.mkdtemp(prefix="headway-bench-")
        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--no-first-run", "--remote-debugging-port=0", "--remote-allow-origins=*",
             f"--user-data-dir={self.profile}", "about:blank"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        host = next(match[2] for line in self.process.stderr if (match := ABOUT.search(line)))
        with urllib.request.urlopen(f"http://{host}/json", timeout=20) as answer:
            page = next(each for each in json.load(answer) if each["type"] == "page")
        self.socket = connect(page["webSocketDebuggerUrl"], max_size=None)
        self.number = 0

    def call(self, method, **fields):
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": fields}))
        while True:
            answer = json.loads(self.socket.recv(60))
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]

    def value(self, expression):
        return json.loads(self.call("Runtime.evaluate", expression=f"JSON.stringify({expression})")["result"]["value"])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)
