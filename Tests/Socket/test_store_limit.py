# SPDX-License-Identifier: Apache-2.0
"""All files together have no more bytes than the operator allows (`--max-store`)."""
import contextlib

import pytest

from origin import content
from raw_socket import RawSocket
from uploads import create, form, patch, place, read_answer
from viewer import Viewer

MEG = 1_000_000


@pytest.fixture
def headway(fresh):
    return fresh("--max-store", "1M")


@pytest.mark.parametrize("expects", [True, False])
def test_an_upload_that_does_not_fit_is_refused_before_its_body(headway, expects):
    headway.api("PUT", "uploads/first", content(600_000)).transfer(201)
    headers = {"Content-Length": "400001", **({"Expect": "100-continue"} if expects else {})}
    with RawSocket(headway.port) as peer:
        peer.head("PUT", "/api/v1/uploads/second", headers)
        assert peer.buffer == b""
        answer = read_answer(peer)
    assert answer.status == 507 and answer.headers["content-type"] == "application/problem+json"
    assert answer.json["code"] == "store-full" and answer.json["title"] == "The store is full"
    assert "400001 bytes" in answer.json["detail"] and "400000 are left" in answer.json["detail"]
    create(headway, 400_001).problem(507, "store-full")
    assert [t["name"] for t in headway.api("GET", "transfers").json["transfers"]] == ["first"]
    headway.api("PUT", "uploads/fits", content(400_000)).transfer(201)
    headway.api("PUT", "uploads/empty", b"").transfer(201)


def test_deleting_makes_room(headway):
    first = headway.api("PUT", "uploads/first", content(MEG)).transfer(201)
    headway.api("PUT", "uploads/second", b"x").problem(507, "store-full")
    assert headway.api("DELETE", f"transfers/{first['id']}", file=1).status == 204
    headway.api("PUT", "uploads/second", content(MEG)).transfer(201)


def test_what_others_have_still_to_send_is_spoken_for(headway):
    with Viewer(headway).until_ready() as viewer, RawSocket(headway.port) as peer:
        peer.head("PUT", "/api/v1/uploads/slow", {"Content-Length": "900000"})
        peer.send(content(1000))
        viewer.until(lambda f: f["type"] == "start" and f["name"] == "slow")
        headway.api("PUT", "uploads/second", content(100_001)).problem(507, "store-full")
        headway.api("PUT", "uploads/third", content(100_000)).transfer(201)
        peer.send(content(900_000)[1000:])
        assert read_answer(peer).status == 201


def test_a_length_that_is_told_late_is_looked_at_then(headway):
    path = place(create(headway, None, {"Upload-Defer-Length": "1"}))
    assert patch(headway, path, 0, b"12345").status == 204
    patch(headway, path, 5, b"", {"Upload-Length": str(MEG + 1)}).problem(507, "store-full")
    assert patch(headway, path, 5, b"6", {"Upload-Length": "6"}).status == 204


def test_a_form_is_refused_at_its_file(headway):
    body = form("b", (['Content-Disposition: form-data; filename="large"'], b"x" * (MEG + 1)))
    with RawSocket(headway.port) as peer:
        peer.head("POST", "/api/v1/uploads", {"Content-Type": "multipart/form-data; boundary=b",
                                              "Content-Length": str(len(body))})
        peer.send(body[:500])
        assert read_answer(peer).json["code"] == "store-full"
    assert headway.api("GET", "transfers").json["transfers"] == []


def test_a_body_without_an_end_is_ended_once_the_store_is_full(headway, tmp_path):
    piece = b"10000\r\n" + b"x" * 65_536 + b"\r\n"
    with Viewer(headway).until_ready() as viewer, RawSocket(headway.port) as peer:
        peer.head("PUT", "/api/v1/uploads/endless", {"Transfer-Encoding": "chunked"})
        with contextlib.suppress(ConnectionError):  # the answer may come before we have sent it all
            peer.send(piece * 20)
        row = viewer.until(lambda f: f["type"] == "complete")
        assert (row["name"], row["outcome"], row["error"]["code"]) == ("endless", "failed", "store-full")
        assert read_answer(peer).status == 507
    headway.wait_for(row["id"], lambda _: not list((tmp_path / "data" / "parts").iterdir()))
    headway.api("PUT", "uploads/second", content(MEG)).transfer(201)


def test_a_download_that_does_not_fit_fails_and_says_so(headway, origin, tmp_path):
    row = headway.ended(headway.download(origin.url(f"/file/{MEG + 1}/large.bin")).transfer(201)["id"])
    assert (row["outcome"], row["error"]["code"]) == ("failed", "store-full"), row
    assert f"of the {MEG}" in row["error"]["detail"]
    headway.wait_for(row["id"], lambda _: not list((tmp_path / "data" / "parts").iterdir()))
    row = headway.ended(headway.download(origin.url(f"/file/{MEG}/fits.bin")).transfer(201)["id"])
    assert row["outcome"] == "succeeded", row


def test_uploads_that_come_at_once_do_not_fill_it_together(headway):
    """None of them has written a byte when the others ask."""
    peers = [RawSocket(headway.port) for _ in range(10)]
    try:
        for number, peer in enumerate(peers):
            peer.head("PUT", f"/api/v1/uploads/n{number}", {"Content-Length": "300000", "Expect": "100-continue"})
        heads = []
        for peer in peers:
            while b"\r\n\r\n" not in peer.buffer:
                peer.buffer += peer.socket.recv(65536)
            heads.append(peer.buffer.split(b" ")[1])
        assert sorted(heads) == [b"100"] * 3 + [b"507"] * 7
    finally:
        for peer in peers:
            peer.socket.close()
