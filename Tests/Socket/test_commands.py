# SPDX-License-Identifier: Apache-2.0
import contextlib
import time
import uuid

import pytest
from websockets.exceptions import ConnectionClosed

from server import NOBODYS_ID
from viewer import Viewer

LONG = {"total": 10**9, "rate": 100_000}


def test_a_download_is_seen_from_start_to_end(viewer, origin):
    id = viewer.made("download", url=origin.url("/file/300000/seen.bin"))
    end = viewer.until_complete(id)
    assert (end["outcome"], end["bytes"], end["total"], end["name"]) == ("succeeded", 300_000, 300_000, "seen.bin")
    assert end["source"] == origin.url("/file/300000/seen.bin")


def test_pause_and_resume(viewer):
    id = viewer.made("demo", **LONG)
    viewer.until_state(id, "running")
    assert viewer.ask("pause", id=id)["ok"]
    if viewer.probe.table[id]["state"] != "paused":
        viewer.until_state(id, "paused")
    assert viewer.ask("resume", id=id)["ok"]
    viewer.until_state(id, "running")
    assert viewer.probe.table[id]["attempt"] == 1
    viewer.ask("cancel", id=id)


def test_cancel_ends_it(viewer):
    id = viewer.made("demo", **LONG)
    assert viewer.ask("cancel", id=id)["ok"]
    if not viewer.probe.table.get(id, {}).get("outcome"):
        viewer.until_complete(id)
    assert viewer.probe.table[id]["outcome"] == "cancelled"
    assert viewer.ask("cancel", id=id)["ok"], "cancelling what is cancelled is fine"


def test_retry_makes_a_new_transfer(viewer):
    id = viewer.made("demo", total=2000, rate=1_000_000, failAt=1000, name="again", group="g")
    assert viewer.until_complete(id)["outcome"] == "failed"
    new = viewer.made("retry", id=id)
    assert new != id
    end = viewer.until(lambda f: f.get("id") == new and f["type"] in ("start", "complete"))
    assert (end["retryOf"], end["name"], end["group"]) == (id, "again", "g")
    assert viewer.probe.table[id]["outcome"] == "failed", "the old one stays as it ended"


def test_delete_removes_the_row(headway, viewer):
    id = viewer.made("demo", total=10, rate=1_000_000)
    viewer.until_complete(id)
    assert viewer.ask("delete", id=id)["ok"]
    if not viewer.probe.of(id, "removed"):
        viewer.until(lambda f: f["type"] == "removed" and f["id"] == id)
    assert viewer.probe.of(id, "removed")[0]["outcome"] == "succeeded"
    headway.api("GET", f"transfers/{id}").problem(404, "not-found")


def test_deleting_an_unfinished_one_cancels_it_first(headway, viewer):
    id = viewer.made("demo", **LONG)
    viewer.until(lambda f: f.get("id") == id and f["type"] == "start")
    assert headway.api("DELETE", f"transfers/{id}").status == 204
    viewer.until(lambda f: f["type"] == "removed" and f["id"] == id)
    assert viewer.probe.of(id, "removed")[-1]["outcome"] == "cancelled"


@pytest.mark.parametrize("action", ["pause", "resume", "cancel", "retry"])
def test_what_a_succeeded_one_can_not_do(headway, viewer, action):
    id = viewer.made("demo", total=10, rate=1_000_000)
    viewer.until_complete(id)
    ack = viewer.ask(action, id=id)
    assert (ack["ok"], ack["error"]["code"]) == (False, "wrong-state")
    headway.api("POST", f"transfers/{id}/{action}").problem(409, "wrong-state")


def test_an_unfinished_one_can_not_be_retried(headway, viewer):
    id = viewer.made("demo", **LONG)
    headway.api("POST", f"transfers/{id}/retry").problem(409, "wrong-state")
    viewer.ask("cancel", id=id)


@pytest.mark.parametrize("action", ["pause", "resume", "cancel", "retry", "delete"])
@pytest.mark.parametrize("id", [NOBODYS_ID, "nonsense", ""])
def test_an_id_that_is_not_there(viewer, action, id):
    assert viewer.ask(action, id=id)["error"]["code"] == "not-found"


@pytest.mark.parametrize("message", [
    {"op": "frobnicate"}, {}, {"op": 7}, {"op": "download"}, {"op": "download", "url": 7}, {"op": "pause"},
    {"op": "demo", "total": -1}, {"op": "demo", "rate": "fast"}, {"op": "watch", "id": "nonsense"},
    {"op": "watch", "group": [1]}, {"op": "download", "url": "ftp://example.org/a"},
    {"op": "download", "url": "http://"}, {"op": "download", "url": "http://10.0.0.1/a"},
])
def test_what_makes_no_sense_is_answered_not_closed(viewer, message):
    op = message.pop("op", None)
    viewer.probe.pending.clear()
    ack = viewer.ask(op, **message) if op else viewer.ask(None, **message)
    assert ack["ok"] is False and ack["error"]["detail"]
    assert viewer.ask("ping")["ok"]


@pytest.mark.parametrize("ref", ["x" * 65, 7, ["a"], {}])
def test_a_mark_that_can_not_be_used_is_null_in_the_answer(viewer, ref):
    viewer.send("ping", ref=ref)
    assert viewer.until(lambda f: f["type"] == "ack")["ref"] is None


def test_the_same_key_is_the_same_transfer(headway, viewer):
    key = str(uuid.uuid4())
    first = viewer.ask("demo", total=10, rate=1_000_000, key=key)
    again = viewer.ask("demo", total=10, rate=1_000_000, key=key)
    assert first["id"] == again["id"]
    over_http = headway.demo(total=10, rate=1_000_000, headers={"Idempotency-Key": key})
    assert over_http.transfer(200)["id"] == first["id"]
    headway.demo(total=11, rate=1_000_000, headers={"Idempotency-Key": key}).problem(422)
    assert viewer.ask("demo", total=11, rate=1_000_000, key=key)["ok"] is False


def test_creation_answers_with_a_location(headway):
    answer = headway.demo(total=10, rate=1_000_000)
    transfer = answer.transfer(201)
    assert answer.headers["Location"] == f"{headway.address}/api/v1/transfers/{transfer['id']}"
    assert transfer["kind"] == "demo"


def test_steering_over_http_answers_the_transfer(headway):
    id = headway.demo(**LONG).transfer(201)["id"]
    headway.api("POST", f"transfers/{id}/pause").transfer()
    headway.wait_for(id, lambda t: t["state"] == "paused")
    headway.api("POST", f"transfers/{id}/resume").transfer()
    headway.api("POST", f"transfers/{id}/cancel").transfer()
    assert headway.ended(id)["outcome"] == "cancelled"
    new = headway.api("POST", f"transfers/{id}/retry").transfer(201)
    assert new["retryOf"] == id
    assert headway.api("DELETE", f"transfers/{new['id']}").status == 204


def test_too_many_commands_are_refused_then_the_flood_is_closed(headway):
    with Viewer(headway) as viewer:
        viewer.until_ready()
        acks, begun = [], time.monotonic()
        while all(ack["ok"] for ack in acks):
            # So many at once that one day they are too many, however slow the two are; never a flood.
            for _ in range(30):
                viewer.send("ping")
            acks += [viewer.until(lambda f: f["type"] == "ack") for _ in range(30)]
        assert 40 <= sum(a["ok"] for a in acks) <= 41 + 20 * (time.monotonic() - begun)
        assert {a["error"]["code"] for a in acks if not a["ok"]} == {"rate-limited"}
        with contextlib.suppress(ConnectionClosed):  # the close may come before we have sent them all
            for _ in range(600):
                viewer.send("ping")
        code, reason = viewer.closed()
        assert code == 4429 and reason
