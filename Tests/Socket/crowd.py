# SPDX-License-Identifier: Apache-2.0
"""Many watchers of everything in one thread: some read as fast as they can, some as a slow link would."""
import concurrent.futures
import http.client
import json
import re
import selectors
import time

from patience import PATIENCE
from raw_socket import RawSocket

ID = re.compile(rb'"id":"([0-9a-f-]{36})"')
TICK = 0.1


class Watcher(RawSocket):
    """Reads at most `rate` bytes a second (None: all there is), and notes when each row was told, if it `counts`."""

    def __init__(self, port, rate=None, counts=True):
        super().__init__(port, receive_buffer=16_384 if rate else None)
        self.rate, self.counts = rate, counts
        self.told, self.tail, self.bytes, self.is_ready, self.is_open = {}, b"", 0, False, True

    def upgrade(self, *arguments, **names):
        status = super().upgrade(*arguments, **names)
        self.tail = self.buffer
        return status

    def take(self, limit=1 << 20):
        try:
            data = self.socket.recv(limit)
        except BlockingIOError:
            return
        except ConnectionError:
            data = b""
        self.is_open = bool(data)
        self.bytes += len(data)
        if not self.counts:
            return
        data = self.tail + data
        now = time.monotonic()
        self.told.update((id, now) for id in ID.findall(data))
        self.is_ready = self.is_ready or b'"type":"ready"' in data
        # An id or a word may go on in what comes next.
        self.tail = data[-60:]


def read(watchers, seconds, until=lambda: False, look=lambda: None):
    """Reads for so long, or until; looks around ten times a second, and says that it lives every five seconds."""
    selector = selectors.DefaultSelector()
    for watcher in watchers:
        watcher.socket.setblocking(False)
        if watcher.rate is None:
            selector.register(watcher.socket, selectors.EVENT_READ, watcher)
    slow = [watcher for watcher in watchers if watcher.rate]
    end = due = pong = time.monotonic()
    end += seconds
    while time.monotonic() < end and not until():
        for key, _ in selector.select(max(due - time.monotonic(), 0)):
            key.data.take()
        if time.monotonic() >= due:
            due += TICK
            look()
            for watcher in slow:
                watcher.take(int(watcher.rate * TICK))
        if time.monotonic() >= pong:
            pong += 5
            for watcher in watchers:
                # With a payload: of a pong that has none libwebsockets tells its server nothing.
                watcher.frame(10, b"alive")
    selector.close()
    return until()


def demos(headway, count, **members):
    """Makes so many transfers at once; returns their ids."""
    def some(numbers):
        connection = http.client.HTTPConnection("127.0.0.1", headway.port, timeout=PATIENCE)
        ids = []
        for number in numbers:
            body = json.dumps({"kind": "demo", "name": f"row {number}", **members})
            connection.request("POST", "/api/v1/transfers", body, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            ids.append(json.loads(answer.read())["id"])
            assert answer.status == 201
        connection.close()
        return ids

    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        return [id for ids in pool.map(some, [range(n, count, 16) for n in range(16)]) for id in ids]
