# SPDX-License-Identifier: Apache-2.0
"""Who sends a file to a wrong address is told that, however large it is, and where files are sent."""
import contextlib
import subprocess

import pytest

from raw_socket import RawSocket
from server import NOBODYS_ID
from uploads import curl, read_answer

FORM = {"Content-Type": "multipart/form-data; boundary=b"}
JSON = {"Content-Type": "application/json"}


def ask(headway, method, path, headers, length):
    """Sends a body of that length, read or not, and returns the answer."""
    with RawSocket(headway.port) as peer:
        peer.head(method, path, {**headers, "Content-Length": str(length)})
        with contextlib.suppress(ConnectionError):  # the answer may come before we have sent it all
            peer.send(b"x" * length)
        return read_answer(peer)


@pytest.mark.parametrize("method,path,status", [
    ("POST", "/", 405), ("PUT", "/", 405), ("PUT", "/photo.jpg", 404), ("POST", "/uploads", 404),
    ("POST", "/api/v1/upload", 404), ("PUT", "/api/v1/upload/photo.jpg", 404), ("PUT", "/api/v1/transfers", 405),
    ("POST", "/api/v1/transfers/", 404), ("POST", f"/api/v1/transfers/{NOBODYS_ID}", 405),
    ("POST", f"/api/v1/transfers/{NOBODYS_ID}/upload", 404), ("POST", f"/api/v1/files/{NOBODYS_ID}", 405),
    ("POST", "/api/v1/transfers", 415), ("PATCH", "/api/v1/limits", 415), ("POST", "/api/v1/events", 405),
    ("POST", "/api/v1/openapi.json", 405), ("DELETE", "/api/v1/uploads/photo.jpg", 405),
])
def test_a_large_body_is_answered_as_a_short_one(headway, method, path, status):
    short, large = (ask(headway, method, path, FORM, length) for length in (10, 2_000_000))
    assert (large.status, large.json) == (short.status, short.json)
    assert large.status == status, large.body
    assert large.headers.get("allow") == short.headers.get("allow")
    assert "/api/v1/uploads" in path + large.json["detail"], large.json


def test_a_body_without_a_length_is_told_of_a_wrong_address_too(headway):
    with RawSocket(headway.port) as peer:
        peer.head("PUT", "/api/v1/upload/photo.jpg", {"Transfer-Encoding": "chunked", "Expect": "100-continue"})
        answer = read_answer(peer)
    assert answer.status == 404 and "/api/v1/uploads" in answer.json["detail"], answer.body


def test_where_such_a_body_is_taken_it_may_be_too_long(headway):
    for method, path in ("POST", "transfers"), ("PATCH", f"transfers/{NOBODYS_ID}"), ("PATCH", "limits"):
        answer = ask(headway, method, f"/api/v1/{path}", JSON, 2_000_000)
        assert (answer.status, answer.json["code"]) == (413, "too-large"), answer.body


def test_who_sends_no_file_is_not_told_where_files_go(headway):
    for method, path, body, headers in (("GET", "/nowhere", None, {}), ("POST", "/nowhere", b"{}", JSON),
                                        ("POST", "/nowhere", b"", {})):
        assert headway.request(method, path, body, headers).problem(404)["detail"] == 'there is nothing at "/nowhere"'


def test_curl_is_told_of_a_wrong_address_and_fails_where_it_shall(headway, tmp_path):
    (tmp_path / "big.bin").write_bytes(bytes(3_000_000))
    words = "-F", f"file=@{tmp_path}/big.bin", f"{headway.address}/uploads"
    assert curl(headway, *words)["detail"] == 'there is nothing at "/uploads"; files are sent to /api/v1/uploads'
    failed = subprocess.run(["curl", "-sS", "--fail-with-body", *words], capture_output=True, text=True)
    assert failed.returncode == 22 and "files are sent to" in failed.stdout
    # A shell's prompt begins a line of its own.
    assert failed.stdout.endswith("}\n")
