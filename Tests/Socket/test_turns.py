# SPDX-License-Identifier: Apache-2.0
"""Who sends one request after the other is answered each time: none is taken for one that came too early."""
import os
import random
import threading
import time

from origin import content
from turns import Turns

SECONDS, SENDERS = 8, 6


def test_a_connection_can_be_used_again_after_every_answer(fresh):
    seed = int(os.environ.get("HEADWAY_SEED") or random.randrange(1 << 32))
    headway, wrong, statuses = fresh(), [], []
    large = "/api/v1/" + headway.api("PUT", "uploads/large.bin", content(5_000_000)).transfer(201)["href"]
    end = time.monotonic() + SECONDS

    def send(number):
        dice = random.Random(seed + number)
        client = Turns(dice, headway.port, large)
        try:
            while time.monotonic() < end and not wrong:
                dice.choice(Turns.kinds)(client)
        except Exception as error:
            wrong.append(error)
        client.close()
        statuses.extend(client.statuses)

    threads = [threading.Thread(target=send, args=[number]) for number in range(SENDERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(f"HEADWAY_SEED={seed}")
    assert not wrong, wrong
    assert {200, 201, 204, 400, 404, 409} <= set(statuses)


def test_thousands_of_bodies_come_on_one_connection(fresh):
    """Each is sent at once when the answer before it is whole."""
    headway = fresh()
    client = Turns(random.Random(1), headway.port, "")
    client.send = lambda data: client.peer.sendall(data)
    for number in range(3_000):
        body = b"{}" if number % 2 else b'{"op":"none"}'
        client.ask("POST /api/v1/transfers", body, [400], Content_Type="application/json", Content_Length=len(body))
        if number == 0:
            first = client.peer
    assert client.peer is first
    client.close()
