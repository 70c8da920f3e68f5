# SPDX-License-Identifier: Apache-2.0
"""The server is killed at random moments, again and again: what it announced as complete is on the disk, byte-exact,
and what was not goes on where it stood.

HEADWAY_SEED repeats a run; the seed is printed where one fails.
"""
import contextlib
import hashlib
import http.client
import json
import os
import random
import signal
import threading
import time

import pytest
from websockets.exceptions import WebSocketException
from websockets.sync.client import connect

from origin import Origin, content
from patience import PATIENCE
from server import Headway

ACTIVE = 3


class PacedOrigin(Origin):
    """`/paced/SIZE/RATE/NAME`: a file at so many bytes a second; `/blind/…`: the same without length, ranges or ETag."""

    def answer(self, request):
        word, size, rate, name = request.path.strip("/").split("/")
        size, rate = int(size), int(rate)
        body, etag = content(size, name.encode()), f'"{name}"'
        first = self.first_byte(request, size, etag) if word == "paced" else 0
        headers = {"Connection": "close"}
        if word == "paced":
            headers |= {"Content-Length": str(size - first), "ETag": etag, "Accept-Ranges": "bytes"}
        if first:
            headers["Content-Range"] = f"bytes {first}-{size - 1}/{size}"
        request.close_connection = True
        self.head(request, 206 if first else 200, headers)
        begin, step = time.monotonic(), 32_768
        for at in range(first, size, step):
            request.wfile.write(body[at:at + step])
            time.sleep(max(0, begin + (at + step - first) / rate - time.monotonic()))


class Run:
    """One life of the server, and all that it announced."""

    def __init__(self, headway):
        self.headway = headway
        self.frames = []
        self.moved, self.told = threading.Event(), threading.Event()
        self.thread = threading.Thread(target=self.listen, daemon=True)
        self.thread.start()

    def listen(self):
        with contextlib.suppress(OSError, EOFError, WebSocketException):
            with connect(self.headway.ws(), max_size=65536, compression=None, ping_interval=None, max_queue=None,
                         proxy=None, open_timeout=PATIENCE, close_timeout=1) as socket:
                is_ready = False
                for message in socket:
                    self.frames.append(json.loads(message))
                    is_ready = is_ready or self.frames[-1]["type"] == "ready"
                    if self.frames[-1].get("state") == "finishing":
                        self.moved.set()
                    if is_ready and self.frames[-1]["type"] == "complete":
                        self.told.set()

    def kill(self):
        self.headway.stop(signal.SIGKILL)
        self.thread.join(PATIENCE)
        assert not self.thread.is_alive()


class Killing:
    def __init__(self, folder, web, seed):
        self.folder, self.web, self.dice = folder, web, random.Random(seed)
        self.origin = PacedOrigin()
        self.made = {}          # key -> (body of the request, digest)
        self.keys = {}          # id -> key
        self.order = []         # ids in the order in which they were made
        self.ends = {}          # id -> the complete that was announced
        self.checked = {}       # name of a file -> its status when it was found whole
        self.announced = self.found_running = 0

    def start(self):
        headway = Headway(self.folder, self.web, "--max-active", str(ACTIVE), "--max-per-host", str(ACTIVE))
        log = "".join(headway.log)
        assert "set aside" not in log, log
        return headway

    def round(self, until=None):
        headway = self.start()
        self.check(headway)
        run = Run(headway)
        with contextlib.suppress(OSError, http.client.HTTPException):
            self.fill(headway)
        what = self.dice.random()
        if until:
            until(run)
        elif what < 0.45:
            # The last steps take a few milliseconds: to hit them, wait for their beginning.
            run.moved.wait(PATIENCE)
            time.sleep(self.dice.uniform(0, 0.02))
        elif what < 0.9:
            time.sleep(self.dice.uniform(0, 0.6))
        else:
            self.until_told(run)
        run.kill()
        self.listen(run)

    @staticmethod
    def until_told(run):
        assert run.told.wait(PATIENCE), "nothing came to its end"

    def fill(self, headway):
        """Three that run and one that waits, at least; an order that was cut off is given again, with its key."""
        for key in [k for k in self.made if k not in self.keys.values()]:
            self.order_one(headway, key)
        unfinished = [t for t in self.listed(headway) if t["outcome"] is None]
        for _ in range(ACTIVE + 1 - len(unfinished)):
            size = self.dice.choice([1, 4000, 300_000, 1_000_000, 2_500_000])
            key = f"k{len(self.made)}"
            # Now and then two of one name: the second is stored under another.
            name = self.dice.choice([f"{key}.bin", f"same-{size}.bin"])
            word = self.dice.choice(["paced", "paced", "paced", "blind"])
            rate = self.dice.choice([2_000_000, 8_000_000])
            self.made[key] = ({"kind": "download", "url": self.origin.url(f"/{word}/{size}/{rate}/{name}")},
                              content(size, name.encode()))
            self.order_one(headway, key)

    def order_one(self, headway, key):
        answer = headway.api("POST", "transfers", self.made[key][0], {"Idempotency-Key": key})
        assert answer.status in (200, 201), answer.body
        if answer.json["id"] not in self.keys:
            self.keys[answer.json["id"]] = key
            self.order.append(answer.json["id"])

    @staticmethod
    def listed(headway):
        found, after = [], None
        while True:
            page = headway.api("GET", "transfers", limit=1000, **({"after": after} if after else {})).json
            found += page["transfers"]
            after = page["next"]
            if after is None:
                return found

    def listen(self, run):
        is_ready = False
        for frame in run.frames:
            is_ready = is_ready or frame["type"] == "ready"
            if frame["type"] != "complete":
                continue
            before = self.ends.setdefault(frame["id"], frame)
            same = ("outcome", "digest", "name", "bytes", "finishedAt")
            assert [before[k] for k in same] == [frame[k] for k in same], f"two ends: {before} and {frame}"
            if is_ready:
                self.announced += 1

    def check(self, headway):
        listed = self.listed(headway)
        ids = [t["id"] for t in listed]
        assert len(ids) == len(set(ids))
        rows = {t["id"]: t for t in listed}
        # What was answered is there, in its order.
        assert [i for i in reversed(ids) if i in self.keys] == self.order
        for id, end in self.ends.items():
            assert end["outcome"] == "succeeded", end
            assert (rows[id]["outcome"], rows[id]["digest"], rows[id]["name"]) == (
                "succeeded", end["digest"], end["name"])
            assert (self.folder / "files" / end["name"]).exists(), f"announced and gone: {end}"
        self.found_running += sum(t["outcome"] is None for t in listed)
        # Whatever has a final name is whole, announced or not.
        digests = {hashlib.sha256(body).digest() for _, body in self.made.values()}
        for file in (self.folder / "files").iterdir():
            status = file.stat()
            mark = (status.st_ino, status.st_size, status.st_mtime_ns)
            if self.checked.get(file.name) == mark:
                continue
            assert hashlib.sha256(file.read_bytes()).digest() in digests, f"{file.name} is not whole"
            assert file.name not in self.checked, f"{file.name} became another file"
            self.checked[file.name] = mark

    def finish(self):
        headway = self.start()
        self.check(headway)
        self.fill(headway)
        for id in self.order:
            end = headway.ended(id)
            assert end["outcome"] == "succeeded", end
            body = self.made[self.keys[id]][1]
            assert (self.folder / "files" / end["name"]).read_bytes() == body
        rows = self.listed(headway)
        assert len(rows) == len(self.made) == len(self.order)
        names = {t["name"] for t in rows}
        # One file each, and nothing left over: what was whole before a crash was adopted, not fetched twice.
        assert names == {p.name for p in (self.folder / "files").iterdir()} and len(names) == len(rows)
        assert list((self.folder / "parts").iterdir()) == []
        # First come, first served, over all starts.
        begun = [next(t["startedAt"] for t in rows if t["id"] == id) for id in self.order]
        assert all(a <= b for a, b in zip(begun, begun[ACTIVE:])), begun
        assert headway.stop() == 0, "".join(headway.log)
        self.origin.close()


@pytest.mark.parametrize("rounds", [15, pytest.param(200, marks=[pytest.mark.long, pytest.mark.timeout(1800)])])
def test_nothing_announced_is_lost_and_nothing_else_is_stuck(rounds, tmp_path, web):
    seed = int(os.environ.get("HEADWAY_SEED") or random.SystemRandom().randrange(2**32))
    print(f"HEADWAY_SEED={seed}")
    killing = Killing(tmp_path / "data", web, seed)
    for _ in range(rounds):
        killing.round()
    if not killing.announced:
        killing.round(until=killing.until_told)
    killing.finish()
    print(f"{rounds} kills, {len(killing.order)} transfers, {killing.announced} ends announced as news, "
          f"{killing.found_running} found unfinished after a start")
    assert killing.announced > 0 and killing.found_running > rounds
