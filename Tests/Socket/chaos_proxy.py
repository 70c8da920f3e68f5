# SPDX-License-Identifier: Apache-2.0
"""A network between clients and the server, as bad as a seed makes it."""
import asyncio
import collections
import contextlib
import random

PIECE = 16 * 1024


class Proxy:
    """Carries bytes both ways; whoever inherits from it does harm."""

    def __init__(self):
        self.target = None      # the server's port; what comes while it is down is refused
        self.links = set()

    async def __aenter__(self):
        self.listener = await asyncio.start_server(self._accept, "127.0.0.1", 0, limit=PIECE)
        self.port = self.listener.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_):
        self.listener.close()
        for link in list(self.links):
            link.cut()
        await asyncio.gather(*(link.over.wait() for link in list(self.links)))

    async def _accept(self, reader, writer):
        try:
            far = await asyncio.open_connection("127.0.0.1", self.target, limit=PIECE)
        except OSError:
            writer.transport.abort()
            return
        link = Link(self, (reader, writer), far)
        self.links.add(link)
        try:
            await link.carry()
        finally:
            self.links.discard(link)

    async def trouble(self, link):
        """What happens to a link while it lives."""

    def passes(self, link, data):
        """What of the server's bytes goes on to the client."""
        return data


class Link:
    """One connection of a client, and the one to the server that belongs to it."""

    def __init__(self, proxy, client, server):
        self.proxy, self.client, self.server = proxy, client, server
        self.flows = {"up": asyncio.Event(), "down": asyncio.Event()}
        self.half_closed = set()
        self.over = asyncio.Event()
        for flow in self.flows.values():
            flow.set()

    async def carry(self):
        trouble = asyncio.create_task(self.proxy.trouble(self))
        try:
            await asyncio.gather(self._pump(self.client[0], self.server[1], "up"),
                                 self._pump(self.server[0], self.client[1], "down"))
        finally:
            trouble.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await trouble
            self.cut()
            self.over.set()

    async def _pump(self, reader, writer, way):
        writer.transport.set_write_buffer_limits(PIECE)
        try:
            while data := await reader.read(PIECE):
                await self.flows[way].wait()
                if way in self.half_closed:
                    continue
                writer.write(self.proxy.passes(self, data) if way == "down" else data)
                await writer.drain()
            writer.write_eof()
        except OSError:
            self.cut()

    def cut(self):
        """Both ends see a reset, or an end without a goodbye."""
        for _, writer in (self.client, self.server):
            writer.transport.abort()
        for flow in self.flows.values():
            flow.set()

    def half_close(self, way):
        """One direction has ended; the other goes on."""
        self.half_closed.add(way)
        (self.server if way == "up" else self.client)[1].write_eof()


class ChaosProxy(Proxy):
    """Cuts, holds back and half-closes, until it is told to be calm."""

    def __init__(self, seed):
        super().__init__()
        self.chance = random.Random(f"proxy {seed}")
        self.is_calm = False
        self.done = collections.Counter()

    async def trouble(self, link):
        chance = random.Random(self.chance.random())
        while True:
            await asyncio.sleep(chance.uniform(0.3, 5))
            if self.is_calm:
                continue
            what, way = chance.choice(("cut", "half-close", "delay", "delay", "delay")), chance.choice(("up", "down"))
            self.done[what] += 1
            if what == "cut":
                link.cut()
            elif what == "half-close":
                link.half_close(way)
                await asyncio.sleep(chance.uniform(0.1, 2))
                link.cut()
            else:
                link.flows[way].clear()
                await asyncio.sleep(chance.uniform(0.05, 2))
                link.flows[way].set()


class LosingProxy(Proxy):
    """Loses messages of a WebSocket's server, as no network would, but a fault of ours might."""

    def __init__(self):
        super().__init__()
        self.is_lost = lambda message: False
        self.lost = []
        self.left = collections.defaultdict(bytes)

    def passes(self, link, data):
        data = self.left.pop(link, b"") + data
        if data.startswith(b"HTTP/"):
            end = data.find(b"\r\n\r\n")
            if end < 0:
                self.left[link] = data
                return b""
            return data[:end + 4] + self.passes(link, data[end + 4:])
        passed = b""
        while (length := self._length(data)) is not None:
            message, data = data[:length[1]], data[length[1]:]
            if message[0] & 15 == 1 and self.is_lost(text := message[length[0]:].decode()):
                self.lost.append(text)
            else:
                passed += message
        self.left[link] = data
        return passed

    @staticmethod
    def _length(data):
        """Of the first message (RFC 6455, section 5.2): of its head, and in all; None when it is not whole."""
        if len(data) < 2:
            return None
        length, head = data[1] & 127, 2
        if length >= 126:
            head = 4 if length == 126 else 10
            length = int.from_bytes(data[2:head])
        return (head, head + length) if len(data) >= head + length else None
