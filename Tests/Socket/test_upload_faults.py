# SPDX-License-Identifier: Apache-2.0
"""Senders that go away, stall or come twice, and what is kept of what they sent."""
import signal
import time

import pytest

from folders import files, parts
from origin import content
from raw_socket import RawSocket
from uploads import VERSION, chunked, create, form, head, patch, place, read_answer, reset
from viewer import Viewer

MEG = 1_000_000


def begun(viewer, name, bytes):
    """Waits until an upload of that name has so many bytes; returns its id."""
    start = viewer.until(lambda f: f["type"] == "start" and f["name"] == name)
    viewer.until(lambda f: f.get("id") == start["id"] and f.get("bytes", 0) >= bytes)
    return start["id"]


@pytest.mark.parametrize("way", ["raw", "form", "chunked"])
@pytest.mark.parametrize("ends", ["reset", "close"])
def test_a_plain_upload_whose_sender_goes_fails_at_once_and_leaves_nothing(fresh, tmp_path, way, ends):
    headway = fresh()
    with Viewer(headway).until_ready() as viewer, RawSocket(headway.port) as peer:
        if way == "raw":
            peer.head("PUT", "/api/v1/uploads/cut.bin", {"Content-Length": str(MEG)})
            peer.send(content(MEG // 2))
        elif way == "chunked":
            peer.head("PUT", "/api/v1/uploads/cut.bin", {"Transfer-Encoding": "chunked"})
            peer.send(chunked(content(MEG // 2), 10_000)[:-5])
        else:
            body = form("b", (['Content-Disposition: form-data; filename="cut.bin"'], content(MEG)))
            peer.head("POST", "/api/v1/uploads", {"Content-Type": "multipart/form-data; boundary=b",
                                                  "Content-Length": str(len(body))})
            peer.send(body[:MEG // 2 + 200])
        id = begun(viewer, "cut.bin", MEG // 2)
        (reset if ends == "reset" else lambda p: p.socket.close())(peer)
        # Nobody's silence ends it here.
        row = viewer.until_complete(id)
    assert row["outcome"] == "failed" and row["error"]["code"] == "client-disconnected"
    assert MEG // 2 <= row["bytes"] < MEG
    assert headway.stop() == 0
    assert parts(tmp_path / "data") == [] and files(tmp_path / "data") == set()


def test_a_resumable_one_is_paused_and_goes_on_where_it_was_cut(headway):
    data = content(MEG)
    path = place(create(headway, MEG, {"Upload-Metadata": "filename cmVzdW1lLmJpbg=="}))
    with Viewer(headway).until_ready() as viewer:
        with RawSocket(headway.port) as peer:
            peer.head("PATCH", path, {**VERSION, "Content-Type": "application/offset+octet-stream",
                                      "Upload-Offset": "0", "Content-Length": str(MEG)})
            peer.send(data[:MEG // 2])
            viewer.until(lambda f: f.get("id", "?") in path and f.get("bytes", 0) == MEG // 2)
            reset(peer)
        paused = viewer.until(lambda f: f.get("id", "?") in path and f.get("state") == "paused")
        assert (paused["reason"], paused["bytes"], paused["rate"]) == ("client-disconnected", MEG // 2, None)
        assert head(headway, path).headers["Upload-Offset"] == str(MEG // 2)
        assert patch(headway, path, MEG // 2, data[MEG // 2:]).status == 204
        row = viewer.until_complete(paused["id"])
    assert (row["outcome"], row["attempt"], row["name"]) == ("succeeded", 1, "resume.bin")
    assert headway.api("GET", row["href"]).body == data


def test_between_two_requests_it_is_paused_after_two_seconds(headway):
    path = place(create(headway, 10))
    with Viewer(headway).until_ready() as viewer:
        began = time.monotonic()
        assert patch(headway, path, 0, b"12345").status == 204
        paused = viewer.until(lambda f: f.get("id", "?") in path and f.get("state") == "paused")
        assert time.monotonic() - began > 1.9
        assert paused["reason"] == "client-disconnected"
        for op in ("pause", "resume"):
            assert viewer.ask(op, id=paused["id"])["error"]["code"] == "wrong-state"
    assert headway.request("DELETE", path, headers=VERSION).status == 204


def test_a_newer_request_ends_the_one_that_hangs(headway):
    data = content(MEG)
    path = place(create(headway, MEG))
    with Viewer(headway).until_ready() as viewer, RawSocket(headway.port) as frozen:
        frozen.head("PATCH", path, {**VERSION, "Content-Type": "application/offset+octet-stream",
                                    "Upload-Offset": "0", "Content-Length": str(MEG)})
        frozen.send(data[:300_000])
        viewer.until(lambda f: f.get("id", "?") in path and f.get("bytes", 0) == 300_000)
        # The one that hangs has all the time in the world.
        answer = patch(headway, path, 0, data)
        assert answer.status == 409 and answer.headers["Upload-Offset"] == "300000"
        assert patch(headway, path, 300_000, data[300_000:]).status == 204
        assert read_answer(frozen).status == 409
        row = viewer.until_complete(path.rsplit("/", 1)[1])
    assert row["outcome"] == "succeeded"
    assert headway.api("GET", row["href"]).body == data


def test_a_look_at_the_offset_ends_it_too(headway):
    path = place(create(headway, MEG))
    with Viewer(headway).until_ready() as viewer, RawSocket(headway.port) as frozen:
        frozen.head("PATCH", path, {**VERSION, "Content-Type": "application/offset+octet-stream",
                                    "Upload-Offset": "0", "Content-Length": str(MEG)})
        frozen.send(content(1000))
        viewer.until(lambda f: f.get("id", "?") in path and f.get("bytes", 0) == 1000)
        assert head(headway, path).headers["Upload-Offset"] == "1000"
        assert read_answer(frozen).status == 409
    assert headway.request("DELETE", path, headers=VERSION).status == 204


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_after_a_restart_it_goes_on_where_it_was(fresh, number):
    data = content(3 * MEG)
    headway = fresh()
    path = place(create(headway, len(data)))
    with Viewer(headway).until_ready() as viewer, RawSocket(headway.port) as peer:
        peer.head("PATCH", path, {**VERSION, "Content-Type": "application/offset+octet-stream",
                                  "Upload-Offset": "0", "Content-Length": str(len(data))})
        peer.send(data[:2 * MEG])
        viewer.until(lambda f: f.get("id", "?") in path and f.get("bytes", 0) == 2 * MEG)
        headway.stop(number)
    headway = fresh()
    with Viewer(headway).until_ready() as viewer:
        row = viewer.probe.table[path.rsplit("/", 1)[1]]
        assert (row["state"], row["reason"], row["bytes"]) == ("paused", "client-disconnected", 2 * MEG)
        assert head(headway, path).headers["Upload-Offset"] == str(2 * MEG)
        assert patch(headway, path, 2 * MEG, data[2 * MEG:]).status == 204
        row = viewer.until_complete(row["id"])
    assert row["outcome"] == "succeeded" and row["attempt"] == 1
    assert headway.api("GET", row["href"]).body == data
    assert len(headway.api("GET", "transfers").json["transfers"]) == 1


def test_after_a_restart_a_plain_one_has_failed(fresh, tmp_path):
    headway = fresh()
    with Viewer(headway).until_ready() as viewer, RawSocket(headway.port) as peer:
        peer.head("PUT", "/api/v1/uploads/lost.bin", {"Content-Length": str(MEG)})
        peer.send(content(MEG // 2))
        id = begun(viewer, "lost.bin", MEG // 2)
        headway.stop(signal.SIGKILL)
    headway = fresh()
    row = headway.ended(id)
    assert row["outcome"] == "failed" and row["error"]["code"] == "interrupted"
    headway.wait_for(id, lambda _: parts(tmp_path / "data") == [])


def test_a_stopping_server_tells_the_sender(fresh):
    headway = fresh()
    with Viewer(headway).until_ready() as viewer, RawSocket(headway.port) as peer:
        peer.head("PUT", "/api/v1/uploads/stop.bin", {"Content-Length": str(MEG)})
        peer.send(content(MEG // 2))
        begun(viewer, "stop.bin", MEG // 2)
        assert headway.stop() == 0
        assert read_answer(peer).status == 503


def test_a_sender_that_falls_silent_is_ended(fresh):
    headway = fresh("--upload-silence", "1")
    with Viewer(headway).until_ready() as viewer, RawSocket(headway.port) as peer:
        peer.head("PUT", "/api/v1/uploads/silent.bin", {"Content-Length": str(MEG)})
        peer.send(content(1000))
        answer = read_answer(peer)
        assert answer.status == 408 and answer.json["code"] == "client-disconnected"
        row = viewer.until(lambda f: f["type"] == "complete")
        assert row["error"]["code"] == "client-disconnected" and row["name"] == "silent.bin"


def test_a_client_that_waits_for_100_need_not_wait(headway):
    with RawSocket(headway.port) as peer:
        peer.head("PUT", "/api/v1/uploads/expect.bin", {"Content-Length": "5", "Expect": "100-continue"})
        while b"\r\n\r\n" not in peer.buffer:
            peer.buffer += peer.socket.recv(65536)
        assert peer.buffer.startswith(b"HTTP/1.1 100 ")
        peer.send(b"hello")
        assert read_answer(peer).status == 201


def test_others_can_cancel_it_and_its_sender_is_told(headway):
    with Viewer(headway).until_ready() as viewer, RawSocket(headway.port) as peer:
        peer.head("PUT", "/api/v1/uploads/cancel.bin", {"Content-Length": str(MEG)})
        peer.send(content(MEG // 2))
        id = begun(viewer, "cancel.bin", MEG // 2)
        assert viewer.ask("cancel", id=id)["ok"]
        assert viewer.until_complete(id)["outcome"] == "cancelled"
        assert read_answer(peer).status == 409


def test_a_look_by_tus_at_a_plain_upload_does_it_no_harm(headway):
    with Viewer(headway).until_ready() as viewer, RawSocket(headway.port) as peer:
        peer.head("PUT", "/api/v1/uploads/plain.bin", {"Content-Length": "10"})
        peer.send(b"12345")
        id = begun(viewer, "plain.bin", 5)
        assert head(headway, f"/api/v1/tus/{id}").status == 410
        assert patch(headway, f"/api/v1/tus/{id}", 5, b"67890").status == 410
        peer.send(b"67890")
        assert read_answer(peer).status == 201
