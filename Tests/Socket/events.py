# SPDX-License-Identifier: Apache-2.0
"""A viewer over the event stream, each of whose frames is checked."""
import http.client
import time

from frame_probe import FrameProbe
from patience import PATIENCE
from raw_socket import RawSocket


class EventViewer:
    """Like `viewer.Viewer`, without commands."""

    def __init__(self, headway, probe=None, headers=None, port=None, prefix="", **query):
        """By way of a proxy on `port`, if there is one, that has the server below `prefix`."""
        self.probe = probe or FrameProbe()
        self.probe.connected()
        self.connection = http.client.HTTPConnection("127.0.0.1", port or headway.port, timeout=PATIENCE)
        self.connection.request("GET", prefix + "/api/v1/events" + headway._query(query), headers=headers or {})
        self.response = self.connection.getresponse()
        assert self.response.status == 200, self.response.read()
        assert self.response.headers["Content-Type"].split(";")[0] == "text/event-stream"
        self.last_id = None
        self.data = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.response.close()
        self.connection.close()

    def read(self):
        """The frames of the next event."""
        while True:
            line = self.response.readline()
            assert line, "the stream ended"
            name, _, value = line.decode().rstrip("\r\n").partition(":")
            value = value.removeprefix(" ")
            if line.strip():
                assert name in ("", "id", "data", "retry"), f"an unexpected line: {line!r}"
                if name == "id":
                    self.last_id = value
                elif name == "data":
                    self.data.append(value)
            elif self.data:
                frames = self.probe.take("\n".join(self.data))
                self.data = []
                seq = [f["seq"] for f in frames if "seq" in f]
                assert not seq or self.last_id == f"{self.probe.epoch}:{seq[-1]}", self.last_id
                return frames

    def until(self, wanted, within=PATIENCE):
        end = time.monotonic() + within
        while time.monotonic() < end:
            for frame in self.read():
                if wanted(frame):
                    return frame
        raise AssertionError(f"it did not come; the last were {self.probe.frames[-4:]}")

    def until_ready(self):
        self.until(lambda f: f["type"] == "ready")
        return self

    def until_complete(self, id, within=PATIENCE):
        return self.until(lambda f: f["type"] == "complete" and f["id"] == id, within)


class RawEvents(RawSocket):
    """An event stream whose reader may stop: bytes in, events out, as `RawSocket` has frames."""

    def open(self):
        self.head("GET", "/api/v1/events")
        return self.status()

    def _parse(self):
        event, found, rest = self.buffer.partition(b"\n\n")
        if not found:
            return None
        self.buffer = rest
        return 1, b"\n".join(line[6:] for line in event.split(b"\n") if line.startswith(b"data: "))
