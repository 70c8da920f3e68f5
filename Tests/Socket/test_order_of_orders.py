# SPDX-License-Identifier: Apache-2.0
"""Commands are carried out one after the other, in the order in which they came, and none before the connection has joined."""
import json
import uuid

import pytest

from raw_socket import RawSocket
from viewer import Viewer

LONG = {"total": 10**9, "rate": 100_000}


def text_frames(peer):
    while True:
        opcode, payload = peer.next_frame()
        if opcode == 1:
            yield json.loads(payload)


def early(headway, *orders, path="/api/v1/ws"):
    """A connection whose orders are sent as soon as they may be: behind the answer to its handshake. Its frames."""
    with RawSocket(headway.port) as peer:
        assert peer.upgrade(path=path) == 101
        with peer.together():
            for order in orders:
                peer.text(json.dumps(order))
        yield from text_frames(peer)


@pytest.mark.parametrize("named", [False, True], ids=["all", "named"])
def test_orders_that_come_before_the_hello_are_answered_behind_it(headway, named):
    running = headway.demo(**LONG).transfer(201)["id"]  # there is a turn to come
    query = "?" + "&".join(f"id={uuid.uuid4()}" for _ in range(5)) if named else ""
    for _ in range(30):
        refs = []
        for number, frame in enumerate(early(headway, {"op": "ping", "ref": "p"}, {"op": "demo", "ref": "d", "total": 1},
                                             {"op": "nonsense", "ref": "n"}, path="/api/v1/ws" + query)):
            assert (frame["type"] == "hello") == (number == 0), frame
            if frame["type"] == "ack":
                refs.append(frame["ref"])
            if len(refs) == 3:
                break
        assert sorted(refs) == ["d", "n", "p"]
    headway.api("POST", f"transfers/{running}/cancel")


def test_the_last_filter_counts_however_long_one_before_it_takes(headway):
    """Whoever names transfers that the table does not have waits for the disk; whoever names none does not."""
    with Viewer(headway) as viewer:
        viewer.until_ready()
        for number in range(20):
            unknown = [str(uuid.uuid4()) for _ in range(40)]
            refs = [viewer.send("watch", id=unknown), viewer.send("watch", group=[f"last {number}"])]
            for ref in refs:
                assert viewer.until(lambda f, ref=ref: f["type"] == "ack" and f["ref"] == ref)["ok"]
            made = headway.demo(total=1, rate=1_000_000, group=f"last {number}").transfer(201)["id"]
            viewer.until(lambda f: f.get("id") == made and f["type"] in ("start", "complete"))
