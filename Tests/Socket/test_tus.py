# SPDX-License-Identifier: Apache-2.0
"""tus 1.0.0, duty by duty."""
import base64
import email.utils
import hashlib
import time

import pytest

from origin import content
from raw_socket import RawSocket
from uploads import VERSION, create, encoded, head, patch, place, read_answer

STREAM = {"Content-Type": "application/offset+octet-stream"}
ANY_ID = "01a22bc3-2aeb-7abe-bfe2-ba6a614d7239"


def checksum(data, algorithm="sha1"):
    value = hashlib.new(algorithm, data, usedforsecurity=False).digest()
    return {"Upload-Checksum": f"{algorithm} {base64.b64encode(value).decode()}"}


def gone(headway, path):
    assert headway.request("DELETE", path, headers=VERSION).status == 204


# What a request must say, and what it is told: method, path, headers, body, status.
DUTIES = [
    ("OPTIONS", "tus", {}, None, 204),
    ("OPTIONS", "tus", {"Tus-Resumable": "0.0.1"}, None, 204),
    ("POST", "tus", {"Upload-Length": "1"}, b"", 412),
    ("POST", "tus", {"Tus-Resumable": "0.2.2", "Upload-Length": "1"}, b"", 412),
    ("PATCH", f"tus/{ANY_ID}", {"Upload-Offset": "0", **STREAM}, b"", 412),
    ("DELETE", f"tus/{ANY_ID}", {}, None, 412),
    ("HEAD", f"tus/{ANY_ID}", {"Tus-Resumable": "2.0.0"}, None, 412),
    ("POST", "tus", VERSION, b"", 400),
    ("POST", "tus", {**VERSION, "Upload-Length": "-1"}, b"", 400),
    ("POST", "tus", {**VERSION, "Upload-Length": "5", "Upload-Defer-Length": "1"}, b"", 400),
    ("POST", "tus", {**VERSION, "Upload-Defer-Length": "2"}, b"", 400),
    ("POST", "tus", {**VERSION, "Upload-Length": "5", "Upload-Metadata": "a YQ==,a YQ=="}, b"", 400),
    ("POST", "tus", {**VERSION, "Upload-Length": "5", "Upload-Metadata": "a ***"}, b"", 400),
    ("POST", "tus", {**VERSION, "Upload-Length": "5", "Upload-Concat": "partial"}, b"", 400),
    ("POST", "tus", {**VERSION, "Upload-Length": "5", **STREAM}, b"123456", 413),
    ("HEAD", f"tus/{ANY_ID}", VERSION, None, 404),
    ("PATCH", f"tus/{ANY_ID}", {**VERSION, "Upload-Offset": "0", **STREAM}, b"x", 404),
    ("DELETE", f"tus/{ANY_ID}", VERSION, None, 404),
    ("HEAD", "tus/nothing", VERSION, None, 404),
    ("PATCH", "tus/nothing", {**VERSION, "Upload-Offset": "0", **STREAM}, b"x", 404),
    ("PATCH", f"tus/{ANY_ID}", {**VERSION, "Upload-Offset": "0"}, b"x", 415),
    ("PATCH", f"tus/{ANY_ID}", {**VERSION, "Upload-Offset": "0", "Content-Type": "text/plain"}, b"x", 415),
    ("PATCH", f"tus/{ANY_ID}", {**VERSION, **STREAM}, b"x", 400),
    ("GET", "tus", VERSION, None, 405),
    ("GET", f"tus/{ANY_ID}", VERSION, None, 405),
    ("PUT", "tus", VERSION, b"", 405),
]


@pytest.mark.parametrize("method,path,headers,body,status", DUTIES)
def test_each_duty(headway, method, path, headers, body, status):
    answer = headway.api(method, path, body, headers)
    assert answer.status == status, answer.body
    assert answer.headers["Tus-Resumable"] == "1.0.0"
    if status == 412:
        assert answer.headers["Tus-Version"] == "1.0.0"


def test_what_is_offered(fresh):
    headers = fresh("--max-upload", "1000").api("OPTIONS", "tus").headers
    assert headers["Tus-Version"] == "1.0.0" and headers["Tus-Max-Size"] == "1000"
    assert set(headers["Tus-Extension"].split(",")) == {
        "creation", "creation-with-upload", "creation-defer-length", "termination", "checksum", "expiration"}
    assert set(headers["Tus-Checksum-Algorithm"].split(",")) == {"sha1", "sha256", "md5"}


def test_a_file_in_three_requests(headway):
    data = content(10_000)
    metadata = f"filename {encoded('写真.jpg')},is_confidential,filetype {encoded('image/jpeg')}"
    path = place(create(headway, len(data), {"Upload-Metadata": metadata}))
    seen = head(headway, path)
    assert seen.status == 200 and seen.headers["Cache-Control"] == "no-store"
    assert (seen.headers["Upload-Offset"], seen.headers["Upload-Length"]) == ("0", "10000")
    assert seen.headers["Upload-Metadata"] == metadata
    for start in range(0, 10_000, 4_000):
        answer = patch(headway, path, start, data[start:start + 4_000])
        assert answer.status == 204
        assert answer.headers["Upload-Offset"] == str(min(start + 4_000, 10_000))
    transfer = headway.transfer(path.rsplit("/", 1)[1])
    assert (transfer["outcome"], transfer["name"]) == ("succeeded", "写真.jpg")
    assert headway.api("GET", transfer["href"]).body == data
    assert head(headway, path).headers["Upload-Offset"] == "10000"
    assert patch(headway, path, 10_000, b"").status == 204
    assert patch(headway, path, 10_000, b"x").status == 409
    gone(headway, path)
    assert head(headway, path).status == 404
    assert headway.api("GET", transfer["href"]).status == 404


def test_an_empty_file_is_whole_at_once(headway):
    path = place(create(headway, 0))
    assert headway.transfer(path.rsplit("/", 1)[1])["outcome"] == "succeeded"
    assert head(headway, path).headers["Upload-Length"] == "0"


@pytest.mark.parametrize("offset", [0, 4, 6, 10])
def test_another_offset_changes_nothing_and_tells_the_true_one(headway, offset):
    path = place(create(headway, 10))
    assert patch(headway, path, 0, b"12345").status == 204
    answer = patch(headway, path, offset, b"x")
    answer.problem(409, "wrong-state")
    assert answer.headers["Upload-Offset"] == "5"
    assert head(headway, path).headers["Upload-Offset"] == "5"
    gone(headway, path)


def test_more_than_the_length_changes_nothing(headway):
    path = place(create(headway, 10))
    assert patch(headway, path, 0, b"12345").status == 204
    patch(headway, path, 5, b"123456").problem(413, "too-large")
    assert head(headway, path).headers["Upload-Offset"] == "5"
    gone(headway, path)


def test_the_first_bytes_may_come_with_the_creation(headway):
    answer = create(headway, 10, STREAM, b"12345")
    path = place(answer)
    assert answer.headers["Upload-Offset"] == "5"
    assert patch(headway, path, 5, b"67890").status == 204
    whole = create(headway, 3, STREAM, b"abc")
    assert whole.headers["Upload-Offset"] == "3"
    assert headway.transfer(place(whole).rsplit("/", 1)[1])["outcome"] == "succeeded"


def test_a_body_of_another_type_is_not_the_file(headway):
    answer = create(headway, 10, {"Content-Type": "text/plain"}, b"12345")
    assert head(headway, place(answer)).headers["Upload-Offset"] == "0"
    gone(headway, place(answer))


def test_the_length_may_be_told_later(headway):
    path = place(create(headway, None, {"Upload-Defer-Length": "1"}))
    seen = head(headway, path)
    assert seen.headers["Upload-Defer-Length"] == "1" and "Upload-Length" not in seen.headers
    assert patch(headway, path, 0, b"12345").status == 204
    assert headway.transfer(path.rsplit("/", 1)[1])["total"] is None
    patch(headway, path, 5, b"", {"Upload-Length": "3"}).problem(400, "invalid")
    assert patch(headway, path, 5, b"", {"Upload-Length": "7"}).status == 204
    assert head(headway, path).headers["Upload-Length"] == "7"
    patch(headway, path, 5, b"67", {"Upload-Length": "8"}).problem(400, "invalid")
    assert patch(headway, path, 5, b"67").status == 204
    assert headway.transfer(path.rsplit("/", 1)[1])["outcome"] == "succeeded"


@pytest.mark.parametrize("algorithm", ["sha1", "sha256", "md5"])
def test_a_chunk_has_to_have_its_checksum(headway, algorithm):
    path = place(create(headway, 10))
    id = path.rsplit("/", 1)[1]
    assert patch(headway, path, 0, b"12345", checksum(b"12345", algorithm)).status == 204
    patch(headway, path, 5, b"67890", checksum(b"other", algorithm)).problem(460, "checksum-mismatch")
    assert head(headway, path).headers["Upload-Offset"] == "5"
    transfer = headway.transfer(id)
    assert (transfer["bytes"], transfer["attempt"], transfer["reason"]) == (5, 2, "checksum-mismatch")
    patch(headway, path, 5, b"67890", {"Upload-Checksum": "crc32 AAAA"}).problem(400, "invalid")
    assert patch(headway, path, 5, b"67890", checksum(b"67890", algorithm)).status == 204
    assert headway.api("GET", headway.transfer(id)["href"]).body == b"1234567890"


def test_a_chunk_with_a_checksum_that_is_cut_is_thrown_away(headway):
    path = place(create(headway, 10))
    with RawSocket(headway.port) as peer:
        peer.head("PATCH", path, {**VERSION, **STREAM, **checksum(b"12345"), "Upload-Offset": "0",
                                  "Content-Length": "5"})
        peer.send(b"123")
    assert headway.wait_for(path.rsplit("/", 1)[1], lambda t: t["state"] == "paused")["bytes"] == 0
    assert head(headway, path).headers["Upload-Offset"] == "0"
    gone(headway, path)


def test_termination_ends_it_for_good(headway):
    path = place(create(headway, 10))
    assert patch(headway, path, 0, b"12345").status == 204
    gone(headway, path)
    assert head(headway, path).status == 410
    assert "Upload-Offset" not in head(headway, path).headers
    assert patch(headway, path, 5, b"67890").status == 410
    assert headway.transfer(path.rsplit("/", 1)[1])["outcome"] == "cancelled"


def test_a_post_may_stand_for_another_method(headway):
    path = place(create(headway, 3))
    override = {"X-HTTP-Method-Override": "PATCH", "Upload-Offset": "0", **STREAM, **VERSION}
    assert headway.request("POST", path, b"ab", override).status == 204
    assert headway.request("POST", path, b"", {**VERSION, "X-HTTP-Method-Override": "DELETE"}).status == 204
    assert head(headway, path).status == 410


def test_what_nobody_goes_on_with_expires(fresh):
    headway = fresh("--upload-life", "1")
    before = time.time()
    created = create(headway, 10, STREAM, b"12345")
    due = email.utils.parsedate_to_datetime(created.headers["Upload-Expires"]).timestamp()
    # Such a date has whole seconds, rounded as it likes.
    assert before <= due <= time.time() + 2
    path = place(created)
    row = headway.ended(path.rsplit("/", 1)[1])
    assert row["outcome"] == "failed" and row["error"]["code"] == "client-disconnected"
    assert head(headway, path).status == 410


def test_pages_of_others_only_where_they_are_allowed(fresh):
    headway = fresh("--allow-origin", "https://app.example")
    asked = {"Access-Control-Request-Method": "PATCH", "Access-Control-Request-Headers": "tus-resumable"}
    answer = headway.api("OPTIONS", "tus", headers={"Origin": "https://app.example", **asked})
    assert answer.status == 204
    assert answer.headers["Access-Control-Allow-Origin"] == "https://app.example" and answer.headers["Vary"] == "Origin"
    for word in ("POST", "HEAD", "PATCH", "DELETE"):
        assert word in answer.headers["Access-Control-Allow-Methods"]
    for word in ("Upload-Offset", "Tus-Resumable", "Upload-Length", "Upload-Metadata", "Upload-Checksum", "Content-Type"):
        assert word in answer.headers["Access-Control-Allow-Headers"]
    created = create(headway, 5, {"Origin": "https://app.example"})
    for word in ("Location", "Upload-Offset", "Upload-Length"):
        assert word in created.headers["Access-Control-Expose-Headers"]
    headway.api("OPTIONS", "tus", headers={"Origin": "https://evil.example", **asked}).problem(403, "forbidden")
    create(headway, 5, {"Origin": "https://evil.example"}).problem(403, "forbidden")


def test_a_location_is_where_the_client_sees_us(fresh):
    behind = {"X-Forwarded-Proto": "https", "X-Forwarded-Host": "files.example", "X-Forwarded-Prefix": "/up/"}
    trusting = fresh("--trust-proxy", "127.0.0.0/8")
    assert create(trusting, 1, behind).headers["Location"].startswith("https://files.example/up/api/v1/tus/")
    bent = {"X-Forwarded-Host": "a b", "X-Forwarded-Prefix": "//evil.example"}
    assert create(trusting, 1, bent).headers["Location"].startswith(f"{trusting.address}/api/v1/tus/")
    trusting.stop()
    headway = fresh()
    assert create(headway, 1, behind).headers["Location"].startswith(f"{headway.address}/api/v1/tus/")


def test_a_body_without_a_length_is_taken(headway):
    path = place(create(headway, 10))
    with RawSocket(headway.port) as peer:
        peer.head("PATCH", path, {**VERSION, **STREAM, "Upload-Offset": "0", "Transfer-Encoding": "chunked"})
        peer.send(b"5\r\n12345\r\n0\r\n\r\n")
        assert read_answer(peer).headers["upload-offset"] == "5"
    with RawSocket(headway.port) as peer:
        peer.head("PATCH", path, {**VERSION, **STREAM, "Upload-Offset": "5", "Transfer-Encoding": "chunked"})
        peer.send(b"6\r\n678901\r\n0\r\n\r\n")
        assert read_answer(peer).status == 413
    assert head(headway, path).headers["Upload-Offset"] == "5"
    gone(headway, path)
