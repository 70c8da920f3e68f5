# SPDX-License-Identifier: Apache-2.0
import datetime

import pytest
from websockets.exceptions import InvalidStatus

from viewer import Viewer


def test_hello_comes_first_and_ready_after_the_first_round(fresh):
    with Viewer(fresh()) as viewer:
        hello = viewer.read()[0]
        assert hello["type"] == "hello"
        assert hello["protocol"] == "headway.v1"
        assert (hello["seq"], hello["resumed"], hello["interval"], hello["heartbeat"]) == (0, False, 100, 10_000)
        viewer.until_ready()
        assert viewer.probe.table == {}


def test_a_late_viewer_sees_the_row_as_it_is_now(headway, origin):
    id = headway.download(origin.gated(400_000, "late.bin")).transfer(201)["id"]
    with Viewer(headway) as early:
        early.until_row(id, lambda row: row["bytes"] == 200_000)
    with Viewer(headway) as viewer:
        viewer.until_ready()
        row = viewer.probe.table[id]
        assert (row["bytes"], row["total"], row["name"]) == (200_000, 400_000, "late.bin")
        assert [f["type"] for f in viewer.probe.of(id)] == ["start"]
        origin.gates["late.bin"].set()
        viewer.until_complete(id)


def test_a_row_that_ended_is_told_with_start_progress_complete(headway):
    id = headway.demo(total=1000, rate=1_000_000).transfer(201)["id"]
    headway.ended(id)
    with Viewer(headway) as viewer:
        # HTTP may be ahead of the turn: then the end belongs to the round after the first.
        viewer.until_complete(id)
        assert [f["type"] for f in viewer.probe.of(id)] == ["start", "progress", "complete"]


def test_every_frame_of_a_demo_keeps_the_rules(viewer):
    id = viewer.made("demo", total=500_000, rate=500_000, name="ünï 数据.bin")
    viewer.until_complete(id)
    frames = viewer.probe.of(id, "progress")
    figures = [f["bytes"] for f in frames]
    assert figures == sorted(figures)
    assert len(viewer.probe.of(id, "start")) == 1
    first, last = (datetime.datetime.fromisoformat(f["at"]).timestamp() for f in (frames[0], frames[-1]))
    assert len(frames) <= 10 * (last - first) + 15, "more often than each 100 ms"
    assert viewer.probe.table[id]["name"] == "ünï 数据.bin"


def test_a_demo_moves(viewer):
    id = viewer.made("demo", total=10**12, rate=500_000)
    for _ in range(10):
        held = viewer.until_row(id, lambda row: True)["bytes"]
        viewer.until_row(id, lambda row: row["bytes"] > held)
    assert viewer.ask("cancel", id=id)["ok"]


def test_of_ended_rows_the_newest_fifty_are_owed(fresh):
    headway = fresh()
    with Viewer(headway) as first:
        first.until_ready()
        ids = {headway.demo(total=1, rate=1_000_000).transfer(201)["id"] for _ in range(60)}
        while {id for id, row in first.probe.table.items() if row["outcome"]} != ids:
            first.read()
    with Viewer(headway) as viewer:
        viewer.until_ready()
        assert len(viewer.probe.table) == 50


def test_every_member_of_an_unfinished_group_is_owed(fresh):
    headway = fresh()
    group = [headway.demo(total=1, rate=1_000_000, group="g").transfer(201)["id"] for _ in range(3)]
    for id in group:
        headway.ended(id)
    others = [headway.demo(total=1, rate=1_000_000).transfer(201)["id"] for _ in range(55)]
    for id in others:
        headway.ended(id)
    running = headway.demo(total=10**9, rate=1000, group="g").transfer(201)["id"]
    with Viewer(headway) as early:
        early.until_row(running, lambda _: True)  # HTTP may be ahead of the turn
    with Viewer(headway) as viewer:
        viewer.until_ready()
        assert {*group, running} <= viewer.probe.table.keys()


@pytest.mark.parametrize("interval,given", [(1000, 1000), (1, 50), (10**9, 5000), (130, 200), ("x", 100), (-5, 100)])
def test_the_interval_is_clamped_and_rounded_to_ticks(headway, interval, given):
    # With a tick of 100 ms, 50 is rounded up to one.
    with Viewer(headway, interval=interval) as viewer:
        assert viewer.read()[0]["interval"] in (given, max(given, 100))


def test_with_batch_every_message_is_an_array(headway):
    with Viewer(headway, batch=1) as viewer:
        messages = []
        take = viewer.probe.take
        viewer.probe.take = lambda message: (messages.append(message), take(message))[1]
        viewer.until_ready()
        id = viewer.made("demo", total=100_000, rate=500_000)
        viewer.until_complete(id)
        assert all(m.startswith("[") for m in messages)


def test_the_sub_protocol_is_ours(headway):
    with Viewer(headway, options={"subprotocols": ["headway.v1"]}) as viewer:
        assert viewer.socket.subprotocol == "headway.v1"
    with Viewer(headway) as viewer:
        assert viewer.socket.subprotocol is None


def test_no_extension_is_agreed_on(headway):
    with Viewer(headway) as viewer:
        assert "Sec-WebSocket-Extensions" not in viewer.socket.response.headers


def test_a_plain_get_of_the_socket_says_what_it_is(headway):
    answer = headway.request("GET", "/api/v1/ws")
    assert answer.status in (400, 426)
    answer.problem(answer.status)


def test_the_socket_has_one_path(headway):
    with pytest.raises(InvalidStatus) as refused:
        Viewer(headway, path="/nowhere")
    assert refused.value.response.status_code == 404
