# SPDX-License-Identifier: Apache-2.0
import asyncio
import resource

import websockets

from frame_probe import FrameProbe
from patience import PATIENCE
from viewer import Viewer


def test_five_hundred_viewers_see_one_start_and_one_complete_each(headway):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 4096)), hard))

    async def watch(url, ready, id):
        async with websockets.connect(url, compression=None, ping_interval=None, proxy=None,
                                      open_timeout=None) as socket:
            probe = FrameProbe()
            while not probe.is_ready:
                probe.take(await socket.recv())
            ready.release()
            while True:
                for frame in probe.take(await socket.recv()):
                    if frame["type"] == "complete" and id.done() and frame["id"] == id.result():
                        return [f["type"] for f in probe.of(id.result())]

    async def crowd():
        ready, id = asyncio.Semaphore(0), asyncio.get_running_loop().create_future()
        tasks = [asyncio.create_task(watch(headway.ws(), ready, id)) for _ in range(500)]
        for _ in tasks:
            await asyncio.wait_for(ready.acquire(), 2 * PATIENCE)
        answer = await asyncio.to_thread(headway.demo, total=100_000, rate=200_000)
        id.set_result(answer.transfer(201)["id"])
        return await asyncio.wait_for(asyncio.gather(*tasks), 2 * PATIENCE)

    for types in asyncio.run(crowd()):
        assert types.count("start") == types.count("complete") == 1
        assert types[0] == "start" and types[-1] == "complete"


def test_a_reader_of_many_rows_is_paid_in_rounds(fresh):
    headway = fresh()
    ids = [headway.demo(total=10**9, rate=1000, name="n" * 200).transfer(201)["id"] for _ in range(300)]
    with Viewer(headway, batch=1) as viewer:
        viewer.until_ready()
        # The answer to a creation may be ahead of the turn that tells it.
        while viewer.probe.table.keys() != set(ids):
            viewer.read()
