# SPDX-License-Identifier: Apache-2.0
"""Senders that bring too much, or what can't be read or counted, and what is kept of it."""
import hashlib

import pytest

from folders import parts
from origin import content
from raw_socket import RawSocket
from uploads import VERSION, chunked, create, form, head, patch, place, read_answer, replay

MEG = 1_000_000


@pytest.mark.parametrize("expects", [True, False])
def test_too_much_is_refused_before_the_body(fresh, expects):
    headway = fresh("--max-upload", "1000")
    headers = {"Content-Length": "1001", **({"Expect": "100-continue"} if expects else {})}
    for method, path in (("PUT", "/api/v1/uploads/a"), ("POST", "/api/v1/uploads?name=a")):
        with RawSocket(headway.port) as peer:
            peer.head(method, path, headers)
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
    headway.wait_for(headway.api("GET", "transfers").json["transfers"][0]["id"], lambda _: parts(tmp_path / "data") == [])
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


@pytest.mark.parametrize("end", [b"", b"\r\n--b", b"\r\n--b\r\n", b"\r\n--c--\r\n"])
def test_a_form_that_is_not_closed_is_no_upload(fresh, tmp_path, end):
    headway = fresh()
    body = b'--b\r\nContent-Disposition: form-data; filename="open.bin"\r\n\r\n' + content(5000) + end
    answer = headway.api("POST", "uploads", body, {"Content-Type": "multipart/form-data; boundary=b"})
    problem = answer.problem(400, "length-mismatch" if not end.endswith(b"b\r\n") else None)
    assert "closing delimiter" in problem["detail"]
    row = headway.api("GET", "transfers").json["transfers"][0]
    assert row["outcome"] == "failed"
    headway.wait_for(row["id"], lambda _: parts(tmp_path / "data") == [])


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
