# SPDX-License-Identifier: Apache-2.0
"""Who sends one request after the other is answered each time: none is taken for one that came too early."""
import random

from origin import content
from side_by_side import play
from turns import Turns


def test_a_connection_can_be_used_again_after_every_answer(fresh):
    headway, clients = fresh(), []
    large = "/api/v1/" + headway.api("PUT", "uploads/large.bin", content(5_000_000)).transfer(201)["href"]

    def is_enough():
        return {200, 201, 204, 400, 404, 409} <= {status for client in clients for status in client.statuses}

    def sender(dice):
        client = Turns(dice, headway.port, large)
        clients.append(client)
        return lambda: dice.choice(Turns.kinds)(client)

    try:
        play(6, 8, is_enough, sender)
    finally:
        for client in clients:
            client.close()
    assert is_enough()


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
