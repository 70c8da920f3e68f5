# SPDX-License-Identifier: Apache-2.0
import datetime
import time
import uuid

import pytest

from frame_probe import FrameProbe
from viewer import Viewer


def others(probe, *ids):
    return [f for f in probe.frames if f.get("id") not in (None, *ids) and f["type"] != "ack"]


def test_one_id_is_all_that_is_told(headway, viewer):
    id = viewer.made("demo", total=200_000, rate=400_000)
    with Viewer(headway, id=id) as one:
        viewer.made("demo", total=10, rate=1_000_000)
        one.until_complete(id)
        assert not others(one.probe, id)


def test_one_group_is_all_that_is_told(headway, viewer):
    with Viewer(headway, group=["left", "right & +;ü"]) as some:
        some.until_ready()
        viewer.made("demo", total=10, rate=1_000_000, group="middle")
        viewer.made("demo", total=10, rate=1_000_000)
        left = viewer.made("demo", total=10, rate=1_000_000, group="left")
        right = viewer.made("demo", total=10, rate=1_000_000, group="right & +;ü")
        some.until_complete(left)
        if not some.probe.table.get(right, {}).get("outcome"):
            some.until_complete(right)
        assert not others(some.probe, left, right)


def test_keys_are_and_ed(headway, viewer, origin):
    with Viewer(headway, group="both", kind="download") as some:
        some.until_ready()
        viewer.made("demo", total=10, rate=1_000_000, group="both")
        id = viewer.made("download", url=origin.url("/file/10/and.bin"), group="both")
        some.until_complete(id)
        assert not others(some.probe, id)


def test_a_named_id_that_is_not_there_is_removed(headway):
    id = str(uuid.uuid4())
    with Viewer(headway, id=id) as viewer:
        viewer.until_ready()
        assert [(f["type"], f["outcome"]) for f in viewer.probe.of(id)] == [("removed", None)]


def test_a_named_id_comes_from_the_history(fresh):
    headway = fresh()
    old = headway.demo(total=1, rate=1_000_000).transfer(201)["id"]
    for id in [headway.demo(total=1, rate=1_000_000).transfer(201)["id"] for _ in range(55)]:
        headway.ended(id)
    headway.ended(old)
    with Viewer(headway, id=old) as viewer:
        viewer.until_ready()
        assert viewer.probe.table[old]["outcome"] == "succeeded"


def test_watch_replaces_the_filter(headway, viewer):
    id = viewer.made("demo", total=10, rate=1_000_000, group="watched")
    viewer.until_complete(id)
    ref = viewer.send("watch", group=["watched"])
    viewer.until(lambda f: f["type"] == "ack" and f["ref"] == ref)
    assert viewer.until(lambda f: f["type"] == "hello")["resumed"] is False
    viewer.until_ready()
    assert list(viewer.probe.table) == [id]
    unseen = headway.demo(total=10, rate=1_000_000).transfer(201)["id"]
    seen = headway.demo(total=10, rate=1_000_000, group="watched").transfer(201)["id"]
    viewer.until_complete(seen)
    assert not viewer.probe.of(unseen)
    assert viewer.ask("watch")["ok"]
    viewer.until_ready()
    assert unseen in viewer.probe.table


def test_a_filter_names_at_most_a_hundred_values(headway, viewer):
    assert viewer.ask("watch", group=[str(n) for n in range(101)])["error"]["code"] == "invalid"
    assert viewer.ask("watch", group=[str(n) for n in range(100)])["ok"]


def test_so_does_the_query_as_far_as_an_address_goes(headway):
    # libwebsockets cuts a request of about 100 parameters and headers; `watch` takes the hundred.
    with Viewer(headway, group=[str(n) for n in range(60)]) as viewer:
        viewer.until_ready()


def test_pace_changes_the_cadence_and_loses_no_end(headway, viewer):
    def told_at(frame):
        return datetime.datetime.fromisoformat(frame["at"]).timestamp()

    assert viewer.ask("pace", interval=1000)["ok"]
    id = viewer.made("demo", total=1_500_000, rate=1_000_000)
    viewer.until_complete(id)
    slow = viewer.probe.of(id, "progress")
    # Beside those of each second: for its beginning and its end, and for what was late.
    assert len(slow) <= told_at(slow[-1]) - told_at(slow[0]) + 5, slow
    assert viewer.ask("pace", interval=100)["ok"]
    id = viewer.made("demo", total=10**12, rate=1_000_000)
    viewer.until_row(id, lambda row: row["bytes"])
    # One day four come within half a second, however slow the two are: of the others only one would.
    times = []
    while len(times) < 4 or times[-1] - times[-4] > 0.5:
        times.append(told_at(viewer.until(lambda f: f["type"] == "progress" and f["id"] == id)))
    headway.api("POST", f"transfers/{id}/cancel")
    assert viewer.until_complete(id)["outcome"] == "cancelled"


def test_a_hidden_page_hears_of_ends_at_once_and_catches_up_when_it_is_shown(headway, viewer):
    moving = viewer.made("demo", total=10**12, rate=1_000_000)
    took, caught_up = [], []
    for _ in range(4):
        assert viewer.ask("pace", interval=5000)["ok"]
        for _ in range(3):
            before = len(viewer.probe.of(moving, "progress"))
            began = time.monotonic()
            viewer.until_complete(viewer.made("demo", total=1, rate=1_000_000))
            took.append(time.monotonic() - began)
            # What can't wait brings the figures along; nothing else does.
            assert len(viewer.probe.of(moving, "progress")) - before <= 4 + took[-1] / 5
        now = headway.transfer(moving)["bytes"]
        began = time.monotonic()
        assert viewer.ask("pace", interval=100)["ok"]
        viewer.until_row(moving, lambda row: row["bytes"] >= now)
        caught_up.append(time.monotonic() - began)
    # An end that waits for the interval takes 5 s if it was made behind another one; of twelve, one is not that late on a
    # busy machine either.
    assert min(took[1:3] + took[4:6] + took[7:9] + took[10:]) < 4, took
    assert min(caught_up[1:]) < 4, caught_up
    headway.api("POST", f"transfers/{moving}/cancel")


@pytest.mark.parametrize("interval", [0, -1, 49, 5001, 2**60, None, "soon", 1.5, [], True])
def test_no_pace_stops_frames(headway, interval):
    with Viewer(headway) as viewer:
        viewer.until_ready()
        viewer.ask("pace", interval=interval)
        viewer.until_complete(viewer.made("demo", total=100_000, rate=1_000_000))


def test_sync_tells_everything_again(viewer):
    id = viewer.made("demo", total=10, rate=1_000_000)
    viewer.until_complete(id)
    table = dict(viewer.probe.table)
    assert viewer.ask("sync")["ok"]
    viewer.until_ready()
    assert viewer.probe.table.keys() == table.keys()


def test_ping_is_answered_and_no_more(viewer):
    ack = viewer.ask("ping")
    assert ack["ok"] and ack.get("id") is None


def test_a_heartbeat_agrees_with_the_table(fresh):
    # The probe compares `open` and `sum` whenever a heartbeat has them.
    with Viewer(fresh("--heartbeat", "1000"), probe=FrameProbe()) as viewer:
        viewer.made("demo", total=10**12, rate=1_000_000, name="long")
        for _ in range(2):
            viewer.until(lambda f: f["type"] == "heartbeat" and "open" in f)
