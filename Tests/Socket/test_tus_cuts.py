# SPDX-License-Identifier: Apache-2.0
"""A tus upload over a network that breaks again and again, to a server that is killed on the way.

HEADWAY_SEED repeats a run; the seed is printed where one fails.
"""
import os
import random
import signal

import pytest

from origin import content
from raw_socket import RawSocket
from uploads import VERSION, create, digest, head, place, read_answer, reset

CUTS, KILLS, SIZE = 50, 3, 8_000_000


class Sender:
    """Sends on from wherever the server says that it is."""

    def __init__(self, headway, data, dice):
        self.headway, self.data, self.dice = headway, data, dice
        self.path = place(create(headway, len(data), {"Upload-Metadata": "filename Y3V0LmJpbg=="}))
        self.id = self.path.rsplit("/", 1)[1]
        # What the server was seen to have: below that no byte is to be sent again.
        self.told = 0
        self.sent = 0

    def offset(self):
        answer = head(self.headway, self.path)
        assert answer.status == 200, answer.status
        offset = int(answer.headers["Upload-Offset"])
        assert offset >= self.told, f"{offset} bytes are there, and {self.told} were"
        return offset

    def begin(self, count):
        """Announces all that is missing and sends so much of it; the connection."""
        offset = self.offset()
        peer = RawSocket(self.headway.port)
        peer.head("PATCH", self.path, {**VERSION, "Content-Type": "application/offset+octet-stream",
                                       "Upload-Offset": str(offset), "Content-Length": str(len(self.data) - offset)})
        piece = self.data[offset:offset + count]
        peer.send(piece)
        self.sent += len(piece)
        if self.dice.random() < 0.7:
            # Some of it has arrived when the connection breaks; in the other cases perhaps nothing has.
            self.headway.wait_for(self.id, lambda t: t["bytes"] >= offset + self.dice.randrange(len(piece) + 1))
        self.told = max(self.told, self.headway.transfer(self.id)["bytes"])
        return peer

    def cut(self, peer):
        if self.dice.random() < 0.5:
            reset(peer)
        else:
            peer.socket.close()


def test_fifty_cuts_and_three_kills_cost_nothing_that_was_there(fresh):
    seed = int(os.environ.get("HEADWAY_SEED") or random.randrange(1 << 32))
    try:
        play(fresh, random.Random(seed))
    except BaseException:
        print(f"HEADWAY_SEED={seed}")
        raise


def play(fresh, dice):
    data = content(SIZE, b"cuts")
    kills = set(dice.sample(range(5, CUTS), KILLS))
    sender = Sender(fresh(), data, dice)
    for number in range(CUTS):
        count = dice.choice([1, dice.randrange(1, 4096), dice.randrange(1, 2 * SIZE // CUTS)])
        peer = sender.begin(min(count, SIZE - sender.offset() - 1))
        if number in kills:
            sender.headway.stop(signal.SIGKILL)
            peer.socket.close()
            sender.headway = fresh()
        else:
            sender.cut(peer)
    offset = sender.offset()
    with sender.begin(SIZE) as peer:
        assert read_answer(peer).status == 204
    row = sender.headway.ended(sender.id)
    assert (row["outcome"], row["bytes"], row["digest"], row["attempt"]) == ("succeeded", SIZE, digest(data), 1)
    assert sender.headway.api("GET", row["href"]).body == data
    assert [t["id"] for t in sender.headway.api("GET", "transfers").json["transfers"]] == [sender.id]
    assert 0 < offset < SIZE


@pytest.mark.parametrize("lock", ["head", "patch"])
def test_no_lock_outlives_a_server_that_was_killed(fresh, lock):
    data = content(1_000_000)
    sender = Sender(fresh(), data, random.Random(1))
    peer = sender.begin(400_000)
    sender.headway.wait_for(sender.id, lambda t: t["bytes"] == 400_000)
    sender.headway.stop(signal.SIGKILL)
    peer.socket.close()
    sender.headway = fresh()
    if lock == "head":
        assert sender.offset() == 400_000
    answer = sender.headway.request("PATCH", sender.path, data[400_000:], {
        **VERSION, "Content-Type": "application/offset+octet-stream", "Upload-Offset": "400000"})
    assert answer.status == 204
    assert sender.headway.transfer(sender.id)["digest"] == digest(data)
