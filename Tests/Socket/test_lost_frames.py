# SPDX-License-Identifier: Apache-2.0
"""A frame that never arrives: what a heartbeat adds up to tells of it, and `sync` mends it."""
import asyncio
import json

import pytest
from websockets.asyncio.client import connect

from chaos_proxy import LosingProxy
from patience import PATIENCE
from server import BINARY


class MendingClient:
    """Folds as docs/protocol.md says, and asks for everything when a heartbeat disagrees with its table."""

    def __init__(self, socket):
        self.socket = socket
        self.table = {}
        self.is_ready = False   # between a `sync` and what comes of it there is nothing to compare
        self.heartbeats = []    # whether each of them agreed
        self.syncs = 0

    async def read(self):
        frame = json.loads(await self.socket.recv())
        if frame["type"] == "hello":
            self.table, self.is_ready = {}, False
        elif frame["type"] == "ready":
            self.is_ready = True
        elif frame["type"] in ("start", "complete") or frame.get("id") in self.table and frame["type"] == "progress":
            self.table[frame["id"]] = {**self.table.get(frame["id"], {}), **frame}
        elif frame["type"] == "heartbeat" and "open" in frame and self.is_ready:
            unfinished = [row["bytes"] for row in self.table.values() if row["outcome"] is None]
            self.heartbeats.append((len(unfinished), sum(unfinished)) == (frame["open"], frame["sum"]))
            if not self.heartbeats[-1]:
                self.is_ready = False
                self.syncs += 1
                await self.socket.send(json.dumps({"op": "sync", "ref": f"sync-{self.syncs}"}))
        return frame

    async def until(self, wanted):
        while not wanted(await self.read()):
            pass


@pytest.mark.parametrize("kind", ["start", "progress", "complete"])
def test_a_lost_frame_is_found_and_mended_by_the_next_heartbeat(fresh, kind):
    headway = fresh("--heartbeat", "1000")
    asyncio.run(asyncio.wait_for(lose(headway, kind), 5 * PATIENCE))


async def lose(headway, kind):
    behind = []     # heartbeats that passed behind what was lost

    def is_lost(message):
        if proxy.lost and '"type":"heartbeat"' in message and '"open"' in message:
            behind.append(json.loads(message)["at"])
        return f'"type":"{kind}"' in message and json.loads(message)["id"] not in before

    async with LosingProxy() as proxy:
        proxy.target = headway.port
        async with connect(f"ws://127.0.0.1:{proxy.port}/api/v1/ws", compression=None, proxy=None, open_timeout=PATIENCE,
                           ping_interval=None) as socket:
            client = MendingClient(socket)
            before = {headway.demo(total=1_000_000, rate=1000).transfer(201)["id"]}
            await client.until(lambda frame: client.is_ready and before <= client.table.keys())
            await client.until(lambda frame: frame["type"] == "heartbeat")
            assert all(client.heartbeats)
            proxy.is_lost = is_lost
            client.heartbeats.clear()
            total = 1 if kind == "complete" else 1_000_000
            id = headway.demo(total=total, rate=100_000).transfer(201)["id"]
            # Those before it agree, and the first one behind it does not.
            await client.until(lambda frame: behind and frame.get("at") == behind[0] and frame["type"] == "heartbeat")
            assert client.heartbeats[-1] is False, "it was not found"
            assert all(client.heartbeats[:-1])
            proxy.is_lost = lambda message: False
            count = len(client.heartbeats)
            await client.until(lambda frame: len(client.heartbeats) > count)
            assert client.heartbeats[-1] is True, "it was not mended"
            assert client.syncs == 1
            truth = headway.transfer(id)
            assert {key: client.table[id][key] for key in ("state", "outcome", "total")} \
                == {key: truth[key] for key in ("state", "outcome", "total")}


def test_headway_watch_finds_and_mends_what_was_lost(fresh):
    headway = fresh("--heartbeat", "1000")
    asyncio.run(asyncio.wait_for(lose_an_end(headway), 5 * PATIENCE))


async def lose_an_end(headway):
    async with LosingProxy() as proxy:
        proxy.target = headway.port
        proxy.is_lost = lambda event: '"type":"complete"' in event and not proxy.lost
        id = headway.demo(total=200_000, rate=200_000).transfer(201)["id"]
        watch = await asyncio.create_subprocess_exec(
            BINARY, "watch", id, "--json", "--url", f"http://127.0.0.1:{proxy.port}", stdout=asyncio.subprocess.PIPE)
        out, _ = await watch.communicate()
        assert proxy.lost, "nothing was lost"
        assert watch.returncode == 0
        assert json.loads(out.splitlines()[-1])["outcome"] == "succeeded"
