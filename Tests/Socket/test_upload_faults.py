# SPDX-License-Identifier: Apache-2.0
"""Senders that go away, stall, lie or bring too much, and what is kept of what they sent."""
import hashlib
import signal
import time

import pytest

from origin import content
from raw_socket import RawSocket
from uploads import VERSION, chunked, create, form, head, patch, place, read_answer, replay, reset
from viewer import Viewer

MEG = 1_000_000


def parts(tmp_path):
    return sorted(p.name for p in (tmp_path / "data" / "parts").iterdir())


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
        gone = time.monotonic()
        (reset if ends == "reset" else lambda p: p.socket.close())(peer)
        row = viewer.until_complete(id)
        assert time.monotonic() - gone < 2
    assert row["outcome"] == "failed" and row["error"]["code"] == "client-disconnected"
    assert MEG // 2 <= row["bytes"] < MEG
    assert headway.stop() == 0
    assert parts(tmp_path) == [] and list((tmp_path / "data" / "files").iterdir()) == []


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
        assert patch(headway, path, 0, b"12345").status == 204
        ended = time.monotonic()
        paused = viewer.until(lambda f: f.get("id", "?") in path and f.get("state") == "paused")
        assert 1.5 < time.monotonic() - ended < 20
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
        began = time.monotonic()
        answer = patch(headway, path, 0, data)
        assert answer.status == 409 and answer.headers["Upload-Offset"] == "300000"
        assert patch(headway, path, 300_000, data[300_000:]).status == 204
        assert time.monotonic() - began < 5
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
    headway.wait_for(id, lambda _: parts(tmp_path) == [])


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


@pytest.mark.parametrize("expects", [True, False])
def test_too_much_is_refused_before_the_body(fresh, expects):
    headway = fresh("--max-upload", "1000")
    headers = {"Content-Length": "1001", **({"Expect": "100-continue"} if expects else {})}
    for method, path in (("PUT", "/api/v1/uploads/a"), ("POST", "/api/v1/uploads?name=a")):
        with RawSocket(headway.port) as peer:
            peer.head(method, path, headers)
            peer.socket.settimeout(2)
            while b"\r\n\r\n" not in peer.buffer:
                peer.buffer += peer.socket.recv(65536)
            assert peer.buffer.startswith(b"HTTP/1.1 413 ")
            assert read_answer(peer).json["code"] == "too-large"
    create(headway, 1001).problem(413, "too-large")
    assert headway.api("GET", "transfers").json["transfers"] == []
    headway.api("PUT", "uploads/fits", content(1000)).transfer(201)


def test_too_much_is_refused_when_only_its_count_tells(fresh, tmp_path):
    headway = fresh("--max-upload", "1000000")
    body = form("b", (['Content-Disposition: form-data; filename="big"'], b"-" * 50_000_000))
    before = headway.resident_bytes()
    for headers, sent in (({"Transfer-Encoding": "chunked"}, chunked(body, 100_000)),
                          ({"Content-Length": str(len(body))}, body)):
        with RawSocket(headway.port) as peer:
            peer.head("POST", "/api/v1/uploads", {"Content-Type": "multipart/form-data; boundary=b", **headers})
            try:
                peer.send(sent)
            except (ConnectionError, TimeoutError):
                pass
            assert read_answer(peer).json["code"] == "too-large"
    assert headway.resident_bytes() - before < 24 << 20
    headway.wait_for(headway.api("GET", "transfers").json["transfers"][0]["id"], lambda _: parts(tmp_path) == [])
    assert list((tmp_path / "data" / "files").iterdir()) == []


def test_a_body_without_a_length_that_is_too_long_is_told_what_to_do(headway):
    piece = chunked(b"x" * MEG, MEG)[:-5]
    with RawSocket(headway.port) as peer:
        peer.head("PUT", "/api/v1/uploads/endless.bin", {"Transfer-Encoding": "chunked"})
        try:
            for _ in range(110):
                peer.send(piece)
        except (ConnectionError, TimeoutError):
            pass
        answer = read_answer(peer)
    assert answer.status == 413 and "-T FILE" in answer.json["detail"] and "tus" in answer.json["detail"]
    rows = headway.api("GET", "transfers", q="endless.bin").json["transfers"]
    assert rows[0]["error"]["code"] == "too-large"


def test_almost_a_hundred_megabytes_come_without_a_length(headway):
    data = b"y" * (99 << 20)
    answer = replay(headway, "PUT", "/api/v1/uploads/long.bin", {"Transfer-Encoding": "chunked"},
                    chunked(data, 65_536))
    assert answer.status == 201, answer.body
    assert answer.json["bytes"] == len(data)
    assert headway.api("DELETE", f"transfers/{answer.json['id']}", file=1).status == 204


def test_a_client_that_waits_for_100_need_not_wait(headway):
    with RawSocket(headway.port) as peer:
        peer.head("PUT", "/api/v1/uploads/expect.bin", {"Content-Length": "5", "Expect": "100-continue"})
        peer.socket.settimeout(2)
        while b"\r\n\r\n" not in peer.buffer:
            peer.buffer += peer.socket.recv(65536)
        assert peer.buffer.startswith(b"HTTP/1.1 100 ")
        peer.send(b"hello")
        assert read_answer(peer).status == 201


@pytest.mark.parametrize("end", [b"", b"\r\n--b", b"\r\n--b\r\n", b"\r\n--c--\r\n"])
def test_a_form_that_is_not_closed_is_no_upload(fresh, tmp_path, end):
    headway = fresh()
    body = b'--b\r\nContent-Disposition: form-data; filename="open.bin"\r\n\r\n' + content(5000) + end
    answer = headway.api("POST", "uploads", body, {"Content-Type": "multipart/form-data; boundary=b"})
    problem = answer.problem(400, "length-mismatch" if not end.endswith(b"b\r\n") else None)
    assert "closing delimiter" in problem["detail"]
    row = headway.api("GET", "transfers").json["transfers"][0]
    assert row["outcome"] == "failed"
    headway.wait_for(row["id"], lambda _: parts(tmp_path) == [])


@pytest.mark.parametrize("body", [
    b"--b\r\nX: " + b"x" * 20_000,
    b"--b\r\nContent-Disposition: form-data; name=t\r\n\r\n" + b"x" * 70_000,
    b"--b\r\n\r\n\r\n" * 1001,
])
def test_a_form_that_only_wants_to_fill_memory_is_refused(headway, body):
    headway.api("POST", "uploads", body, {"Content-Type": "multipart/form-data; boundary=b"}).problem(413, "too-large")


def test_a_file_that_looks_like_its_envelope_comes_out_the_same(headway):
    data = (b"\r\n--b" * 20_000)[:-1] + b"\r\n--"
    body = form("bound", (['Content-Disposition: form-data; filename="tricky"'], data),
                (['Content-Disposition: form-data; name="t"'], b"behind"))
    answer = headway.api("POST", "uploads", body, {"Content-Type": "multipart/form-data; boundary=bound"})
    transfer = answer.transfer(201)
    assert hashlib.sha256(headway.api("GET", transfer["href"]).body).digest() == hashlib.sha256(data).digest()


@pytest.mark.parametrize("length", [1 << 53, (1 << 63) - 1, 1 << 63, 10 ** 30])
def test_a_length_that_nobody_can_count_with_is_refused(headway, length):
    path = place(create(headway, None, {"Upload-Defer-Length": "1"}))
    assert patch(headway, path, 0, b"12345").status == 204
    for method, target, more in (
            ("PATCH", path, {**VERSION, "Content-Type": "application/offset+octet-stream", "Upload-Offset": "5"}),
            ("PUT", "/api/v1/uploads/huge", {}), ("POST", "/api/v1/uploads?name=huge", {})):
        with RawSocket(headway.port) as peer:
            peer.head(method, target, {**more, "Content-Length": str(length)})
            assert read_answer(peer).status in (400, 413)
    assert head(headway, path).headers["Upload-Offset"] == "5"
    assert headway.request("DELETE", path, headers=VERSION).status == 204


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


@pytest.mark.long
def test_a_gigabyte_without_a_line_end_fills_neither_memory_nor_the_disk(fresh, tmp_path):
    headway = fresh()
    head = b'--b\r\nContent-Disposition: form-data; filename="flat"\r\n\r\n'
    before = headway.resident_bytes()
    most = 0
    with RawSocket(headway.port) as peer:
        peer.head("POST", "/api/v1/uploads", {"Content-Type": "multipart/form-data; boundary=b",
                                              "Content-Length": str(len(head) + (1 << 30))})
        peer.send(head)
        for _ in range(1024):
            peer.send(b"-" * (1 << 20))
            most = max(most, headway.resident_bytes())
        assert read_answer(peer).status == 400
    assert most - before < 40 << 20
