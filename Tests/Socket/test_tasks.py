# SPDX-License-Identifier: Apache-2.0
"""Progress for anything: work that a program does and reports, over HTTP and over a socket."""
import pytest

from tasks import impatient  # a fixture
from viewer import Viewer


def patch(headway, id, **report):
    return headway.api("PATCH", f"transfers/{id}", report)


def task(headway, **more):
    return headway.api("POST", "transfers", {"kind": "task", "name": "work", **more}).transfer(201)["id"]


def test_what_is_reported_is_seen_by_everyone(headway):
    with Viewer(headway) as one, Viewer(headway, batch=1) as two:
        for viewer in (one, two):
            viewer.until_ready()
        id = task(headway, total=1000, group="g")
        assert patch(headway, id, bytes=400, note="half of it").transfer()["state"] == "running"
        for viewer in (one, two):
            start = viewer.until(lambda f: f["type"] == "start" and f["id"] == id)
            assert start["kind"] == "task" and start["total"] == 1000 and start["group"] == "g"
            moved = viewer.until(lambda f: f["type"] == "progress" and f["id"] == id and f["bytes"] == 400)
            assert moved["note"] == "half of it" and moved["state"] == "running"
        patch(headway, id, bytes=1000, state="succeeded").transfer()
        for viewer in (one, two):
            end = viewer.until_complete(id)
            assert (end["outcome"], end["bytes"], end["total"], end["href"]) == ("succeeded", 1000, 1000, None)
    patch(headway, id, bytes=1).problem(409, "wrong-state")


def test_a_socket_reports_as_well(headway):
    with Viewer(headway) as viewer:
        viewer.until_ready()
        ack = viewer.ask("task", name="over the socket", total=10)
        assert ack["ok"], ack
        id = ack["id"]
        assert viewer.ask("report", id=id, bytes=5)["ok"]
        viewer.until(lambda f: f["type"] == "progress" and f["id"] == id and f["bytes"] == 5)
        assert viewer.ask("report", id=id, state="failed", error={"detail": "no more paper"})["ok"]
        end = viewer.until_complete(id)
        assert end["outcome"] == "failed"
        assert (end["error"]["code"], end["error"]["detail"]) == ("task-failed", "no more paper")
        assert viewer.ask("report", id=id, bytes=6)["error"]["code"] == "wrong-state"


def test_fewer_bytes_are_a_new_attempt(headway):
    id = task(headway, total=1000)
    with Viewer(headway, id=id) as viewer:
        viewer.until_ready()
        patch(headway, id, bytes=900)
        viewer.until(lambda f: f.get("bytes") == 900)
        patch(headway, id, bytes=100)
        assert viewer.until(lambda f: f.get("bytes") == 100)["attempt"] == 2
        patch(headway, id, state="cancelled")
        assert viewer.until_complete(id)["outcome"] == "cancelled"


def test_an_end_that_names_no_bytes_has_those_that_were_reported_last(headway):
    """However soon it comes: nothing waits for the tick that would have shown them."""
    for state in ("succeeded", "failed", "cancelled"):
        id = task(headway, total=12)
        for bytes in range(1, 13):
            patch(headway, id, bytes=bytes).transfer()
        patch(headway, id, state=state, **({"error": {"detail": "x"}} if state == "failed" else {})).transfer()
        end = headway.ended(id)
        assert (end["outcome"], end["bytes"], end["total"]) == (state, 12, 12)


def test_what_was_reported_a_moment_ago_counts_for_the_next_report(headway):
    id = task(headway, total=100)
    patch(headway, id, bytes=90).transfer()
    assert "90 were reported" in patch(headway, id, total=50).problem(400, "invalid")["detail"]
    assert patch(headway, id, bytes=10).transfer()["attempt"] == 2
    patch(headway, id, state="cancelled").transfer()


@pytest.mark.parametrize("report,word", [
    ({"bytes": -1}, "bytes"), ({"bytes": "5"}, "bytes"), ({"bytes": 11, "total": 10}, "11"), ({"bytes": 1001}, "1001"),
    ({"state": "paused"}, "paused"), ({"error": {"detail": "x"}}, "error"), ({"state": "failed", "error": {}}, "detail"),
    ({"state": "failed", "error": {"detail": "x", "code": "tls"}}, "tls"), ({"note": 5}, "note"),
])
def test_a_report_that_makes_no_sense_is_named_and_changes_nothing(headway, report, word):
    id = task(headway, total=1000)
    assert word in patch(headway, id, **report).problem(400, "invalid")["detail"]
    transfer = headway.transfer(id)
    assert (transfer["state"], transfer["total"]) == ("running", 1000)
    patch(headway, id, state="cancelled")


def test_only_tasks_are_reported_on(headway):
    id = headway.demo(total=10_000_000, rate=1).transfer(201)["id"]
    assert "demo" in patch(headway, id, bytes=5).problem(409, "wrong-state")["detail"]
    headway.api("POST", f"transfers/{id}/cancel", {})
    patch(headway, "01938f5e-7c1a-7b2d-9c4e-5f60718293a4", bytes=5).problem(404, "not-found")
    headway.api("POST", "transfers", {"kind": "task"}).problem(400, "invalid")


def test_silence_ends_a_task_as_interrupted(impatient):
    id = task(impatient, total=10)
    patch(impatient, id, bytes=5)
    transfer = impatient.ended(id)
    assert (transfer["outcome"], transfer["error"]["code"]) == ("failed", "interrupted")
    assert transfer["error"]["detail"] == "Nothing was reported for 1 s"


def test_a_task_goes_on_over_a_restart(fresh):
    first = fresh()
    id = task(first, total=100)
    patch(first, id, bytes=40)
    first.wait_for(id, lambda t: t["bytes"] == 40)
    first.stop()
    second = fresh()
    transfer = second.transfer(id)
    assert (transfer["state"], transfer["bytes"], transfer["attempt"]) == ("running", 40, 1)
    assert patch(second, id, bytes=100, state="succeeded").status == 200
    assert second.ended(id)["outcome"] == "succeeded"
