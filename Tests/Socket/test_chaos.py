# SPDX-License-Identifier: Apache-2.0
"""Whatever the network and the server go through, every viewer's table ends up as the server's."""
import asyncio
import json
import random
import time

import pytest

from chaos_client import SILENCE, ChaosClient
from chaos_proxy import ChaosProxy
from chaos_work import ChaosWork
from patience import PATIENCE

CLIENTS = 14
# Without any of these a run has proved little.
WANTED = ("cut", "half-close", "delay", "stop", "SIGTERM|SIGKILL", "resumed", "fresh", "compared", "complete")


@pytest.mark.timeout(0)  # it bounds itself, by the time it was given
def test_in_a_bad_network_every_table_ends_up_as_the_servers(fresh, origin, pytestconfig):
    seconds, seed = pytestconfig.getoption("chaos_seconds"), pytestconfig.getoption("chaos_seed")
    if seed is None:
        seed = random.SystemRandom().randrange(2**32)
    done, wrong = asyncio.run(asyncio.wait_for(chaos(fresh, origin, seconds, seed), seconds * 3 + 20 * PATIENCE))
    print(f"chaos of {seconds} s, seed {seed}: {json.dumps(done)}")
    again = f"again with --chaos-seed {seed} --chaos-seconds {seconds}"
    assert not wrong, f"{len(wrong)} mismatches, {again}\n" + "\n".join(wrong[:5])
    assert not missing(done), f"without any {missing(done)} it proved little, {again}"


def missing(done):
    return [what for what in WANTED if not any(done.get(word) for word in what.split("|"))]


async def chaos(start, origin, seconds, seed):
    """Returns what was done, and what was wrong. A machine on which little is done gets more time."""
    end = time.monotonic() + seconds
    last = end + 5 * PATIENCE
    async with ChaosProxy(seed) as proxy:
        work = ChaosWork(seed, start, origin, proxy)
        await work.begin()
        clients = [ChaosClient(number, seed, proxy, work.known) for number in range(CLIENTS)]
        tasks = [asyncio.create_task(client.live()) for client in clients]
        wrong = []

        def done():
            return sum((client.done + client.probe.counts for client in clients), proxy.done + work.done)

        try:
            while (left := end - time.monotonic()) > 0 or missing(done()) and time.monotonic() < last:
                proxy.is_calm = False
                await work.busy(min(max(left, 6), work.chance.uniform(6, 12)))
                proxy.is_calm = True
                table = await work.rest()
                wrong += await compare(clients, table)
                assert not (died := [task for task in tasks if task.done()]), died
                # What rests goes on, most of it.
                for id, row in table.items():
                    if row["state"] == "paused" and work.chance.random() < 0.7:
                        await work.ask("POST", f"transfers/{id}/resume")
                work.unfinished = {id for id, row in table.items() if row["outcome"] is None}
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
    for client in clients:
        wrong += client.mismatches
    return done(), wrong


async def compare(clients, table):
    """Every client's table with the server's, once all is quiet: each has a while to come back and be told.

    One that was just cut may run into a connection and a message that never come, and wait twice, before it tries again.
    """
    end = time.monotonic() + 2 * SILENCE + PATIENCE
    while True:
        wrong = [f"client {client.number} {client.filter}: {line}"
                 for client in clients for line in client.differences(table)[:3]]
        if not wrong or time.monotonic() > end:
            return wrong
        await asyncio.sleep(0.05)
