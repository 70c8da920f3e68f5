# SPDX-License-Identifier: Apache-2.0
"""Keeps a server busy: transfers are born, steered and forgotten, and now and then the server itself goes."""
import asyncio
import collections
import contextlib
import random
import signal
import time

from chaos_client import GROUPS
from patience import PATIENCE

LIMIT = 14      # unfinished transfers, about


class ChaosWork:
    """Orders over HTTP, past the bad network."""

    def __init__(self, seed, start, origin, proxy):
        self.chance = random.Random(f"work {seed}")
        self.start, self.origin, self.proxy = start, origin, proxy
        self.known = []
        self.unfinished = set()
        self.done = collections.Counter()
        self.server = None

    async def ask(self, *request, **more):
        """One request, away from the loop; None while the server is down."""
        with contextlib.suppress(OSError):
            return await asyncio.to_thread(self.server.api, *request, **more)

    async def begin(self):
        self.server = await asyncio.to_thread(self.start, "--heartbeat", "1000")
        self.proxy.target = self.server.port

    async def restart(self):
        """It is stopped, or killed, and another one goes on with its folder."""
        number = self.chance.choice((signal.SIGTERM, signal.SIGKILL))
        self.done[number.name] += 1
        status = await asyncio.to_thread(self.server.stop, number)
        assert status == (0 if number == signal.SIGTERM else -number), f"it ended with {status}"
        await asyncio.sleep(self.chance.uniform(0, 0.5))
        await self.begin()

    async def busy(self, seconds):
        """So long, with one restart in between."""
        end = time.monotonic() + seconds
        restart_at = end - seconds * self.chance.uniform(0.2, 0.8)
        while restart_at or time.monotonic() < end:
            if restart_at and time.monotonic() > restart_at:
                restart_at = None
                await self.restart()
            await self.order()
            await asyncio.sleep(self.chance.uniform(0.02, 0.3))

    async def order(self):
        if len(self.unfinished) < LIMIT and self.chance.random() < 0.7:
            return await self.create()
        if not self.known:
            return
        id = self.chance.choice(self.known[-40:])
        what = self.chance.choice(("pause", "pause", "resume", "resume", "resume", "cancel", "retry", "delete", "look"))
        if what == "delete" and self.chance.random() < 0.5:
            return
        self.done[what] += 1
        if what == "look":
            for row in (await self.table() or {}).values():
                (self.unfinished.discard if row["outcome"] else self.unfinished.add)(row["id"])
        elif what == "delete":
            await self.ask("DELETE", f"transfers/{id}")
            self.unfinished.discard(id)
        else:
            answer = await self.ask("POST", f"transfers/{id}/{what}")
            if what == "retry" and answer is not None and answer.status == 201:
                self.born(answer.json["id"])
            elif what == "cancel":
                self.unfinished.discard(id)

    async def create(self):
        chance = self.chance
        group = {"group": chance.choice(GROUPS)} if chance.random() < 0.7 else {}
        if chance.random() < 0.2:
            size = chance.choice((0, 1, 5_000, 300_000))
            order = {"kind": "download", "url": self.origin.url(f"/file/{size}/{chance.randrange(10**9)}"), **group}
        else:
            total = chance.choice((0, 1, 20_000, 400_000, 4_000_000))
            order = {"kind": "demo", "total": total, "rate": chance.choice((50_000, 400_000, 10**9)), **group}
            for word, likely in (("failAt", 0.15), ("stallAt", 0.1)):
                if total and chance.random() < likely:
                    order[word] = chance.randrange(total)
            order["unknownTotal"] = chance.random() < 0.2
        answer = await self.ask("POST", "transfers", order)
        if answer is not None and answer.status == 201:
            self.done["created"] += 1
            self.born(answer.json["id"])

    def born(self, id):
        self.known.append(id)
        self.unfinished.add(id)

    async def rest(self):
        """Until nothing moves any more: what can be paused is, all else ends. Returns the table as it is then."""
        end = time.monotonic() + PATIENCE
        while True:
            table = await self.table()
            moving = [row for row in table.values() if row["outcome"] is None and row["state"] != "paused"]
            if not moving:
                return table
            assert time.monotonic() < end, f"it goes on: {moving}"
            for row in moving:
                if row["kind"] == "demo":
                    await self.ask("POST", f"transfers/{row['id']}/pause")
            await asyncio.sleep(0.05)

    async def table(self):
        """Every transfer that the server knows, by id, page by page; None while it is down."""
        rows, after = {}, {}
        while True:
            answer = await self.ask("GET", "transfers", limit=1000, **after)
            if answer is None or answer.status != 200:
                return None
            rows |= {row["id"]: row for row in answer.json["transfers"]}
            if answer.json["next"] is None:
                return rows
            after = {"after": answer.json["next"]}
