# SPDX-License-Identifier: Apache-2.0
"""A page whose server is played by the test: it says when a socket opens, what comes over it, and how it ends."""

import json
import time

from server import PATIENCE

BORN = "2026-11-30T02:14:51.120Z"


def ago(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(time.time() - seconds))


def transfer(number, **fields):
    """A transfer as the wire tells it, with what a test wants different."""
    return {
        "id": f"01900000-0000-7000-8000-{number:012}", "kind": "download", "state": "running", "name": f"file-{number:05}.bin",
        "group": None, "owner": None, "retryOf": None, "source": "https://example.org/a.bin", "target": None, "bytes": 0,
        "total": 1_000_000, "rate": None, "eta": None, "attempt": 1, "reason": None, "retryAt": None, "note": None,
        "outcome": None, "error": None, "createdAt": BORN, "startedAt": BORN, "finishedAt": None, "elapsed": 0,
        "digest": None, "href": None, "files": None, "result": None, **fields,
    }


def ended(number, outcome="succeeded", **fields):
    return transfer(number, **{"state": outcome, "outcome": outcome, "bytes": 1_000_000, "finishedAt": ago(60), **fields})


def everything():
    """A row in each state, a group, and something in the history."""
    group = {"group": "Holiday photos 2026", "total": 40_000_000}
    return [
        ended(1, name="field-recordings.zip", bytes=48_200_000, href="files/1/field-recordings.zip",
              digest="sha-256=:K7gNU3sdo+OL0wNhqoVWhr3g6s1xYv72ol/pe/Unols=:"),
        ended(2, "cancelled", name="old-mirror.tar", finishedAt=ago(90_000)),
        ended(3, "failed", name="old-catalogue.pdf", total=None, error={"code": "remote-status", "remoteStatus": 404}),
        transfer(4, name="backup-stream.tar", total=None, bytes=340_000_000, rate=8_000_000),
        transfer(5, name="atlas-scans.tar", kind="upload", bytes=101_000_000, total=240_000_000, rate=6_000_000, eta=23_000),
        transfer(6, name="lecture-07.webm", state="paused", bytes=28_000_000, total=88_000_000),
        transfer(7, name="waiting-for-a-place.iso", state="queued", total=None),
        transfer(8, name="a-mirror-with-a-name-that-goes-on-and-on-and-does-not-end-before-the-line.iso", state="retrying",
                 bytes=120_000_000, total=700_000_000, attempt=2, reason="remote-timeout", retryAt=ago(-300)),
        transfer(9, name="debian-12-netinst.iso", bytes=220_000_000, total=658_505_728, rate=24_000_000, eta=18_200),
        transfer(10, name="scan-001.tiff", bytes=30_000_000, rate=5_000_000, eta=2000, **group),
        transfer(11, name="scan-002.tiff", bytes=12_000_000, rate=3_000_000, eta=9300, **group),
        transfer(12, name="scan-003.tiff", state="queued", **group),
    ]


RATES = {"since": BORN, "interval": 1000,
         "rates": [0, 2e6, 5e6, 8e6, 7e6, 9e6, 12e6, 11e6, 3e6, 0, 0, 4e6, 9e6, 11e6, 12e6, 12e6],
         "attempts": [{"number": 1, "at": BORN, "reason": None}, {"number": 2, "at": ago(30), "reason": "remote-timeout"}]}


class Stage:
    def __init__(self, page, rows=()):
        self.page = page
        self.rows = list(rows)
        self.sockets = []
        self.commands = []
        self.seq = 100
        # What happens to a socket that opens: it is greeted, unless the test wants otherwise.
        self.opened = self.greet
        page.route_web_socket("**/api/v1/ws*", self._open)
        page.route("**/api/v1/transfers/*/rates", lambda route: route.fulfill(json=RATES))

    def _open(self, socket):
        self.sockets.append(socket)
        socket.on_message(lambda text: self._received(socket, json.loads(text)))
        self.opened(socket)

    def _received(self, socket, command):
        self.commands.append(command)
        made = transfer(9000 + len(self.commands))["id"]
        socket.send(json.dumps([{"type": "ack", "ref": command["ref"], "ok": True, "id": command.get("id", made)}]))

    def greet(self, socket, **fields):
        hello = {"type": "hello", "protocol": "headway.v1", "server": "stage", "epoch": "e", "seq": 0, "resumed": False,
                 "interval": 100, "heartbeat": 10_000, "at": ago(0), **fields}
        frames = [hello]
        for row in self.rows:
            frames.append({"type": "start", "seq": 0, **row})
            if row["outcome"]:
                frames.append({"type": "complete", "seq": 0, **row})
        frames.append({"type": "ready", "seq": self.seq})
        # A message of the real server is at most 64 KiB.
        for at in range(0, len(frames), 100):
            socket.send(json.dumps(frames[at:at + 100]))

    def tell(self, *frames):
        self.seq += len(frames)
        self.sockets[-1].send(json.dumps([{"seq": self.seq, **frame} for frame in frames]))

    def start(self, row):
        self.tell({"type": "start", **row})

    def progress(self, row, **fields):
        self.tell({"type": "progress", "id": row["id"], "state": "running", "attempt": 1, "rate": None, "eta": None, **fields})

    def complete(self, row, outcome="succeeded", **fields):
        self.tell({"type": "complete", **row, "state": outcome, "outcome": outcome, "finishedAt": ago(0), **fields})

    def until(self, is_met, limit=PATIENCE):
        end = time.monotonic() + limit
        while not is_met():
            assert time.monotonic() < end, self.commands
            self.page.wait_for_timeout(20)

    def go_away(self):
        """Neither a socket nor HTTP answers any more."""
        self.opened = lambda socket: None
        self.page.route("**/api/v1/**", lambda route: route.abort())
        self.close(1006)

    def close(self, code, reason="because"):
        self.sockets[-1].close(code=code, reason=reason)
