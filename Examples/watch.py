#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints what a Headway server moves, and comes back by itself when the connection breaks.

    pip install websockets
    python3 Examples/watch.py ws://127.0.0.1:8080/api/v1/ws
"""
import asyncio
import json
import random
import sys
import urllib.parse

import websockets


def show(transfer, before):
    total, state = transfer["total"], transfer["state"]
    how_far = f"{min(99, 100 * transfer['bytes'] // total)} %" if total else f"{transfer['bytes']} bytes"
    line = state if transfer["outcome"] else f"{state}, {how_far}"
    if line != before.get(transfer["id"]):
        print(f"{transfer['name']}: {line}")
        before[transfer["id"]] = line


async def watch(url):
    table, filling, point, wait, before = {}, None, {}, 0.5, {}
    while True:
        query = "?" + urllib.parse.urlencode(point) if point else ""
        try:
            # Twice the server's heartbeat of silence means that it is gone.
            async with websockets.connect(url + query, ping_interval=None, open_timeout=20) as socket:
                silence = 20
                while True:
                    frame = json.loads(await asyncio.wait_for(socket.recv(), silence))
                    point["seq"] = frame.get("seq", point.get("seq"))
                    if frame["type"] == "hello":
                        point["epoch"], silence = frame["epoch"], 2 * frame["heartbeat"] / 1000
                        if not frame["resumed"]:
                            filling = {}                    # a new table; the old one stays until it is ready
                    elif frame["type"] == "ready":
                        wait = 0.5
                        if filling is not None:
                            table, filling = filling, None
                            for transfer in table.values():
                                if transfer["outcome"] is None:
                                    show(transfer, before)
                    elif frame["type"] in ("start", "progress", "complete", "removed"):
                        rows = table if filling is None else filling
                        if frame["type"] == "removed":
                            rows.pop(frame["id"], None)
                        else:
                            rows[frame["id"]] = {**rows.get(frame["id"], {}), **frame}
                            if filling is None:             # before `ready` it is state, not news
                                show(rows[frame["id"]], before)
        except (OSError, TimeoutError, websockets.WebSocketException) as problem:
            pause = wait * random.uniform(0.5, 1)           # a crowd must not come back in lock-step
            print(f"not connected ({problem or 'silence'}); next try in {pause:.1f} s", file=sys.stderr)
            await asyncio.sleep(pause)
            wait = min(2 * wait, 15)


if __name__ == "__main__":
    try:
        asyncio.run(watch(sys.argv[1] if len(sys.argv) > 1 else "ws://127.0.0.1:8080/api/v1/ws"))
    except KeyboardInterrupt:
        pass
