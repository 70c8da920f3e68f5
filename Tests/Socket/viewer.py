# SPDX-License-Identifier: Apache-2.0
"""A viewer over a WebSocket, each of whose frames is checked."""
import collections
import contextlib
import itertools
import json
import time

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from frame_probe import FrameProbe
from patience import PATIENCE

CREATES = ("download", "demo", "task", "retry")


class Viewer:
    """One connection after the other to a server, with one probe."""

    def __init__(self, headway, probe=None, headers=None, options=None, **query):
        self.probe = probe or FrameProbe()
        self.probe.connected()
        self.refs = itertools.count(1)
        self.prefix = f"v{id(self)}-"
        self.unread = collections.deque()
        self.stack = contextlib.ExitStack()
        self.socket = self.stack.enter_context(
            connect(headway.ws(**query), max_size=65536, compression=None, ping_interval=None, max_queue=None,
                    additional_headers=headers, proxy=None, open_timeout=PATIENCE, close_timeout=3, **(options or {})))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.stack.close()

    def read(self, within=PATIENCE):
        """The frames of the next message."""
        return self.probe.take(self.socket.recv(within))

    def until(self, wanted, within=PATIENCE):
        """Reads until a frame is wanted, and returns that one; what came with it is there for the next time."""
        end = time.monotonic() + within
        while True:
            while self.unread:
                if wanted(frame := self.unread.popleft()):
                    return frame
            left = end - time.monotonic()
            assert left > 0, f"it did not come; the last were {self.probe.frames[-4:]}"
            with contextlib.suppress(TimeoutError):
                self.unread.extend(self.read(left))

    def until_ready(self):
        self.until(lambda f: f["type"] == "ready")
        return self

    def until_complete(self, id, within=PATIENCE):
        """Its end, also where that was read while something else was awaited."""
        for frame in self.probe.of(id, "complete"):
            return frame
        return self.until(lambda f: f["type"] == "complete" and f["id"] == id, within)

    def until_row(self, id, wanted):
        """Reads until the row is as wanted, which it may be already; returns it."""
        while not (id in self.probe.table and wanted(self.probe.table[id])):
            self.until(lambda f: f.get("id") == id)
        return self.probe.table[id]

    def until_state(self, id, *states):
        return self.until(lambda f: f.get("id") == id and f.get("state") in states)

    def send(self, op, ref=None, **members):
        """Sends a command; returns its mark."""
        ref = f"{self.prefix}{next(self.refs)}" if ref is None else ref
        # With a key it may be a transfer that everybody knows already.
        if op in CREATES and "key" not in members:
            self.probe.pending[ref] = True
        self.socket.send(json.dumps({"op": op, "ref": ref, **members}))
        return ref

    def ask(self, op, **members):
        """Sends a command and waits for its answer."""
        ref = self.send(op, **members)
        return self.until(lambda f: f["type"] == "ack" and f["ref"] == ref)

    def made(self, op, **members):
        """Makes a transfer and returns its id."""
        ack = self.ask(op, **members)
        assert ack["ok"], ack
        return ack["id"]

    def closed(self, within=PATIENCE):
        """Reads until the server closes; returns code and reason."""
        end = time.monotonic() + within
        try:
            while True:
                assert time.monotonic() < end, "it was not closed"
                self.read(max(end - time.monotonic(), 0.01))
        except ConnectionClosed as closed:
            assert closed.rcvd is not None, "it was cut without a close frame"
            return closed.rcvd.code, closed.rcvd.reason
