# SPDX-License-Identifier: Apache-2.0
"""A viewer in a bad network: it comes back whenever it is cut, and holds what it was told against the rules."""
import asyncio
import collections
import contextlib
import datetime
import itertools
import json
import random
import socket
import uuid

from websockets.asyncio.client import connect
from websockets.exceptions import InvalidHandshake, WebSocketException

from frame_probe import FrameProbe

GROUPS = ("north", "east", "south", "west")
# Seconds in which something comes over a connection that lives, and a connection comes about.
SILENCE = 30
# A frame of a closed socket in the middle of a message, or an answer that is none: the network's doing.
LOSSES = (OSError, EOFError, TimeoutError, WebSocketException, InvalidHandshake)


class ChaosProbe(FrameProbe):
    """The rules of the wire without the schema, which is too slow for thousands of frames a second."""

    def __init__(self):
        super().__init__()
        self.frames = collections.deque(maxlen=12)
        self.counts = collections.Counter()
        self.joined_at = None   # since when it has been told of each end

    def check(self, frame):
        self.counts[frame["type"]] += 1
        if frame["type"] == "hello":
            self.counts["resumed" if frame["resumed"] else "fresh"] += 1
            if not frame["resumed"]:
                self.joined_at = datetime.datetime.fromisoformat(frame["at"])
        elif frame["type"] == "heartbeat" and "open" in frame:
            self.counts["compared"] += 1


class ChaosClient:
    """One client with a filter and a pace of its own, over a WebSocket or the event stream."""

    def __init__(self, number, seed, proxy, known):
        self.number, self.proxy, self.known = number, proxy, known
        self.chance = random.Random(f"client {number} {seed}")
        self.is_stream = number % 3 == 2
        self.filter = self.any_filter()
        self.probe = ChaosProbe()
        self.refs = itertools.count(1)
        self.done = collections.Counter()
        self.mismatches = []

    def any_filter(self):
        """A random one; often everything."""
        what = self.chance.randrange(6)
        if what == 0:
            return {"kind": [self.chance.choice(("demo", "download"))]}
        if what == 1:
            return {"group": self.chance.sample(GROUPS, self.chance.randrange(1, 4))}
        if what == 2:
            named = self.chance.sample(self.known, min(len(self.known), 4))
            return {"id": [*named, str(uuid.UUID(int=self.chance.getrandbits(128)))]}
        if what == 3:
            return {"group": [self.chance.choice(GROUPS)], "kind": ["demo"]}
        return {}

    def matches(self, row):
        return all(row[key] in values for key, values in self.filter.items())

    async def live(self):
        """Connects again and again, until it is cancelled."""
        while True:
            with contextlib.suppress(*LOSSES):
                await (self._stream() if self.is_stream else self._socket())
            self.done["lost"] += 1
            await asyncio.sleep(self.chance.uniform(0.02, 0.3))

    def take(self, message):
        try:
            self.probe.take(message)
        except (AssertionError, KeyError) as wrong:
            last = [json.dumps(frame)[:300] for frame in self.probe.frames]
            self.mismatches.append(f"client {self.number} {self.filter}: {wrong!r}\n  " + "\n  ".join(last))
            # One fault is told once: it begins anew.
            self.probe.epoch = None
            raise EOFError from wrong

    def point(self):
        """Where it goes on: mostly where it was."""
        if self.probe.epoch is None or self.chance.random() < 0.05:
            return {"epoch": "nonsense", "seq": self.chance.randrange(1000)} if self.chance.random() < 0.5 else {}
        return {"epoch": self.probe.epoch, "seq": self.probe.seq}

    def small_socket(self):
        """Whose receiver fills soon when nothing is read."""
        one = socket.socket()
        one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8192)
        one.setblocking(False)
        return one

    async def connected(self):
        one = self.small_socket()
        try:
            async with asyncio.timeout(SILENCE):
                await asyncio.get_running_loop().sock_connect(one, ("127.0.0.1", self.proxy.port))
        except BaseException:
            one.close()
            raise
        return one

    async def _socket(self):
        self.probe.connected()
        pairs = [(key, value) for key, values in self.filter.items() for value in values]
        pairs += self.point().items()
        pairs += [("batch", 1)] * self.chance.randrange(2) + [("interval", self.chance.choice((50, 200, 1000)))]
        address = f"ws://127.0.0.1:{self.proxy.port}/api/v1/ws?" + "&".join(f"{k}={v}" for k, v in pairs)
        async with connect(address, sock=await self.connected(), compression=None, ping_interval=None, max_size=65536,
                           max_queue=2, open_timeout=SILENCE, close_timeout=0.2, proxy=None) as connection:
            self.done["connected"] += 1
            while True:
                async with asyncio.timeout(SILENCE):
                    message = await connection.recv()
                self.take(message)
                await self._whim(connection)

    async def _whim(self, connection):
        """Now and then it stops reading, goes, or asks for something else."""
        if self.proxy.is_calm or self.chance.random() > 0.02:
            return
        what = self.chance.choice(("stop", "stop", "go", "watch", "pace", "sync", "ping"))
        self.done[what] += 1
        if what == "stop":
            await asyncio.sleep(self.chance.uniform(0.2, 3))
        elif what == "go":
            raise EOFError
        else:
            order = {"op": what, "ref": f"{self.number}-{next(self.refs)}"}
            if what == "watch":
                self.filter = self.any_filter()
                order |= self.filter
            elif what == "pace":
                order["interval"] = self.chance.choice((50, 300, 2000))
            async with asyncio.timeout(SILENCE):
                await connection.send(json.dumps(order))

    async def _stream(self):
        self.probe.connected()
        pairs = [(key, value) for key, values in self.filter.items() for value in values]
        pairs.append(("interval", self.chance.choice((50, 200, 1000))))
        point = self.point()
        last = f"Last-Event-ID: {point['epoch']}:{point['seq']}\r\n" if point else ""
        reader, writer = await asyncio.open_connection(sock=await self.connected(), limit=128 * 1024)
        try:
            writer.write((f"GET /api/v1/events?{'&'.join(f'{k}={v}' for k, v in pairs)} HTTP/1.1\r\n"
                          f"Host: 127.0.0.1:{self.proxy.port}\r\n{last}\r\n").encode())
            async with asyncio.timeout(SILENCE):
                head = await reader.readuntil(b"\r\n\r\n")
            if not head.startswith(b"HTTP/1.1 200"):
                raise EOFError
            self.done["connected"] += 1
            while True:
                async with asyncio.timeout(SILENCE):
                    event = await reader.readuntil(b"\n\n")
                data = [line[5:].strip() for line in event.decode().splitlines() if line.startswith("data:")]
                if data:
                    self.take("\n".join(data))
                if not self.proxy.is_calm and self.chance.random() < 0.01:
                    self.done["stop"] += 1
                    await asyncio.sleep(self.chance.uniform(0.2, 3))
        finally:
            writer.transport.abort()

    # What it holds, against what is.

    def differences(self, truth):
        """Between its table and the server's: one line each. How long it took is told with the end only."""
        if self.probe.hello is None or not self.probe.is_ready:
            return ["it has no table"]
        mine = {id: {k: v for k, v in row.items() if k not in ("type", "seq", "at")}
                for id, row in self.probe.table.items()}
        found = [f"{id} is not there any more" for id in mine if id not in truth]
        found += [f"{id}: {key} is {row.get(key)!r}, should be {truth[id][key]!r}"
                  for id, row in mine.items() if id in truth for key in truth[id]
                  if row.get(key) != truth[id][key] and not (key == "elapsed" and row["outcome"] is None)]
        found += [f"{id}: {row['state']} and missing" for id, row in truth.items()
                  if id not in mine and self.matches(row) and self.owes(row)]
        return found

    def owes(self, row):
        """Whether it has to be in the table: it goes on, ended meanwhile, or was asked for by name."""
        if row["outcome"] is None or "id" in self.filter:
            return True
        return datetime.datetime.fromisoformat(row["finishedAt"]) > self.probe.joined_at
