# SPDX-License-Identifier: Apache-2.0
"""The real server as a process, and what a test says to it."""
import http.client
import json
import os
import pathlib
import queue
import re
import signal
import subprocess
import threading
import time
import urllib.parse

import ports
from frame_probe import PROBLEMS, TRANSFERS, is_valid
from patience import PATIENCE

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BINARY = os.environ.get("HEADWAY_BINARY") or str(ROOT / ".build/release/headway")
# The address sanitizer keeps what was freed for a while: how much memory is taken says nothing then.
JUDGES_MEMORY = "ASAN_OPTIONS" not in os.environ
# What an id looks like, and no transfer has. Tests are named after it: it is the same in every process that runs some.
NOBODYS_ID = "5d6ad1f8-1a52-4c2e-9b0f-6a3e8c7d2b41"
# A test holds something back for as long as it needs, and a slow machine needs long: a server's patience ends only where
# a test is about that, and says how long it is.
PATIENT = ["--stall-limit", "3600000", "--upload-silence", "86400", "--upload-rate", "0", "--task-lease", "86400"]


def ask(port, method, path, body=None, headers=None, source="127.0.0.1"):
    """One request on a connection of its own, from that address of this machine."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE, source_address=(source, 0))
    try:
        connection.request(method, path, body, headers or {})
        return Answer(connection.getresponse())
    finally:
        connection.close()


class Answer:
    """An HTTP answer, read whole."""

    def __init__(self, response):
        self.status, self.headers, self.body = response.status, response.headers, response.read()

    @property
    def json(self):
        return json.loads(self.body)

    def problem(self, status, code=None):
        """Checks that this is a problem of that status and code; returns it."""
        assert self.status == status, f"{self.status} {self.body[:300]}"
        assert self.headers["Content-Type"].startswith("application/problem+json"), self.headers["Content-Type"]
        is_valid(PROBLEMS, self.json)
        assert self.json["status"] == status
        assert code in (None, self.json["code"]), self.json
        return self.json

    def transfer(self, status=200):
        """Checks that this is a transfer with that status; returns it."""
        assert self.status == status, f"{self.status} {self.body[:300]}"
        assert self.headers["Content-Type"].startswith("application/json")
        is_valid(TRANSFERS, self.json)
        return self.json


class Headway:
    """One run of `headway serve` over a data folder."""

    def __init__(self, data, web, *flags, environment=None):
        # The next one over the same folder may want the same port.
        self.held = ports.held()
        # A flag that is given twice counts as it was given last.
        self.process = subprocess.Popen(
            [BINARY, "serve", "--listen", f"127.0.0.1:{ports.port_of(self.held)}", "--data", str(data), "--web", str(web),
             "--allow-net", "127.0.0.0/8", *PATIENT, *flags],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={k: v for k, v in os.environ.items() if not k.startswith("HEADWAY_")} | (environment or {}))
        self.log = []
        lines = queue.Queue()
        threading.Thread(target=self._read, args=(self.process.stdout, lines.put), daemon=True).start()
        threading.Thread(target=self._read, args=(self.process.stderr, self.log.append), daemon=True).start()
        line = lines.get(timeout=PATIENCE)
        said = re.fullmatch(r"Headway is at (http://127\.0\.0\.1:(\d+)/)\n", line or "")
        assert said, f"it said {line!r}, and on standard error {''.join(self.log)!r}"
        self.address, self.port = said[1].rstrip("/"), int(said[2])

    @staticmethod
    def _read(stream, take):
        for line in stream:
            take(line)
        take("")

    def stop(self, number=signal.SIGTERM, within=PATIENCE):
        """Ends it; returns the exit status."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        try:
            return self.process.wait(within)
        finally:
            if self.process.poll() is None:
                self.process.kill()

    def report(self):
        """What a sanitizer said, if it was built with one."""
        log = "".join(self.log)
        return log[log.find("Sanitizer"):][:4000] if "Sanitizer" in log else None

    def resident_bytes(self):
        text = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+) kB", text)[1]) * 1024

    def ws(self, path="/api/v1/ws", **query):
        return f"ws://127.0.0.1:{self.port}{path}" + self._query(query)

    @staticmethod
    def _query(query):
        pairs = [(k, v) for k, values in query.items() for v in (values if isinstance(values, list) else [values])]
        return "?" + urllib.parse.urlencode(pairs) if pairs else ""

    # HTTP.

    def request(self, method, path, body=None, headers=None, **query):
        if isinstance(body, (dict, list)):
            body = json.dumps(body)
            headers = {"Content-Type": "application/json", **(headers or {})}
        return ask(self.port, method, path + self._query(query), body, headers)

    def api(self, method, path, body=None, headers=None, **query):
        return self.request(method, "/api/v1/" + path, body, headers, **query)

    def download(self, url, headers=None, **more):
        return self.api("POST", "transfers", {"kind": "download", "url": url, **more}, headers)

    def demo(self, headers=None, **more):
        return self.api("POST", "transfers", {"kind": "demo", **more}, headers)

    def transfer(self, id):
        return self.api("GET", f"transfers/{id}").transfer()

    def wait_for(self, id, what):
        """Asks until the transfer is as wanted; for tests that look at HTTP alone."""
        end = time.monotonic() + PATIENCE
        while True:
            transfer = self.transfer(id)
            if what(transfer):
                return transfer
            assert time.monotonic() < end, f"it stayed {json.dumps(transfer)}"
            time.sleep(0.02)

    def ended(self, id):
        return self.wait_for(id, lambda t: t["outcome"])
