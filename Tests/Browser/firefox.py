# SPDX-License-Identifier: Apache-2.0
"""Debian's Firefox, driven over WebDriver BiDi (https://w3c.github.io/webdriver-bidi/), which it speaks by itself."""

import contextlib
import itertools
import json
import re
import shutil
import subprocess
import threading

from websockets.sync.client import connect

from server import PATIENCE

# A browser is much to begin with.
START_LIMIT = ANSWER_LIMIT = 3 * PATIENCE
# First starts of a browser ask other machines for many things.
QUIET = {
    "app.update.enabled": False, "browser.safebrowsing.update.enabled": False,
    "browser.shell.checkDefaultBrowser": False, "datareporting.policy.dataSubmissionEnabled": False,
    "extensions.update.enabled": False, "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False, "services.settings.server": "", "toolkit.telemetry.enabled": False,
}


class Firefox:
    """One page in a headless Firefox with a profile of its own."""

    def __init__(self, profile):
        profile.mkdir()
        lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in QUIET.items()]
        (profile / "user.js").write_text("".join(lines))
        self.stack = contextlib.ExitStack()
        self.process = subprocess.Popen(
            [path(), "--headless", "--no-remote", "--profile", str(profile), "--remote-debugging-port", "0"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        watchdog = threading.Timer(START_LIMIT, self.process.kill)
        watchdog.start()
        lines, found = [], None
        for line in self.process.stderr:
            lines.append(line)
            if found := re.search(r"WebDriver BiDi listening on (ws://\S+)", line):
                break
        watchdog.cancel()
        if not found:
            self.close()
            raise RuntimeError("Firefox did not start: " + "".join(lines)[-2000:])
        # Nobody reads on, and a full pipe would stop it.
        threading.Thread(target=self.process.stderr.read, daemon=True).start()
        self.numbers = itertools.count(1)
        try:
            self.socket = self.stack.enter_context(connect(found[1] + "/session", max_size=1 << 24, proxy=None, open_timeout=PATIENCE,
                                                            ping_interval=None))
            self.ask("session.new", capabilities={})
            self.context = self.ask("browsingContext.getTree")["contexts"][0]["context"]
        except BaseException:
            self.close()  # nobody else would: whoever makes one gets none
            raise

    def ask(self, method, **parameters):
        number = next(self.numbers)
        self.socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            answer = json.loads(self.socket.recv(ANSWER_LIMIT))
            if answer.get("id") == number:
                assert answer["type"] == "success", answer
                return answer["result"]

    def goto(self, url):
        self.ask("browsingContext.navigate", context=self.context, url=url, wait="complete")

    def evaluate(self, function):
        """Calls a function in the page and awaits its answer, which has to be a text."""
        answer = self.ask("script.callFunction", functionDeclaration=function, awaitPromise=True,
                          target={"context": self.context})
        assert answer["type"] == "success", answer
        return answer["result"]["value"]

    def close(self):
        self.stack.close()
        self.process.kill()
        self.process.wait()
        self.process.stderr.close()


def path():
    return shutil.which("firefox-esr") or shutil.which("firefox")
